"""The arms: a scope is scored by meaning and by words, and candidates are proposed.

The scope is a queryset (what the actor may see, filters, statuses); everything, document
frequencies too, is counted inside it, so that nothing of a foreign memory shows in any score (D1).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from math import isnan
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.db.models import QuerySet

from memories.embedding.halves import written
from memories.embedding.indexing import ready
from memories.models.memory import Memory
from memories.recall.arms_sql import COLUMNS, TOLD
from memories.recall.columns import (
    Columns,
    Flags,
    Floats,
    Ints,
    Said,
    Scales,
    by_words,
    microseconds,
)
from memories.recall.nearest import Limits, Read, looked_up
from memories.recall.prepared import prepared
from memories.recall.question import Question

_COLUMNS = (
    *("id", "keywords", "word_codes", "han", "embedding", "embedding_model", "heat", "content"),
    *("session", "source", "confidence", "happened_at", "created_at", "agent_id"),
    *("other_embedding", "other_model", "last_recalled_at", "user_id"),
)
LEADING = 20
"""What stands beside so many of the best by meaning, and by words, is a candidate, too: more of
them found no more.
"""
READ = 500
"""Characters of a candidate that are read: the one idea that a memory is fits in (B6)."""
Worth = Callable[[Said, Scales], Flags]
"""Which candidates are read further, by what the arms say of them."""


class Beside(NamedTuple):
    """What the arms say of the memory told just before or after a candidate in its session."""

    bm25: float
    cosine: float | None


class Candidate(NamedTuple):
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
    worth: Worth | None = None,
) -> Proposed:
    """Return what is worth ranking: `limit` by meaning, words and named time, and the newest.

    The whole scope is read; a very large one by its indexes, where `space`, whose scope it is, has
    them (nearest.py). What else is known of the candidates is read after that, and only of those
    that are `worth` it by what the arms say.
    """
    named, scoped = statement(scope)
    given = scoped | {"han": question.han, **compared(vector, model)}
    spans = tuple(span.bounds() for span in question.times if not span.yearly)
    limits = Limits(limit, recent, spans)
    indexes = ready(space, model) if space and vector else None
    read = looked_up(named, given, question.terms, indexes, limits) if indexes else None
    if read is None:
        read = _whole(named, given, question.terms)
    found, scales = read.found, read.scales
    places, said = _chosen(read, limits)
    most = float(said.bm25.max(initial=0.0))
    if worth:
        kept = worth(said, scales)
        places, said = places[kept], said.at(kept)
    candidates = _told(found.named(places), said, named, scoped)
    return Proposed(
        candidates, most, scales.low, scales.high, scales.familiar, scales.gap, scales.size
    )


def _whole(named: str, given: Mapping[str, Any], terms: Sequence[str]) -> Read:
    """Read all of a scope."""
    with prepared() as cursor:
        cursor.execute(COLUMNS.format(scope=named), given)
        found = Columns.of(cursor.fetchone(), terms)
    return Read(found, Scales.of(found), found.having(len(terms)).astype(np.float64))


def _chosen(read: Read, limits: Limits) -> tuple[Ints, Said]:
    """Return the places of the candidates, and what the arms say of them."""
    found, scales, having = read
    bm25, most = by_words(found, scales, having)
    lifted = scales.lifted(found)
    sides = found.beside()
    chosen = _proposed(found, lifted, bm25, sides, limits)
    beside = [
        np.where(side < 0, np.nan, said[side])[chosen] for side in sides for said in (bm25, lifted)
    ]
    moments = found.moments[chosen].astype(np.float64)
    return chosen, Said(moments, bm25[chosen], bm25[chosen] / most, lifted[chosen], *beside)


def _proposed(
    found: Columns, lifted: Floats, bm25: Floats, sides: tuple[Ints, Ints], limits: Limits
) -> Ints:
    """Return the places of the best of each arm, and of what stands beside these."""
    meant = found.first(lifted, limits.arm, ~np.isnan(lifted))
    worded = found.first(bm25, limits.arm, bm25 > 0)
    proposed, best = np.zeros((2, len(found) + 1), np.bool_)  # one more, for the place −1
    proposed[meant] = proposed[worded] = True
    proposed[found.first(found.moments, limits.recent)] = True
    proposed[found.first(found.moments, limits.arm, _within(found.moments, limits))] = True
    best[meant[:LEADING]] = best[worded[:LEADING]] = True
    before, after = sides
    return np.flatnonzero(proposed[:-1] | best[before] | best[after])


def _within(moments: Ints, limits: Limits) -> Flags:
    """Return which moments are of a time that the question names."""
    within = np.zeros(len(moments), np.bool_)
    for first, last in limits.spans:
        within |= (moments >= microseconds(first)) & (moments < microseconds(last))
    return within


def _told(
    ids: Sequence[str], said: Said, named: str, scoped: Mapping[str, Any]
) -> tuple[Candidate, ...]:
    """Return candidates with what else is known of them; without those that have gone meanwhile."""
    if not ids:
        return ()
    # As a list they would be written and read one by one.
    given = {**scoped, "ids": f"{{{','.join(ids)}}}", "read": READ}
    with prepared() as cursor:
        cursor.execute(TOLD.format(scope=named), given)
        told = cursor.fetchall()
    _moments, *columns = (column.tolist() for column in said)
    numbers = list(zip(*columns, strict=True))
    return tuple(_candidate(key, numbers[place], known) for place, key, *known in told)


def _candidate(key: UUID, said: tuple[float, ...], known: Sequence[Any]) -> Candidate:
    bm25, coverage, cosine, *beside = said
    before, after = (
        None if isnan(words) else Beside(words, None if isnan(near) else near)
        for words, near in (beside[:2], beside[2:])
    )
    meaning = None if isnan(cosine) else cosine
    return Candidate._make((key, bm25, coverage, meaning, *known, before, after))


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
    return {"vector": written(vector), "model": model}
