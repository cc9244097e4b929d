"""How well recall() ranks: load a file of memories, ask a file of questions, compare and count."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from uuid import UUID

from django.utils.translation import gettext as _

from memories.errors import Invalid, ServiceError
from memories.evaluation.files import moment, rows
from memories.graph import link_all
from memories.models.memory import Source
from memories.permissions import Actor
from memories.policies import policy_for
from memories.recall import recall
from memories.writing import Draft, import_memories
from memories.writing.draft import drafted

DEPTH = 50
"""Hits asked for: recall's own limit."""
APART = "adversarial"
"""Questions made to mislead; reported, but not part of ALL."""
ALL = "ALL"

Progress = Callable[[str], None]
Known = dict[UUID, list[str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of a file and the ids its answer stands in."""

    id: str
    user_id: str
    query: str
    relevant: frozenset[str]
    category: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What recall returned for a question, as ids of the file, best first; `took_ms` all in all."""

    asked: Asked
    ranking: tuple[str, ...]
    took_ms: float


def read_questions(path: Path) -> list[Asked]:
    """Return the questions of a JSONL file. Raises Invalid naming the line, OSError."""
    return [_question(row, path) for row in rows(path, "id", "query")]


def _question(row: dict[str, object], path: Path) -> Asked:
    relevant = row.get("relevant")
    if not isinstance(relevant, list) or not relevant:
        raise Invalid(
            _("%(file)s, question %(id)s: “relevant” must be a list of memory ids.")
            % {"file": path, "id": row["id"]}
        )
    return Asked(
        id=str(row["id"]),
        user_id=str(row.get("user_id") or ""),
        query=str(row["query"]),
        relevant=frozenset(map(str, relevant)),
        category=str(row.get("category") or "–"),
    )


def load(path: Path, actor: Actor, progress: Progress) -> Known:
    """Import a file's memories; return which ids of the file each stored memory stands for.

    Texts that one user has twice are one memory with two ids. Where names count in recall (J1)
    they are linked. Raises Invalid, EmbedderDown or OSError.
    """
    given = list(rows(path, "id", "content"))
    drafts = [(str(row.get("user_id") or ""), _draft(row, path)) for row in given]
    known: Known = defaultdict(list)
    for done, memory in enumerate(import_memories(actor=actor, drafts=iter(drafts)), 1):
        known[memory.pk].append(str(given[done - 1]["id"]))
        if done % 500 == 0 or done == len(drafts):
            progress(f"{done} of {len(drafts)} memories")
    if policy_for(actor.space_id)[1].recall.graph_weight:
        progress(f"{link_all(actor.space_id)} linked")
    return known


def _draft(row: dict[str, object], path: Path) -> Draft:
    try:
        told = row.get("occurred_at")
        return drafted(
            content=str(row["content"]),
            happened_at=moment(None if told is None else str(told)),
            session=str(row.get("session_id") or ""),
            source=Source.USER_INPUT,
        )
    except ServiceError as error:
        raise Invalid(f"{path}, {row['id']}: {error.message}") from error


def ask(
    questions: Sequence[Asked], known: Known, actor: Actor, progress: Progress
) -> Iterator[Answer]:
    """Ask every question for its user and yield the answers, logged like any other recall."""
    for done, asked in enumerate(questions, 1):
        started = perf_counter()
        result = recall(actor=actor, query=asked.query, user_id=asked.user_id, top_k=DEPTH)
        took = (perf_counter() - started) * 1000
        if result.degraded:
            raise Invalid(_("The embedder went away: these figures would say nothing."))
        ids = [name for hit in result.hits for name in known.get(hit.memory.pk, ())]
        yield Answer(asked, tuple(ids), took)
        if done % 100 == 0 or done == len(questions):
            progress(f"{done} of {len(questions)} questions")


def figures(answers: Iterable[Answer]) -> dict[str, dict[str, float]]:
    """Return the mean figures of each category, and of ALL without the adversarial ones.

    R@k: share of the relevant found among the first k · hit@5: any of them · all@10: all of them ·
    MRR: 1/rank of the first · nDCG@10 with binary gain · empty: share of empty answers.
    """
    groups: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        groups[answer.asked.category].append(answer)
        if answer.asked.category != APART:
            groups[ALL].append(answer)
    order = sorted(groups, key=lambda name: (name == ALL, name))
    return {name: _mean([measures(one) for one in groups[name]]) for name in order}


def measures(answer: Answer) -> dict[str, float]:
    """Return the figures of one answer, each 0–1."""
    relevant = answer.asked.relevant
    places = [rank for rank, name in enumerate(answer.ranking, 1) if name in relevant]
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(10, len(relevant)) + 1))
    gained = sum(1 / math.log2(rank + 1) for rank in places if rank <= 10)

    def found(most: int) -> float:
        return sum(rank <= most for rank in places) / len(relevant)

    return {f"R@{most}": found(most) for most in (1, 5, 10, 20)} | {
        "hit@5": float(found(5) > 0),
        "all@10": float(found(10) == 1),
        "MRR": 1 / places[0] if places else 0.0,
        "nDCG@10": gained / ideal,
        "empty": float(not answer.ranking),
    }


def _mean(each: Sequence[dict[str, float]]) -> dict[str, float]:
    total = {name: sum(one[name] for one in each) / len(each) for name in each[0]}
    return {"questions": float(len(each))} | total


def latency(answers: Sequence[Answer]) -> dict[str, float]:
    """Return the median and the 95th percentile in milliseconds."""
    times = sorted(answer.took_ms for answer in answers)
    return {
        f"p{share}": times[min(len(times) - 1, len(times) * share // 100)] for share in (50, 95)
    }
