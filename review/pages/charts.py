"""Charts as plain geometry: numbers in, shapes out. Templates draw them, charts.css colours them.

Every box is as wide as it has units and stretched by the page (preserveAspectRatio="none"), so that
words beside it keep their size; shapes are named by series, never by colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, lgamma, log, log1p, sqrt

from review.rates import Rate

HEIGHT = 100.0
SLOT = 10.0
"""The height of a chart of columns, and the width of one of its slots."""
STEPS = 64
"""A curve is drawn through so many points evenly, and as many more around its peak."""

Part = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle of one series."""

    series: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Slot:
    """A place on the axis with its bars."""

    x: float
    bars: Sequence[Bar]


@dataclass(frozen=True, slots=True)
class Columns:
    """Slots side by side; the scale goes from 0 to `top`."""

    slots: Sequence[Slot]
    top: int
    width: float
    slot: float = SLOT
    height: float = HEIGHT


@dataclass(frozen=True, slots=True)
class Spread:
    """A share and where the true one lies, in percent of the width."""

    low: float
    share: float
    high: float

    @property
    def width(self) -> float:
        """How wide the interval is."""
        return round(self.high - self.low, 2)


def ceiling(most: int) -> int:
    """Return the first of 1, 2, 3, 4, 5, 6, 8, 10, 20, 30 … that is not less than `most`."""
    step = 1
    while True:
        for times in (1, 2, 3, 4, 5, 6, 8):
            if most <= step * times:
                return step * times
        step *= 10


def columns(slots: Sequence[Sequence[Sequence[Part]]]) -> Columns:
    """Return stacks of (series, count) side by side in slots, on one scale for all."""
    most = max((_sum(stack) for slot in slots for stack in slot), default=0)
    top = ceiling(most)
    drawn = [_slot(number * SLOT, slot, top) for number, slot in enumerate(slots)]
    return Columns(drawn, top, len(slots) * SLOT)


def rows(counts: Sequence[Sequence[Part]]) -> list[list[Bar]]:
    """Return one horizontal stack a row, in percent of the longest."""
    most = max((_sum(parts) for parts in counts), default=0) or 1
    return [_row(parts, most) for parts in counts]


def spread(rate: Rate) -> Spread:
    """Return a rate with its interval."""
    low, high = rate.interval
    return Spread(*(round(100 * value, 2) for value in (low, rate.share, high)))


def log_density(x: float, right: float, wrong: float) -> float:
    """Return ln of the density of Beta(right, wrong) at x, 0 < x < 1. Sound for any counts."""
    norm = lgamma(right + wrong) - lgamma(right) - lgamma(wrong)
    return norm + (right - 1) * log(x) + (wrong - 1) * log1p(-x)


def curves(*betas: tuple[float, float]) -> list[str]:
    """Return the densities of several Beta(right, wrong) as SVG paths over a box of 100 × 100.

    All on one scale, the highest peak at the top, so that each encloses the same area.
    """
    drawn = [[(x, log_density(x, *beta)) for x in _places(*beta)] for beta in betas]
    top = max(density for points in drawn for _x, density in points)
    return [_path([(x, exp(density - top)) for x, density in points]) for points in drawn]


def _places(right: float, wrong: float) -> list[float]:
    """Return where to look at a density: evenly, and closely around its mean."""
    total = right + wrong
    mean, deviation = right / total, sqrt(right * wrong / (total + 1)) / total
    even = ((n + 0.5) / STEPS for n in range(STEPS))
    near = (mean + 5 * deviation * (2 * n / STEPS - 1) for n in range(STEPS + 1))
    return sorted({x for x in (*even, *near) if 1e-6 < x < 1 - 1e-6})


def _path(points: Sequence[tuple[float, float]]) -> str:
    """Return a path through heights of 0–1, closed along the ground."""
    drawn = " ".join(f"L{100 * x:.2f} {HEIGHT * (1 - height):.2f}" for x, height in points)
    return f"M0 {HEIGHT:.0f} {drawn} L100 {HEIGHT:.0f} Z"


def _sum(parts: Sequence[Part]) -> int:
    return sum(count for _series, count in parts)


def _slot(left: float, stacks: Sequence[Sequence[Part]], top: int) -> Slot:
    """Draw the stacks of a slot; a fifth of it stays free."""
    width = 0.8 * SLOT / max(len(stacks), 1)
    bars = []
    for number, stack in enumerate(stacks):
        ground = HEIGHT
        for series, count in stack:
            height = HEIGHT * count / top
            ground -= height
            x, y = round(left + 0.1 * SLOT + number * width, 2), round(ground, 2)
            bars.append(Bar(series, x, y, round(width, 2), round(height, 2)))
    return Slot(left, [bar for bar in bars if bar.height])


def _row(parts: Sequence[Part], most: int) -> list[Bar]:
    bars, left = [], 0.0
    for series, count in parts:
        width = 100 * count / most
        bars.append(Bar(series, round(left, 2), 0.0, round(width, 2), 10.0))
        left += width
    return [bar for bar in bars if bar.width]
