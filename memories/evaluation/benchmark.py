"""What people judged, as the two files that evaluate_recall reads: a benchmark of one's own (H4).

A question is what an agent asked; its relevant memories are those that somebody found relevant in a
finished round, and that are still in use. The memories are all that the questions may find, so that
the right ones have others beside them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from memories import history
from memories.models.evaluation import Judgement
from memories.models.memory import Memory, Visibility
from memories.models.recall import Recall
from memories.permissions import Actor

CHUNK = 500
_READ = ("user_id", "content", "session", "happened_at", "kind")


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Questions, each with the memories that are relevant to it.

    `left_out` is how many were judged and have none.
    """

    questions: Sequence[tuple[Recall, Sequence[UUID]]]
    left_out: int


def benchmark_of(actor: Actor) -> Benchmark:
    """Return what was judged in the finished rounds of a space. Raises NotAllowed.

    The same text for the same user is one question; of a hit that was judged more than once the
    newest judgement counts. A relevant memory that is not in use any more counts no longer.
    """
    actor.require("administer")
    asked: dict[tuple[str, str], Recall] = {}
    said: dict[tuple[tuple[str, str], UUID | None], bool] = {}
    for one in _judged(actor):
        key = (one.recall.user_id, one.recall.query)
        asked[key] = one.recall
        said[key, one.memory_id] = bool(one.relevant)
    in_use = _in_use(memory for _key, memory in said)
    right: dict[tuple[str, str], list[UUID]] = {}
    for (key, memory), yes in said.items():
        if yes and memory and memory in in_use:
            right.setdefault(key, []).append(memory)
    questions = [(asked[key], memories) for key, memories in right.items()]
    return Benchmark(questions, left_out=len(asked) - len(questions))


def export_queries(*, actor: Actor) -> Iterator[str]:
    """Return the lines of the file of questions, and log who took it. Raises NotAllowed."""
    found = benchmark_of(actor).questions
    history.log(actor, "benchmark_exported", file="queries", rows=len(found))
    return _lines(_query(recall, relevant) for recall, relevant in found)


def export_memories(*, actor: Actor) -> Iterator[str]:
    """Return the lines of the file of memories, and log who took it. Raises NotAllowed.

    They are read while the caller goes through them, some hundreds at a time.
    """
    rows = memories_for(actor, benchmark_of(actor))
    history.log(actor, "benchmark_exported", file="memories", rows=rows.count())
    return _lines(_memory(one) for one in rows.iterator(chunk_size=CHUNK))


def memories_for(actor: Actor, benchmark: Benchmark) -> "QuerySet[Memory]":
    """Return the memories in use that a benchmark's questions may find.

    About their users or about nobody; shared, or private to an agent that asked one of them.
    """
    rows: QuerySet[Memory] = Memory.objects.visible_to(actor).live()
    recalls = [recall for recall, _relevant in benchmark.questions]
    if not recalls:
        return rows.none()
    own = Q(visibility=Visibility.SHARED) | Q(agent__in={one.actor_id for one in recalls})
    users = {"", *(one.user_id for one in recalls)}
    return rows.filter(own, user_id__in=users).order_by("pk").only(*_READ)


def _judged(actor: Actor) -> Iterable[Judgement]:
    """Return what was judged, the oldest first: what comes later is what counts."""
    rows = Judgement.objects.filter(
        evaluation__space_id=actor.space_id,
        evaluation__closed_at__isnull=False,
        relevant__isnull=False,
    )
    return rows.select_related("recall").order_by("evaluation_id", "recall_id", "rank")


def _in_use(memories: Iterable[UUID | None]) -> set[UUID]:
    return set(Memory.objects.live().filter(pk__in=set(memories)).values_list("pk", flat=True))


def _query(recall: Recall, relevant: Iterable[UUID]) -> dict[str, Any]:
    """Return a line; its category is the agent that asked, so that figures come by agent."""
    return {
        "id": str(recall.pk),
        "user_id": recall.user_id,
        "query": recall.query,
        "relevant": [str(memory) for memory in relevant],
        "category": recall.actor_name,
    }


def _memory(memory: Memory) -> dict[str, Any]:
    happened = memory.happened_at
    return {
        "id": str(memory.pk),
        "user_id": memory.user_id,
        "content": memory.content,
        "occurred_at": happened.isoformat() if happened else None,
        "session_id": memory.session,
        "kind": memory.kind,
    }


def _lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
