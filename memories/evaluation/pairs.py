"""How often the compare step is right about pairs of statements that people labelled."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from memories.embedding.client import embed
from memories.evaluation.files import rows
from memories.writing.compare import Statement, compare
from memories.writing.judge import thresholds_for


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements, whether they are what the task asks for, and their language ("x" = mixed)."""

    a: str
    b: str
    label: bool
    lang: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair and what the product made of it."""

    pair: Pair
    found: bool
    kind: str
    reason: str
    cosine: float


class Score(NamedTuple):
    """Counts of a binary task; a ratio without anything to count is 1."""

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int

    @property
    def precision(self) -> float:
        found = self.true_positive + self.false_positive
        return self.true_positive / found if found else 1.0

    @property
    def recall(self) -> float:
        wanted = self.true_positive + self.false_negative
        return self.true_positive / wanted if wanted else 1.0

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def read_pairs(path: Path) -> tuple[list[Pair], int]:
    """Return (pairs, number of rows left out because their label is neither 0 nor 1).

    Raises Invalid naming the line when a line is not a JSON object with texts a and b.
    """
    pairs, damaged = [], 0
    for row in rows(path, "a", "b"):
        if row.get("label") in (0, 1):
            pairs.append(Pair(row["a"], row["b"], bool(row["label"]), str(row.get("lang", "?"))))
        else:
            damaged += 1
    return pairs, damaged


def judge_pairs(pairs: Sequence[Pair], task: str) -> list[Judged]:
    """Compare b, as the newer statement, with a. Raises EmbedderDown."""
    first, second = embed([pair.a for pair in pairs]), embed([pair.b for pair in pairs])
    thresholds = thresholds_for(first.model)
    judged = []
    for pair, one, other in zip(pairs, first.vectors, second.vectors, strict=True):
        cosine = sum(x * y for x, y in zip(one, other, strict=True))
        verdict = compare(Statement(pair.b), Statement(pair.a), cosine, thresholds)
        judged.append(Judged(pair, verdict.kind == task, verdict.kind, verdict.reason, cosine))
    return judged


def scores(judged: Sequence[Judged]) -> dict[str, Score]:
    """Return a score a language, and one for ALL."""
    languages = sorted({item.pair.lang for item in judged})
    by_language = {
        lang: _score(item for item in judged if item.pair.lang == lang) for lang in languages
    }
    return by_language | {"ALL": _score(judged)}


def _score(judged: Iterable[Judged]) -> Score:
    outcomes = [(item.found, item.pair.label) for item in judged]
    return Score(
        true_positive=outcomes.count((True, True)),
        false_positive=outcomes.count((True, False)),
        false_negative=outcomes.count((False, True)),
        true_negative=outcomes.count((False, False)),
    )
