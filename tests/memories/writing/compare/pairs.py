"""The written pairs: {lang, kind, expect, old, new, cosine}.

``expect`` is conflict, duplicate, distinct, or compatible (anything but a conflict). ``cosine`` was
computed once with multilingual-e5-small, "query: " on both sides. ``held_out.jsonl`` was written
before the rules and is never looked at while changing them.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memories.writing.compare import Statement, Thresholds, Verdict, compare

E5_SMALL = Thresholds(conflict_gate=0.86, duplicate=0.93, cross_duplicate=0.82)


@dataclass(frozen=True)
class Pair:
    lang: str
    kind: str
    expect: str
    old: str
    new: str
    cosine: float

    def judged(self) -> Verdict:
        return compare(Statement(self.new), Statement(self.old), self.cosine, E5_SMALL)


@cache
def load(name: str) -> tuple[Pair, ...]:
    lines = (Path(__file__).parent / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(Pair(**json.loads(line)) for line in lines)


def figures(pairs: list[Pair], kind: str) -> tuple[float, float]:
    """Precision and recall of one kind of verdict."""
    judged = [(pair.expect == kind, pair.judged().kind == kind) for pair in pairs]
    right = sum(1 for expected, found in judged if expected and found)
    found = sum(1 for _, found in judged if found)
    expected = sum(1 for expected, _ in judged if expected)
    return right / max(found, 1), right / max(expected, 1)
