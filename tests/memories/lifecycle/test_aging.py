"""The rules of age: exactly at their limits, whatever the clock says (E5, E6, E7)."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.lifecycle.aging import (
    fades,
    in_season,
    needed_at,
    questionable,
    seasons,
    spared,
    warmth_now,
    warned_until,
    weak,
)
from memories.models import Memory, MemoryVersion
from memories.policies import AgingPolicy
from tests.memories.lifecycle.old import NOW, ago, unsaved

POLICY = AgingPolicy()
DAYS = st.floats(min_value=-400, max_value=4000)
HALF_LIVES = st.floats(min_value=1e-6, max_value=3650)


def cold(memory: Memory, policy: AgingPolicy = POLICY, now: datetime = NOW) -> bool:
    return fades(memory, policy, now, seasonal=False, flagged=False)


@given(st.floats(min_value=0, max_value=1e6), DAYS, HALF_LIVES)
def test_it_only_cools(heat: float, days: float, half_life: float) -> None:  # E5
    memory = unsaved(heat=heat, last_recalled_at=ago(days))
    policy = AgingPolicy(half_life_days=half_life)
    now, later = warmth_now(memory, policy, NOW), warmth_now(memory, policy, NOW + timedelta(1))
    assert 0.0 <= later <= now <= heat


@given(st.floats(min_value=0.001, max_value=3650))
def test_it_halves_with_every_half_life(half_life: float) -> None:  # E5
    memory = unsaved(heat=8.0, last_recalled_at=ago(3 * half_life))
    left = warmth_now(memory, AgingPolicy(half_life_days=half_life), NOW)
    assert left == pytest.approx(1.0, rel=1e-3)


@given(DAYS, st.floats(min_value=0, max_value=100), HALF_LIVES, st.floats(0, 10))
def test_what_is_pinned_flagged_or_in_season_never_fades(
    days: float, heat: float, half_life: float, below: float
) -> None:  # E5
    policy = AgingPolicy(half_life_days=half_life, archive_below=below)
    memory = unsaved(heat=heat, last_recalled_at=ago(days))
    assert not fades(memory, policy, NOW, seasonal=True, flagged=False)
    assert not fades(memory, policy, NOW, seasonal=False, flagged=True)
    memory.pinned = True
    assert not cold(memory, policy)


@given(DAYS, st.floats(min_value=0, max_value=100))
def test_what_fades_now_fades_later(days: float, heat: float) -> None:
    memory = unsaved(heat=heat, last_recalled_at=ago(days))
    assert cold(memory) <= cold(memory, now=NOW + timedelta(days=1))


@pytest.mark.parametrize(("days", "goes"), [(89.999, False), (90.0, True), (90.001, True)])
def test_it_fades_from_the_day_of_the_policy_on(days: float, goes: bool) -> None:  # E5
    assert cold(unsaved(created_at=ago(days))) is goes
    assert cold(unsaved(last_recalled_at=ago(days))) is goes


def test_it_fades_below_the_threshold_and_not_at_it() -> None:  # E5
    memory = unsaved(heat=0.2 * 2**4, last_recalled_at=ago(120))
    assert warmth_now(memory, POLICY, NOW) == pytest.approx(0.2)
    assert cold(memory, POLICY.model_copy(update={"archive_below": 0.2001}))
    assert not cold(memory, POLICY.model_copy(update={"archive_below": 0.1999}))
    memory.heat = 0.0
    assert not cold(memory, AgingPolicy(archive_below=0.0))


def test_a_moment_to_come_counts_as_now() -> None:
    memory = unsaved(created_at=ago(-3), heat=1.0, last_recalled_at=ago(-2))
    assert warmth_now(memory, POLICY, NOW) == 1.0
    assert not cold(memory, POLICY.model_copy(update={"archive_below": 1000.0}))


@pytest.mark.parametrize("half_life", [1e-9, 3650.0])
def test_it_knows_the_shortest_and_the_longest_half_life(half_life: float) -> None:
    memory = unsaved(heat=1.0, last_recalled_at=ago(100))
    left = warmth_now(memory, AgingPolicy(half_life_days=half_life), NOW)
    assert left == pytest.approx(0.0 if half_life < 1 else 0.98, abs=0.01)


def test_a_change_is_a_sign_that_it_is_needed() -> None:
    changed = unsaved(updated_at=ago(10), last_recalled_at=ago(150))
    assert needed_at(changed) == ago(10)
    assert not cold(changed)


def test_a_warning_is_none() -> None:
    warned = unsaved(updated_at=ago(1), expires_at=ago(-6), last_recalled_at=ago(150))
    assert needed_at(warned) == ago(150)


@pytest.mark.parametrize("status", ["pending", "superseded", "overturned", "archived", "deleted"])
def test_only_what_is_active_ages(status: str) -> None:
    memory = unsaved(status=status, confidence=0.1)
    assert not cold(memory)
    assert warned_until(memory, POLICY, NOW) is None
    assert not questionable(memory, POLICY, NOW, flagged=False)


def test_what_is_withheld_does_not_age() -> None:  # F2
    assert not cold(unsaved(withheld=True))


def test_what_has_a_date_of_expiry_keeps_to_it() -> None:  # E6
    assert not cold(unsaved(expires_at=ago(-3)))


@pytest.mark.parametrize(
    ("change", "expires"),
    [
        ({}, True),
        ({"confidence": 0.5}, False),
        ({"recall_count": 2}, False),
        ({"recall_count": 1}, True),
        ({"confirmed_at": ago(100)}, False),
    ],
)
def test_it_expires_when_hardly_believed_and_hardly_used(
    change: dict[str, object], expires: bool
) -> None:  # E6
    assert weak(unsaved(**{"confidence": 0.4} | change), POLICY) is expires


@pytest.mark.parametrize(("days", "until"), [(52.9, None), (53.0, ago(-7)), (59.0, ago(-7))])
def test_it_warns_so_many_days_before(days: float, until: datetime | None) -> None:  # E6
    # Whoever is late with the warning does not shorten it.
    assert warned_until(unsaved(confidence=0.4, created_at=ago(days)), POLICY, NOW) == until


@pytest.mark.parametrize("days", [53.0, 60.0, 500.0])
def test_nobody_is_warned_of_less_than_the_policy_says(days: float) -> None:  # E6
    memory = unsaved(confidence=0.4, created_at=ago(days))
    until = warned_until(memory, POLICY, NOW)
    assert until is not None
    assert until - NOW >= timedelta(days=7)


def warning(kind: str = "system", number: int = 1) -> MemoryVersion:
    return MemoryVersion(number=number, actor_kind=kind, created_at=ago(5))


def dated(**fields: object) -> Memory:
    return unsaved(**{"confidence": 0.4, "expires_at": ago(-2)} | fields)


def test_a_warning_is_lifted_by_what_is_needed_since() -> None:  # E6
    assert spared(dated(last_recalled_at=ago(4)), warning(), POLICY)
    assert spared(dated(version=2), warning(), POLICY)
    assert spared(dated(pinned=True), warning(), POLICY)
    assert not spared(dated(last_recalled_at=ago(6)), warning(), POLICY)


def test_a_warning_goes_with_its_reason_and_a_given_date_stays() -> None:  # E6
    believed = dated(confidence=0.9)
    assert spared(believed, warning("system"), POLICY)
    assert not spared(believed, warning("user"), POLICY)


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        ({}, True),
        ({"confidence": 0.5}, False),
        ({"created_at": ago(29.9)}, False),
        ({"last_recalled_at": ago(29.9)}, False),
        ({"last_recalled_at": ago(30)}, True),
        ({"pinned": True}, False),
        ({"confirmed_at": ago(50)}, False),
    ],
)
def test_it_asks_about_what_is_weak_and_unused(
    change: dict[str, object], asked: bool
) -> None:  # E7
    memory = unsaved(**{"confidence": 0.4} | change)
    assert questionable(memory, POLICY, NOW, flagged=False) is asked
    assert not questionable(memory, POLICY, NOW, flagged=True)


@pytest.mark.parametrize(
    ("recall", "spares"),
    [
        (datetime(2025, 6, 15, 12, tzinfo=UTC), True),
        (datetime(2025, 6, 29, 12, tzinfo=UTC), True),
        (datetime(2025, 6, 29, 13, tzinfo=UTC), False),
        (datetime(2025, 6, 1, 12, tzinfo=UTC), True),
        (datetime(2025, 6, 1, 11, tzinfo=UTC), False),
        (datetime(2026, 3, 15, 12, tzinfo=UTC), True),
        (datetime(2026, 3, 1, 11, tzinfo=UTC), False),
        (datetime(2024, 6, 15, 12, tzinfo=UTC), False),
    ],
)
def test_it_is_spared_by_a_recall_at_this_time_of_last_year_or_quarter(
    recall: datetime, spares: bool
) -> None:  # E5
    assert in_season([recall], POLICY, NOW) is spares


def test_a_leap_day_has_a_season() -> None:
    since, until = seasons(datetime(2028, 2, 29, 8, tzinfo=UTC), 0.0)[1]
    assert since == until == datetime(2027, 2, 28, 8, tzinfo=UTC)


def test_a_quarter_before_a_long_month_ends_with_the_short_one() -> None:
    since, _until = seasons(datetime(2026, 5, 31, tzinfo=UTC), 0.0)[0]
    assert since == datetime(2026, 2, 28, tzinfo=UTC)


@given(st.integers(-20_000, 2_000_000))
def test_every_day_has_its_seasons(days: int) -> None:
    now = NOW + timedelta(days=days)
    (quarter, _), (year, _end) = seasons(now, 0.0)
    assert 89 <= (now - quarter).days <= 92
    assert 365 <= (now - year).days <= 366
