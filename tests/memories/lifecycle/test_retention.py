"""The forgetting curve says what the rules will do, and when (E5, J2)."""

from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.lifecycle.aging import fades, in_season
from memories.lifecycle.retention import Curve, curve, curve_of
from memories.models import Memory
from memories.permissions import Actor
from memories.policies import AgingPolicy, PolicyNumbers
from tests.memories.lifecycle.old import NOW, ago, old, recalled, unsaved
from tests.review.flags import opened

MINUTE = timedelta(minutes=1)
POLICY = PolicyNumbers()


def drawn(memory: Memory, **known: object) -> Curve:
    return curve(memory, POLICY, NOW, **known)  # type: ignore[arg-type]


@given(
    heat=st.floats(0, 1e6),
    days=st.floats(0, 1000),
    written=st.floats(0, 1000),
    half_life=st.floats(0.1, 3650),
    before=st.lists(st.floats(0, 500), max_size=5),
)
def test_it_names_the_moment_from_which_the_rule_is_true(
    heat: float, days: float, written: float, half_life: float, before: list[float]
) -> None:  # E5
    aging = AgingPolicy(half_life_days=half_life)
    recalls = [ago(one) for one in before]
    memory = unsaved(created_at=ago(written), heat=heat, last_recalled_at=ago(days))

    def goes(moment: datetime) -> bool:
        seasonal = in_season(recalls, aging, moment)
        return fades(memory, aging, moment, seasonal=seasonal, flagged=False)

    end = curve(memory, PolicyNumbers(aging=aging), NOW, recalls=recalls).archived_at
    if end is None:
        assert not goes(NOW + timedelta(days=36_000))
        return
    assert goes(end + MINUTE) or in_season(recalls, aging, end + MINUTE)
    # The job runs once a day: the curve is right to the day.
    day_before = end - timedelta(days=1) - MINUTE
    assert day_before < NOW or not goes(day_before)


def test_it_falls_from_the_last_recall_on() -> None:  # E5
    one = drawn(unsaved(heat=4.0, last_recalled_at=ago(30)))
    assert one.points[0] == (0.0, 4.0)
    assert (one.since, one.today, one.warmth, one.threshold) == (ago(30), 30.0, 2.0, 0.2)
    assert all(warm > cool and far > near for (near, warm), (far, cool) in pairwise(one.points))
    assert one.points[-1][0] > one.today


def test_it_names_the_day_on_which_it_is_archived() -> None:  # E5
    one = drawn(unsaved(heat=1.0, last_recalled_at=ago(10)))
    assert (one.archived_at, one.stays) == (ago(-80), "")


def test_a_warm_one_stays_until_it_is_cold() -> None:
    one = drawn(unsaved(heat=0.2 * 2**5, last_recalled_at=ago(10)))
    assert one.archived_at is not None
    assert abs(one.archived_at - ago(-140)) < MINUTE


def test_what_was_never_recalled_is_cold_all_along() -> None:
    one = drawn(unsaved(created_at=ago(20)))
    assert {warm for _day, warm in one.points} == {0.0}
    assert one.archived_at == ago(-70)


def test_what_is_due_goes_now() -> None:
    assert drawn(unsaved()).archived_at == NOW


@pytest.mark.parametrize(
    ("fields", "stays"),
    [
        ({"pinned": True}, "pinned"),
        ({"status": "archived"}, "not_in_use"),
        ({"status": "pending"}, "asked"),
        ({"withheld": True, "status": "pending"}, "not_in_use"),
    ],
)
def test_it_says_why_it_does_not_go(fields: dict[str, object], stays: str) -> None:
    one = drawn(unsaved(**fields))
    assert (one.archived_at, one.stays) == (None, stays)


def test_it_says_that_nothing_is_cold_enough() -> None:
    never = PolicyNumbers(aging=AgingPolicy(archive_below=0.0))
    assert curve(unsaved(), never, NOW).stays == "warm"
    long = PolicyNumbers(aging=AgingPolicy(half_life_days=3650, archive_below=1e-300))
    assert curve(unsaved(heat=1.0), long, NOW).stays == "warm"


def test_a_date_of_expiry_comes_first() -> None:  # E6
    one = drawn(unsaved(expires_at=ago(-3)))
    assert (one.archived_at, one.stays) == (ago(-3), "expires")


def test_a_weak_one_expires_before_it_fades() -> None:  # E6
    one = drawn(unsaved(confidence=0.4, created_at=ago(10)))
    assert (one.archived_at, one.stays) == (ago(-50), "expires")


def test_a_season_puts_it_off() -> None:  # E5
    one = drawn(unsaved(), recalls=[datetime(2025, 6, 15, tzinfo=NOW.tzinfo)])
    assert one.stays == "season"
    assert one.archived_at is not None
    assert NOW + timedelta(days=13) < one.archived_at <= NOW + timedelta(days=15)


def test_what_people_are_asked_about_waits() -> None:
    assert drawn(unsaved(), flags=["conflict"]).stays == "asked"
    assert drawn(unsaved(), flags=["clean_up"]).stays == "asked"
    weak = drawn(unsaved(confidence=0.4), flags=["clean_up"])
    assert (weak.archived_at, weak.stays) == (ago(-7), "expires")


@pytest.mark.django_db
def test_it_reads_what_the_database_knows(actor: Actor) -> None:
    memory = old(actor)
    recalled(memory, actor, datetime(2025, 6, 15, tzinfo=NOW.tzinfo))
    assert curve_of(memory, NOW).stays == "season"
    opened(actor, "feedback", "wrong", memory)
    assert curve_of(memory, NOW).stays == "asked"
