"""How often people accept: what a decision says, counted, with how far the count can be trusted."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memories.rates import wilson

FEW = 5
"""A rate of fewer decisions says little and is shown so."""

Outcome = Literal["accepted", "rejected", "other"]

_OUTCOMES: Mapping[str, Outcome] = {
    "keep_new": "accepted",
    "approve": "accepted",
    "edit_approve": "accepted",
    "both_true": "accepted",
    "merge": "accepted",
    "keep": "accepted",
    "different": "accepted",
    "reject": "rejected",
    "keep_old": "rejected",
    "archive": "other",
}


@dataclass(frozen=True, slots=True)
class Rate:
    """How often people accepted (see outcome_of()); `other` are decisions that say neither."""

    accepted: int = 0
    rejected: int = 0
    other: int = 0

    @property
    def count(self) -> int:
        """How many decisions the rate stands on."""
        return self.accepted + self.rejected

    @property
    def share(self) -> float:
        """The accepted share, 0-1; 0 of none."""
        return self.accepted / self.count if self.count else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Between what shares the true one lies, with 95% confidence."""
        return wilson(self.accepted, self.count)

    @property
    def few(self) -> bool:
        """Whether it stands on too little to be called a rate."""
        return self.count < FEW


def outcome_of(choice: str, lessons: Mapping[str, list[int]]) -> Outcome:
    """Return what a decision says of the memory that its flag was opened for.

    Accepted: keep_new, approve, edit_approve, both_true, merge, keep, different. Rejected: reject,
    keep_old. Neither: archive, for what was true once. Of a choice that none of these names, its
    lessons tell: rejected when it found a writer wrong, accepted when it only upheld, else neither.
    """
    if known := _OUTCOMES.get(choice):
        return known
    if any(refuted for _upheld, refuted in lessons.values()):
        return "rejected"
    return "accepted" if any(upheld for upheld, _refuted in lessons.values()) else "other"


def rate_of(rows: Iterable[Mapping[str, Any]]) -> Rate:
    """Return the rate of counted decisions: rows of `choice`, `lessons` and how many, `n`."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts[outcome_of(row["choice"], row["lessons"])] += row["n"]
    return Rate(**counts)
