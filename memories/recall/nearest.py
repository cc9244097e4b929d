"""A large scope by its indexes: HNSW by meaning, rare words by GIN, scales from a sample.

Everything stays within the scope, as it does without them: the sample is of the scope alone, and
each index scan filters by it, so that no foreign memory is found or tells in a score (D1).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from django.db import connection, transaction

from memories.embedding.indexing import MANY, Ready
from memories.recall.columns import Columns, Flags, Floats, Ints, Scales, by_words
from memories.recall.nearest_sql import SAMPLE, WORDED, nearest
from memories.text.tokens import quoted

LARGE = MANY
"""Memories in scope from which the indexes are used: what they take hardly grows with the scope,
what reading everything takes grows with it, and meets the other about here.
"""
SHARE, SAMPLED = 1 / 32, 16_000
"""So much of a scope is the sample, less in a space so large that this would be more than so many.
"""
MATCHES = 3_000
"""Memories that are read for their words, about: those of the rarest words, and of two at once.
More take longer; with fewer, or less in view below, the ten best come too near to the .95 that a
test wants to be those that reading everything gives.
"""
SEEN = 5
"""A word that fewer of the sample have is counted."""
EF_SEARCH = 600
"""What HNSW keeps in view; the candidates of an arm are 100."""

_SETTINGS = """
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),
  set_config('hnsw.ef_search', %(ef_search)s, true), set_config('random_page_cost', '1.1', true),
  set_config('jit', 'off', true)
"""


class Limits(NamedTuple):
    """How many each arm proposes, how many of the newest, and the times that the question names."""

    arm: int
    recent: int
    spans: Sequence[tuple[datetime, datetime]] = ()


class Read(NamedTuple):
    """What was read of a scope, its scales, and how many of the scope have each asked word."""

    found: Columns
    scales: Scales
    having: Floats


class _Sample(NamedTuple):
    """A sample of a scope, its scales, and in how many of it, and of the scope, a word is."""

    found: Columns
    scales: Scales
    seen: Ints
    having: Floats


class _Words(NamedTuple):
    """What has the asked words: the ids of the best, and in how many of the scope each word is."""

    best: Sequence[str]
    having: Floats


def looked_up(
    named: str,
    given: Mapping[str, Any],
    terms: Sequence[str],
    ready: Ready,
    limits: Limits,
) -> Read | None:
    """Return what is worth reading of a large scope; None where reading all of it is better.

    That is when the scope is small, or the indexes found fewer than they should have.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        sample = _sampled(cursor, named, given, terms, ready)
        if sample.scales.size < LARGE:
            return None
        cursor.execute(_SETTINGS, {"ef_search": str(EF_SEARCH)})
        words = _worded(cursor, named, given, terms, sample, limits)
        cursor.execute(
            nearest(ready.dimensions).format(scope=named),
            {**given, **_limited(sample, limits, given["han"]), "worded": list(words.best)},
        )
        *columns, meant = cursor.fetchone()
    if meant < limits.arm:
        return None
    found = Columns.of(columns, terms)
    return Read(found, sample.scales.reaching(found), words.having)


def _sampled(
    cursor: Any, named: str, given: Mapping[str, Any], terms: Sequence[str], ready: Ready
) -> _Sample:
    share = min(SHARE, SAMPLED / max(ready.memories, 1))
    below = int(-(2**31) + share * 2**32)
    cursor.execute(SAMPLE.format(scope=named), {**given, "below": below})
    found = Columns.of(cursor.fetchone(), terms)
    seen = found.having(len(terms))
    return _Sample(found, Scales.of(found, share), seen, seen / share)


def _worded(
    cursor: Any,
    named: str,
    given: Mapping[str, Any],
    terms: Sequence[str],
    sample: _Sample,
    limits: Limits,
) -> _Words:
    """Find what has the words that lead to candidates.

    These words are counted: all of the scope that has them is read. Of others the sample tells.
    """
    leads, common = _leads(sample, terms)
    cursor.execute(WORDED.format(scope=named), {**given, "leads": " | ".join(leads)})
    found = Columns.of(cursor.fetchone(), terms)
    having = np.where(common, sample.having, found.having(len(terms)))
    bm25, _most = by_words(found, sample.scales, having)
    return _Words(found.named(found.first(bm25, limits.arm, bm25 > 0)), having)


def _leads(sample: _Sample, terms: Sequence[str]) -> tuple[list[str], Flags]:
    """Return which words lead to candidates, as tsqueries, and whether each is common: does not.

    A word that very many have tells little by itself; two of them at once may.
    """
    many = np.maximum(sample.having, 1.0)
    leads, common, read = list[str](), list[int](), 0.0
    for place in np.argsort(many, kind="stable").tolist():
        if sample.seen[place] < SEEN or read + many[place] <= MATCHES:
            leads.append(quoted(terms[place]))
            read += many[place]
        else:
            common.append(place)
    for one, other in combinations(common, 2):
        both = sample.having[one] * sample.having[other] / sample.scales.size
        if read + both <= MATCHES:
            leads.append(f"({quoted(terms[one])} & {quoted(terms[other])})")
            read += both
    return leads, np.isin(np.arange(len(terms)), common)


def _limited(sample: _Sample, limits: Limits, asked_in_han: bool) -> dict[str, Any]:
    # A script that none of the sample is in is not looked for: the index would be read to its end.
    known = ~np.isnan(sample.found.cosines)
    same = sample.found.same
    own, other = (limits.arm if (known & of).any() else 0 for of in (same, ~same))
    han, rest = (own, other) if asked_in_han else (other, own)
    return {
        "han_limit": han,
        "other_limit": rest,
        "limit": limits.arm,
        "recent": limits.recent,
        "firsts": [first for first, _last in limits.spans],
        "lasts": [last for _first, last in limits.spans],
    }
