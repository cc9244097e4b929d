"""How long things took: percentiles, in milliseconds. Needs nothing but Python."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles
from time import perf_counter
from typing import Self


@dataclass(frozen=True, slots=True)
class Spread:
    """What half, 95% and 99% of the calls stayed within, in milliseconds."""

    p50: float
    p95: float
    p99: float

    @classmethod
    def of(cls, took: Sequence[float]) -> Self:
        """Return the percentiles of at least one duration in milliseconds."""
        if len(took) < 2:
            return cls(took[0], took[0], took[0])
        cuts = quantiles(took, n=100, method="inclusive")
        return cls(*(round(cuts[share - 1], 3) for share in (50, 95, 99)))


def since(began: float) -> float:
    """Return the milliseconds since a perf_counter()."""
    return (perf_counter() - began) * 1000
