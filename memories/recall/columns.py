"""A scope as columns of numbers: scales, words, order of telling. Pure functions.

PostgreSQL reads the scope and compares it with the question; what follows from that is counted
here, since joins and windows over so many rows took most of the time of an answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from memories.text.tokens import CODE, code

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

K1, B = 1.2, 0.75
"""The usual constants of BM25."""
ASKED = 8
"""Of a long question no more is asked than so many of the rarest words."""
FEW = 10
"""So many memories in the other script are half as good a measure of it as all there could be."""
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The memories of a scope, one place each; the last three have one for each asked word of one.

    `ids`: 16 bytes each · `moments`: as microseconds() has them · `telling`: the same number for
    what one session of one owner tells, 0 without · `same`: in the question's script · `cosines`:
    NaN where embeddings cannot be compared · `lengths` in words · `places`, `words`, `often`: which
    memory has which asked word how often.
    """

    ids: bytes
    moments: Ints
    telling: Ints
    same: Flags
    cosines: Floats
    lengths: Ints
    places: Ints
    words: Ints
    often: Ints

    @classmethod
    def of(cls, row: Sequence[bytes | None], asked: Sequence[str]) -> "Columns":
        """Return the one row of arms_sql.COLUMNS; of an empty scope it is NULL.

        `asked` are the words that are looked for, the first of them is 0 in `words`.
        """
        ids, moments, telling, same, cosines, sizes, codes = (part or b"" for part in row)
        lengths = _numbers(sizes, ">i4") // CODE
        return cls(
            ids,
            _numbers(moments, ">i8"),
            _numbers(telling, ">i8"),
            np.frombuffer(same, np.bool_),
            np.frombuffer(cosines, ">f8").astype(np.float64),
            lengths,
            *_counted(np.frombuffer(codes, f">u{CODE}").astype(np.uint32), lengths, asked),
        )

    def __len__(self) -> int:
        return len(self.moments)

    def named(self, places: Ints) -> list[str]:
        """Return ids as PostgreSQL reads them."""
        digits = self.ids.hex()
        return [digits[32 * place : 32 * place + 32] for place in places.tolist()]

    def first(self, keys: Floats | Ints, most: int, among: Flags | None = None) -> Ints:
        """Return the places of the `most` greatest keys, greatest first, equals by their id."""
        places = np.arange(len(keys)) if among is None else np.flatnonzero(among)
        if len(places) > most:  # to sort all of a large scope takes longer than to read it
            least = np.partition(keys[places], -most)[-most]
            places = places[keys[places] >= least]
        order = np.lexsort((*self._by_id(places), -keys[places]))
        return places[order[:most]]

    def beside(self) -> tuple[Ints, Ints]:
        """Return the places of what was told just before and just after each memory, −1: none."""
        before, after = np.full((2, len(self)), -1)
        told = np.flatnonzero(self.telling)
        order = told[np.lexsort((*self._by_id(told), self.moments[told], self.telling[told]))]
        one, next_one = order[:-1], order[1:]
        together = self.telling[one] == self.telling[next_one]
        before[next_one[together]] = one[together]
        after[one[together]] = next_one[together]
        return before, after

    def having(self, asked: int) -> Ints:
        """Return how many memories have each of the `asked` words."""
        return np.bincount(self.words, minlength=asked)

    def _by_id(self, places: Ints) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
        """Return sort keys, the last one first."""
        halves = np.frombuffer(self.ids, ">u8").reshape(-1, 2)[places]
        return halves[:, 1], halves[:, 0]


@dataclass(frozen=True, slots=True)
class Scales:
    """What each arm's scale is over a whole scope.

    `size` memories of `length` words on average; `rarest` the weight of a word that none has;
    `gap` what memories in the other script are lifted by; `familiar`: there are some in the
    question's own; `low` and `high`: the cosines that there are, lifted, None without any.
    """

    size: int
    length: float
    rarest: float
    gap: float
    familiar: bool
    low: float | None
    high: float | None

    @classmethod
    def of(cls, found: Columns, share: float = 1.0) -> "Scales":
        """Return the scales of a scope of which `found` is the `share`.

        Two texts in one script are nearer to each other than to the same text in another: a
        question in Chinese would find everything in Chinese first. So memories in the other script
        (Han or not) are lifted by the difference of the two means, in proportion as there are
        enough of them to have one. Measured on 60 memories told in both languages, R@10 of 40
        Chinese questions .50 → .90, the same in English .85 → .90; where one script is all there
        is, nothing changes.
        """
        known = ~np.isnan(found.cosines)
        near, far = found.cosines[found.same & known], found.cosines[~found.same & known]
        others = int((~found.same).sum())
        gap = 0.0
        if len(near) and len(far):
            gap = max(0.0, float(near.mean() - far.mean())) * others / (others + FEW * share)
        lifted = np.concatenate((near, far + gap))
        size = len(found) / share
        return cls(
            round(size),
            max(float(found.lengths.mean()), 1.0) if len(found) else 1.0,
            float(np.log(1 + (size + 0.5) / 0.5)),
            gap,
            bool(len(near)),
            float(lifted.min()) if len(lifted) else None,
            float(lifted.max()) if len(lifted) else None,
        )

    def reaching(self, found: Columns) -> "Scales":
        """Return the same scales, as wide as what was found besides wants them."""
        lifted = self.lifted(found)
        ends = [end for end in (self.low, self.high) if end is not None]
        ends += lifted[~np.isnan(lifted)].tolist()
        return replace(self, low=min(ends, default=None), high=max(ends, default=None))

    def lifted(self, found: Columns) -> Floats:
        """Return the cosines with what the script is lifted by; NaN stays."""
        return found.cosines + np.where(found.same, 0.0, self.gap)


def by_words(found: Columns, scales: Scales, having: Floats | Ints) -> tuple[Floats, float]:
    """Return each memory's BM25, and the most that the question's words could reach.

    `having` says how many of the scope have each word. Nobody says a word so often that it counts
    for more than (K1 + 1) · idf; one that no memory has counts as the rarest.
    """
    often = np.minimum(having, scales.size)
    idf = np.log(1 + (scales.size - often + 0.5) / (often + 0.5))
    length = found.lengths[found.places] / scales.length
    said = idf[found.words] * found.often * (K1 + 1)
    said /= found.often + K1 * (1 - B + B * length)
    bm25: Floats = np.bincount(found.places, said, len(found)).astype(np.float64)
    asked = np.where(often > 0, idf, scales.rarest).sum()
    return bm25, max((K1 + 1) * min(float(asked), ASKED * scales.rarest), 1e-9)


class Said(NamedTuple):
    """What the arms say of candidates, and of what was told before and after each, a column each.

    `coverage` is the share of what words could reach. NaN: no cosine, or nothing there beside.
    """

    moments: Floats
    bm25: Floats
    coverage: Floats
    cosine: Floats
    bm25_before: Floats
    cosine_before: Floats
    bm25_after: Floats
    cosine_after: Floats

    def at(self, places: Ints | Flags) -> "Said":
        return Said(*(column[places] for column in self))


def microseconds(moment: datetime) -> int:
    """Return a moment as PostgreSQL counts it: from the year 2000."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment_of(microseconds: float) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)


def _counted(
    codes: npt.NDArray[np.uint32], lengths: Ints, asked: Sequence[str]
) -> tuple[Ints, Ints, Ints]:
    """Return which memory has which asked word how often, as Columns has it.

    `codes` are all words of all memories, of which each has its `lengths`.
    """
    wanted = np.array([code(word) for word in asked], np.uint32)
    at = np.flatnonzero(np.isin(codes, wanted))
    order = np.argsort(wanted)
    words = order[np.searchsorted(wanted, codes[at], sorter=order)]
    places = np.searchsorted(np.cumsum(lengths), at, side="right")
    often = np.bincount(places * len(asked) + words)
    pairs = np.flatnonzero(often)
    return *np.divmod(pairs, max(len(asked), 1)), often[pairs]


def _numbers(column: bytes, kind: str) -> Ints:
    return np.frombuffer(column, kind).astype(np.int64)
