"""How much of what matters survives distillation: distil sessions, keep what the gate lets in, ask.

A file's question names the turns that answer it; a memory answers it when one of these is among
the turns it was made from.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from time import perf_counter
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from memories.distillation.gate import weigh
from memories.distillation.proposal import Proposal, Scene
from memories.errors import Invalid
from memories.evaluation.files import moment, rows
from memories.evaluation.ranking import APART, Asked
from memories.models import Memory, Turn
from memories.models.memory import Status
from memories.permissions import Actor
from memories.policies import DistillingPolicy, PolicyNumbers
from memories.recall import recall
from memories.writing import Draft, import_memories
from memories.writing.draft import drafted

DEPTH = 10
Progress = Callable[[str], None]
Propose = Callable[[Sequence[Turn], Scene], list[Proposal]]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One session of a file: its turns, unsaved, and the file's id of each by its number."""

    id: str
    user_id: str
    turns: tuple[Turn, ...]
    ids: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Distilled:
    """What a distiller proposed for a session, and how long it took."""

    session: Recorded
    proposals: tuple[Proposal, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory stored for its proposals: the best worth among them, the turns of them all."""

    worth: float
    turns: frozenset[str]


@dataclass(frozen=True, slots=True)
class Survival:
    """Figures at one threshold; all but `threshold` and `memories` are shares or means."""

    threshold: float
    memories: int
    per_turn: float
    coverage: float
    recall: Mapping[str, float]


def read_sessions(path: Path) -> list[Recorded]:
    """Return the sessions of a JSONL file. Raises Invalid naming the line, OSError."""
    return [_session(row, path) for row in rows(path, "session_id")]


def _session(row: Mapping[str, Any], path: Path) -> Recorded:
    told = row.get("turns")
    if not isinstance(told, list) or not all(_is_turn(turn) for turn in told):
        raise Invalid(
            _("%(file)s, session %(id)s: “turns” must be a list of {id, content}.")
            % {"file": path, "id": row["session_id"]}
        )
    started = moment(row.get("started_at")) or timezone.now()
    turns = [
        Turn(
            number=number,
            role=_role(turn),
            speaker=str(turn.get("speaker") or ""),
            content=turn["content"],
            happened_at=started + timedelta(seconds=number),
        )
        for number, turn in enumerate(told, 1)
    ]
    ids = {number: turn["id"] for number, turn in enumerate(told, 1)}
    return Recorded(row["session_id"], str(row.get("user_id") or ""), tuple(turns), ids)


def _is_turn(turn: object) -> bool:
    return isinstance(turn, dict) and all(
        isinstance(turn.get(key), str) for key in ("id", "content")
    )


def _role(turn: Mapping[str, Any]) -> str:
    """Whoever has a name is a person, whatever part the file gives them."""
    return (
        Turn.Role.ASSISTANT
        if turn.get("role") == "assistant" and not turn.get("speaker")
        else Turn.Role.USER
    )


def distilled(
    sessions: Sequence[Recorded], propose: Propose, progress: Progress
) -> Iterator[Distilled]:
    """Distil every session and yield what is proposed, with the time it took."""
    for done, session in enumerate(sessions, 1):
        started = perf_counter()
        proposals = propose(session.turns, Scene(agent="evaluation", user_id=session.user_id))
        yield Distilled(session, tuple(proposals), perf_counter() - started)
        if done % 20 == 0 or done == len(sessions):
            progress(f"{done} of {len(sessions)} sessions")


def store(
    found: Iterable[Distilled], actor: Actor, keep_from: float, progress: Progress
) -> dict[UUID, Kept]:
    """Store what the gate lets in at `keep_from` by the default policy; texts stored once."""
    policy = PolicyNumbers()
    gate = DistillingPolicy(keep_from=keep_from)
    let_in = [
        (one.session, proposal, passed.confidence)
        for one in found
        for proposal in one.proposals
        if not (passed := weigh(proposal, gate, policy.writing)).reason
    ]
    drafts = [
        (session.user_id, _draft(proposal, session, confidence))
        for session, proposal, confidence in let_in
    ]
    meant = [
        Kept(proposal.worth, frozenset(session.ids[number] for number in proposal.turns))
        for session, proposal, _confidence in let_in
    ]
    kept: dict[UUID, Kept] = {}
    stored = import_memories(actor=actor, drafts=iter(drafts))
    for done, (memory, one_kept) in enumerate(zip(stored, meant, strict=True), 1):
        known = kept.get(memory.pk, one_kept)
        kept[memory.pk] = Kept(max(known.worth, one_kept.worth), known.turns | one_kept.turns)
        if done % 500 == 0 or done == len(drafts):
            progress(f"{done} of {len(drafts)} memories")
    return kept


def _draft(proposal: Proposal, session: Recorded, confidence: float) -> Draft:
    return drafted(
        content=proposal.content,
        kind=proposal.kind,
        subject=proposal.subject,
        happened_at=proposal.happened_at or session.turns[-1].happened_at,
        source=proposal.source,
        confidence=confidence,
        session=session.id,
    )


def survival(
    kept: Mapping[UUID, Kept],
    questions: Sequence[Asked],
    turns: int,
    thresholds: Sequence[float],
    actor: Actor,
    progress: Progress,
) -> Iterator[Survival]:
    """Yield the figures at each threshold, rising: memories under it are put out of recall."""
    for threshold in sorted(thresholds):
        low = [pk for pk, one in kept.items() if one.worth < threshold]
        Memory.objects.filter(pk__in=low).update(status=Status.ARCHIVED)
        left = {pk: one.turns for pk, one in kept.items() if one.worth >= threshold}
        yield Survival(
            threshold=threshold,
            memories=len(left),
            per_turn=len(left) / turns,
            coverage=coverage(left.values(), questions),
            recall=asked(questions, left, actor),
        )
        progress(f"threshold {threshold:.2f} done")


def coverage(kept: Iterable[frozenset[str]], questions: Sequence[Asked]) -> float:
    """Return the share of the turns some question needs that some memory was made from."""
    needed = {turn for one in questions if one.category != APART for turn in one.relevant}
    covered = frozenset().union(*kept) & needed
    return len(covered) / len(needed) if needed else 1.0


def asked(
    questions: Sequence[Asked], kept: Mapping[UUID, frozenset[str]], actor: Actor
) -> dict[str, float]:
    """Return R@1, R@5 and R@10 over the questions not made to mislead.

    R@k: share of a question's turns that the first k hits were made from, the mean over questions.
    """
    sums: dict[str, float] = defaultdict(float)
    fair = [one for one in questions if one.category != APART]
    for one in fair:
        result = recall(actor=actor, query=one.query, user_id=one.user_id, top_k=DEPTH, log=False)
        if result.degraded:
            raise Invalid(_("The embedder went away: these figures would say nothing."))
        hits = [kept.get(hit.memory.pk, frozenset()) for hit in result.hits]
        for most in (1, 5, 10):
            found = frozenset().union(*hits[:most]) & one.relevant
            sums[f"R@{most}"] += len(found) / len(one.relevant)
    return {name: total / max(len(fair), 1) for name, total in sums.items()}
