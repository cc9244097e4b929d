"""The geometry of charts."""

from itertools import pairwise
from math import exp, isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review.pages.charts import HEIGHT, SLOT, ceiling, columns, curves, log_density, rows, spread
from review.rates import Rate

SIDES = st.floats(0.1, 1e7)


def points(path: str) -> list[tuple[float, float]]:
    """The corners of a path between its two ends on the ground."""
    corners = [one.split() for one in path.replace("M", "").replace("Z", "").split("L")]
    return [(float(x), float(y)) for x, y in corners]


@pytest.mark.parametrize(
    ("most", "top"), [(0, 1), (1, 1), (3, 3), (7, 8), (9, 10), (26, 30), (99, 100), (101, 200)]
)
def test_the_scale_ends_on_a_round_number(most: int, top: int) -> None:
    assert ceiling(most) == top


def test_columns_stand_side_by_side_and_parts_on_one_another() -> None:
    chart = columns([[[("opened", 4)], [("people", 2), ("automatic", 1)]], [[("opened", 0)], []]])
    first, second = chart.slots
    opened, people, automatic = first.bars
    assert (chart.top, chart.width) == (4, 2 * SLOT)
    assert (opened.height, opened.y) == (HEIGHT, 0.0)
    assert (people.height, people.y + people.height) == (50.0, HEIGHT)
    assert automatic.y + automatic.height == people.y
    assert opened.x + opened.width == people.x
    assert second.bars == []


def test_rows_are_as_long_as_they_count() -> None:
    long, short, none = rows([[("today", 3), ("older", 1)], [("today", 0), ("older", 2)], []])
    assert [(bar.series, bar.x, bar.width) for bar in long] == [
        ("today", 0.0, 75.0),
        ("older", 75.0, 25.0),
    ]
    assert [(bar.series, bar.x, bar.width) for bar in short] == [("older", 0.0, 50.0)]
    assert none == []


@given(accepted=st.integers(0, 10_000), rejected=st.integers(0, 10_000))
def test_a_share_lies_in_its_interval(accepted: int, rejected: int) -> None:
    drawn = spread(Rate(accepted, rejected))
    assert 0.0 <= drawn.low <= drawn.share <= drawn.high <= 100.0
    assert drawn.width >= 0.0


@pytest.mark.parametrize("beta", [(1.0, 1.0), (8.0, 2.0), (300.0, 50.0), (4_000.0, 90.0)])
def test_a_density_encloses_one(beta: tuple[float, float]) -> None:
    steps = 40_000
    area = sum(exp(log_density((n + 0.5) / steps, *beta)) for n in range(steps)) / steps
    assert area == pytest.approx(1.0, abs=1e-4)


@given(right=SIDES, wrong=SIDES)
def test_a_curve_is_sound_for_any_counts(right: float, wrong: float) -> None:
    now, prior = (points(path) for path in curves((right, wrong), (8.0, 2.0)))
    for corners in (now, prior):
        assert all(isfinite(x) and isfinite(y) for x, y in corners)
        assert all(0.0 <= x <= 100.0 and 0.0 <= y <= HEIGHT for x, y in corners)
        assert all(before[0] <= after[0] for before, after in pairwise(corners))
    assert min(y for _x, y in (*now, *prior)) == 0.0


def test_a_curve_finds_a_peak_narrower_than_its_steps() -> None:
    (path,) = curves((80_000.0, 20_000.0))
    peak = min(points(path), key=lambda corner: corner[1])
    assert peak == pytest.approx((80.0, 0.0), abs=0.1)
