"""The arms: one SQL statement that scores a scope by meaning and by words and proposes candidates.

The scope is a queryset (what the actor may see, filters, statuses); everything, document
frequencies too, is counted inside it, so that nothing of a foreign memory shows in any score (D1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from pgvector import HalfVector

from memories.embedding.indexing import ready
from memories.models.memory import Memory
from memories.recall.arms_sql import EXACT, RANKS
from memories.recall.nearest import looked_up
from memories.recall.prepared import prepared
from memories.recall.question import Question
from memories.text.tokens import quoted, tsquery_literal

_COLUMNS = (
    *("id", "keywords", "keyword_count", "embedding", "embedding_model", "heat", "content"),
    *("session", "source", "confidence", "happened_at", "created_at", "agent_id"),
    *("other_embedding", "other_model", "last_recalled_at", "user_id"),
)
LEADING = 20
"""What stands beside so many of the best by meaning, and by words, is a candidate, too: more of
them found no more.
"""
READ = 500
"""Characters of a candidate that are read: the one idea that a memory is fits in (B6)."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What the arms say of the memory told just before or after a candidate in its session."""

    bm25: float
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that some arm proposes.

    `bm25` ≥ 0; `coverage` 0–1 of the query's words; `cosine` (lifted where the scripts differ) is
    None where embeddings cannot be compared: embedder away, memory waiting, another model;
    `moment`: happened or was told; `heat` as it was at `recalled_at`. `upheld` and `refuted`: how
    often people found what its agent wrote right and wrong, 0 without one; `useful` and `wrong`:
    the voices on its text (C6), of which `text` is the beginning. `before` and `after`: what was
    told beside it in its session, None at an end or without a session.
    """

    id: UUID
    bm25: float
    coverage: float
    cosine: float | None
    session: str
    source: str
    confidence: float
    heat: float
    moment: datetime
    upheld: int = 0
    refuted: int = 0
    recalled_at: datetime | None = None
    useful: int = 0
    wrong: int = 0
    text: str = ""
    before: Beside | None = None
    after: Beside | None = None


@dataclass(frozen=True, slots=True)
class Proposed:
    """The candidates, and what each arm's scale is over the whole scope.

    `familiar`: the scope has memories in the question's own script; `gap` is what those in the
    other script are lifted by; `size` is how many memories the scope has.
    """

    candidates: tuple[Candidate, ...]
    most_bm25: float = 0.0
    least_cosine: float | None = None
    most_cosine: float | None = None
    familiar: bool = False
    gap: float = 0.0
    size: int = 0


def propose(
    scope: "QuerySet[Memory]",
    question: Question,
    *,
    vector: list[float] | None,
    model: str,
    limit: int,
    recent: int,
    space: UUID | None = None,
) -> Proposed:
    """Return what is worth ranking: `limit` by meaning, words and named time, and the newest.

    One round trip, in which the whole scope is read; a very large one by its indexes, where
    `space`, whose scope it is, has them (nearest.py).
    """
    named, scoped = statement(scope)
    spans = [span.bounds() for span in question.times if not span.yearly]
    given = scoped | {
        "tsquery": tsquery_literal(question.terms),
        "terms": [quoted(term) for term in question.terms],
        "ranks": RANKS,
        "share": 1.0,
        "han": question.han,
        "distinct": len(question.terms),
        **compared(vector, model),
        "limit": limit,
        "recent": recent,
        "leading": LEADING,
        "read": READ,
        "firsts": [first for first, _last in spans],
        "lasts": [last for _first, last in spans],
    }
    indexes = ready(space, model) if space and vector else None
    rows = looked_up(named, given, question.terms, indexes) if indexes else None
    if rows is None:
        with prepared() as cursor:
            cursor.execute(EXACT.format(scope=named), given)
            rows = cursor.fetchall()
    found = tuple(_candidate(row[:-5]) for row in rows)
    most = max((one.bm25 for one in found), default=0.0)
    return Proposed(found, most, *(rows[0][-5:] if rows else ()))


def _candidate(row: Sequence[Any]) -> Candidate:
    values: list[Any] = [*row[:-6], _beside(*row[-6:-3]), _beside(*row[-3:])]
    return Candidate(*values)


def _beside(there: bool, bm25: float, cosine: float | None) -> Beside | None:
    return Beside(bm25, cosine) if there else None


@lru_cache(maxsize=1024)  # three statements of one recall ask, and whoever asks again
def statement(scope: "QuerySet[Memory]") -> tuple[str, dict[str, Any]]:
    """Return a scope as SQL with named parameters, and these."""
    sql, params = scope.order_by().values(*_COLUMNS).query.sql_with_params()
    given: dict[str, Any] = {f"scope_{i}": value for i, value in enumerate(params)}
    return sql % tuple(f"%({name})s" for name in given), given


def compared(vector: list[float] | None, model: str) -> dict[str, Any]:
    """Return the parameters by which embeddings are compared with a question's; none without."""
    if vector is None:
        return {"vector": None, "model": None}
    return {"vector": HalfVector(vector).to_text(), "model": model}
