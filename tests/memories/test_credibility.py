"""A writer's credibility, what it does to a score, and what presses most: pure functions (F4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.policies import Credibility, credibility, credit, priority

COUNTS = st.integers(0, 100_000)
POLICIES = st.builds(
    Credibility,
    prior_right=st.floats(0.1, 100),
    prior_wrong=st.floats(0.1, 100),
    least=st.floats(0, 1),
)
SHARES = st.floats(0, 1)


def test_a_writer_begins_where_the_policy_says() -> None:
    assert credibility(0, 0, Credibility()) == pytest.approx(0.8)
    assert credibility(2, 8, Credibility()) == pytest.approx(10 / 20)


@given(policy=POLICIES)
def test_nobody_loses_for_not_being_judged(policy: Credibility) -> None:
    assert credit(0, 0, policy) == 1.0


@given(upheld=COUNTS, refuted=COUNTS, policy=POLICIES)
def test_the_factor_stays_between_the_least_and_one(
    upheld: int, refuted: int, policy: Credibility
) -> None:
    assert 0.0 < credibility(upheld, refuted, policy) < 1.0
    assert policy.least <= credit(upheld, refuted, policy) <= 1.0


@given(upheld=COUNTS, refuted=COUNTS, more=st.integers(1, 1_000), policy=POLICIES)
def test_it_rises_with_what_is_upheld_and_falls_with_what_is_found_wrong(
    upheld: int, refuted: int, more: int, policy: Credibility
) -> None:
    now = credibility(upheld, refuted, policy)
    assert credibility(upheld + more, refuted, policy) > now
    assert credibility(upheld, refuted + more, policy) < now
    factor = credit(upheld, refuted, policy)
    assert credit(upheld + more, refuted, policy) >= factor
    assert credit(upheld, refuted + more, policy) <= factor


def test_whoever_is_always_wrong_keeps_the_least() -> None:
    assert credit(0, 10**9, Credibility()) == pytest.approx(0.6, abs=1e-6)


@given(upheld=COUNTS)
def test_being_upheld_outranks_nothing(upheld: int) -> None:
    assert credit(upheld, 0, Credibility()) == 1.0


@given(
    risk=SHARES,
    recalls=st.integers(-1, 10**9),
    days=st.floats(-10, 100_000),
    more=st.floats(0, 1_000),
)
def test_priority_never_falls_with_risk_recalls_or_age(
    risk: float, recalls: int, days: float, more: float
) -> None:
    now = priority(risk, recalls, days)
    assert now >= 0.0
    assert priority(min(1.0, risk + more), recalls, days) >= now
    assert priority(risk, recalls + int(more), days) >= now
    assert priority(risk, recalls, days + more) >= now


@pytest.mark.parametrize(("recalls", "days"), [(0, 0.0), (-5, -1.0)])
def test_priority_is_the_risk_alone_for_what_is_new_and_never_recalled(
    recalls: int, days: float
) -> None:
    assert priority(0.4, recalls, days) == pytest.approx(0.4)
