"""Memories put in place for recall tests, and BM25 written down once more, plainly."""

import math
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from memories import history
from memories.models import Memory
from memories.models.ids import new_id
from memories.permissions import Actor
from memories.recall.arms import Candidate
from memories.text.tokens import tokenize
from memories.writing import import_memories
from memories.writing.draft import drafted

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)


def remember(actor: Actor, content: str, *, user_id: str = "", **said: Any) -> Memory:
    """Store one memory with its real embedding, without comparing it with others."""
    said.setdefault("source", "user_input")
    draft = drafted(content=content, **said)
    return next(import_memories(actor=actor, drafts=iter([(user_id, draft)])))


def jot(actor: Actor, content: str, **fields: Any) -> Memory:
    """Store one memory that has no embedding."""
    fields.setdefault("confidence", 1.0)
    memory = Memory(space_id=actor.space_id, agent_id=actor.id, content=content, **fields)
    history.index(memory)
    history.create([memory], actor=actor)
    return memory


def candidate(**given: Any) -> Candidate:
    """A candidate of good meaning, said now by the user; `given` says what is different."""
    plain: dict[str, Any] = {
        "id": new_id(),
        "bm25": 0.0,
        "coverage": 0.0,
        "cosine": 0.9,
        "session": "",
        "source": "user_input",
        "confidence": 1.0,
        "heat": 0.0,
        "moment": NOW,
    }
    return Candidate(**(plain | given))


def days_ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def reference_bm25(documents: Sequence[str], query: str) -> list[float]:
    """Score documents for a query: Okapi BM25, k1 = 1.2, b = 0.75, distinct query words."""
    counts = [Counter(tokenize(document)) for document in documents]
    lengths = [sum(count.values()) for count in counts]
    average = max(sum(lengths) / len(lengths), 1.0)
    scores = [0.0] * len(documents)
    for word in set(tokenize(query)):
        having = sum(word in count for count in counts)
        idf = math.log(1 + (len(documents) - having + 0.5) / (having + 0.5))
        for place, count in enumerate(counts):
            tf = count[word]
            norm = 0.25 + 0.75 * lengths[place] / average
            scores[place] += idf * tf * 2.2 / (tf + 1.2 * norm)
    return scores


def ids(memories: Sequence[Memory]) -> set[UUID]:
    return {memory.pk for memory in memories}
