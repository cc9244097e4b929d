"""The numbers of the queue, against a small history counted by hand."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.identity import actor_for_user
from memories.models import Agent, Membership, Space
from memories.permissions import Actor
from memories.rates import wilson
from review.numbers import Day, Numbers, Wait, numbers_of
from review.rates import Rate, outcome_of
from tests.review.made import decided, opened, undo

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture(autouse=True)
def _now() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


def of_day(numbers: Numbers, day: date) -> Day:
    return next(one for one in numbers.days if one.day == day)


def test_it_counts_what_waits_by_kind_and_age(space: Space, person: Actor) -> None:
    for days in (0, 0, 1, 6, 7, 29, 30, 400):
        opened(space, NOW - days * DAY)
    opened(space, NOW, kind="pending", reason="low_confidence")
    decided(opened(space, NOW - DAY), HOUR)
    conflicts, pending = numbers_of(person).backlog
    assert (conflicts.kind, conflicts.ages, conflicts.total) == ("conflict", (2, 2, 2, 2), 8)
    assert (pending.kind, pending.ages) == ("pending", (1, 0, 0, 0))
    assert numbers_of(person).open == 9


def test_it_names_the_oldest_open_item(space: Space, person: Actor) -> None:
    assert numbers_of(person).oldest is None
    decided(opened(space, NOW - 9 * DAY), HOUR)
    old = opened(space, NOW - 8 * DAY)
    opened(space, NOW)
    oldest = numbers_of(person).oldest
    assert oldest is not None
    assert (oldest.id, oldest.created_at) == (old.pk, old.created_at)


def test_it_counts_what_is_put_off_or_assigned(space: Space, person: Actor, reviewer: User) -> None:
    opened(space, NOW, snoozed_until=NOW + HOUR)
    opened(space, NOW, snoozed_until=NOW - HOUR)
    opened(space, NOW, assignee=reviewer, kind="pending")
    numbers = numbers_of(person)
    assert (numbers.snoozed, numbers.assigned) == (1, 1)


def test_it_counts_each_day(space: Space, person: Actor) -> None:
    first = opened(space, NOW - 2 * DAY)
    second = opened(space, NOW - 2 * DAY)
    decided(first, HOUR)
    decided(second, DAY, automatic=True, user_name="always new")
    numbers = numbers_of(person, 7)
    assert [one.day for one in numbers.days] == [date(2026, 6, 24 + n) for n in range(7)]
    assert of_day(numbers, date(2026, 6, 28)) == Day(date(2026, 6, 28), 2, 1, 0)
    assert of_day(numbers, date(2026, 6, 29)) == Day(date(2026, 6, 29), 0, 1, 1)
    assert of_day(numbers, date(2026, 6, 30)) == Day(date(2026, 6, 30))


def test_it_counts_in_the_days_of_the_viewer(space: Space, person: Actor) -> None:
    opened(space, datetime(2026, 6, 27, 16, 30, tzinfo=UTC))  # 00:30 on the 28th in Shanghai
    with timezone.override("Asia/Shanghai"):
        there = numbers_of(person, 3)
    assert there.days[0] == Day(date(2026, 6, 28), 1)
    assert there.backlog[0].ages == (0, 1, 0, 0)
    assert all(one.opened == 0 for one in numbers_of(person, 3).days)


def test_a_day_that_clocks_change_is_one_day(space: Space, person: Actor) -> None:
    opened(space, datetime(2026, 3, 28, 23, 30, tzinfo=UTC))  # 00:30, half an hour before the day
    opened(space, datetime(2026, 3, 29, 21, 30, tzinfo=UTC))  # of 23 hours ends in Berlin
    with timezone.override("Europe/Berlin"), time_machine.travel(NOW - 90 * DAY, tick=False):
        assert of_day(numbers_of(person, 7), date(2026, 3, 29)).opened == 2


def test_it_tells_how_long_items_waited_for_a_person(space: Space, person: Actor) -> None:
    for hours in range(1, 11):
        decided(opened(space, NOW - DAY), hours * HOUR)
    decided(opened(space, NOW - DAY, kind="pending"), 20 * HOUR, "approve")
    decided(opened(space, NOW - DAY), timedelta(0), automatic=True, user_name="always new")
    numbers = numbers_of(person)
    assert numbers.waits["conflict"] == Wait(10, 5.5 * HOUR, 9.1 * HOUR)
    assert numbers.waits["pending"] == Wait(1, 20 * HOUR, 20 * HOUR)
    assert numbers.wait.count == 11
    assert numbers.wait.median == 6 * HOUR


def test_it_tells_how_often_people_accept_an_agents_memories(
    space: Space, person: Actor, agent: Agent
) -> None:
    for choice in ("keep_new", "approve", "reject", "archive"):
        decided(opened(space, NOW - DAY, agent=agent), HOUR, choice)
    decided(opened(space, NOW - DAY, agent=agent), HOUR, automatic=True, user_name="a rule")
    undo(decided(opened(space, NOW - DAY, agent=agent), HOUR))
    decided(opened(space, NOW - DAY), HOUR, "keep_old")
    assert numbers_of(person).by_agent == {
        (agent.pk, "coder"): Rate(2, 1, 1),
        (None, ""): Rate(0, 1, 0),
    }


def test_it_tells_how_often_people_accept_by_why_it_was_flagged(
    space: Space, person: Actor
) -> None:
    decided(opened(space, NOW - DAY, reason="number"), HOUR)
    decided(opened(space, NOW - DAY, reason="number"), HOUR)
    decided(opened(space, NOW - DAY, reason="negation"), HOUR, "reject")
    assert numbers_of(person).by_reason == {
        ("conflict", "number"): Rate(2),
        ("conflict", "negation"): Rate(0, 1),
    }


def test_it_tells_who_decided_and_what_was_undone(space: Space, person: Actor) -> None:
    for name in ("rui", "rui", "ana"):
        decided(opened(space, NOW - DAY), HOUR, user_name=name)
    undo(decided(opened(space, NOW - DAY), HOUR, automatic=True, user_name="always new"))
    numbers = numbers_of(person)
    assert [(one.name, one.made, one.undone) for one in numbers.people] == [
        ("rui", 2, 0),
        ("ana", 1, 0),
    ]
    (rule,) = numbers.rules
    assert (rule.name, rule.kept) == ("always new", Rate(0, 1))
    assert (numbers.made, numbers.undone, numbers.decided, numbers.automatic) == (4, 1, 3, 0)


def test_it_leaves_out_what_lies_before_the_period(space: Space, person: Actor) -> None:
    decided(opened(space, NOW - 7 * DAY), HOUR)
    assert numbers_of(person, 7).made == 0
    assert numbers_of(person, 8).made == 1


def test_it_counts_nothing_of_another_space(person: Actor) -> None:  # D1
    elsewhere = Space.objects.create(slug="other", name="Other")
    before = numbers_of(person)
    opened(elsewhere, NOW)
    decided(opened(elsewhere, NOW - DAY), HOUR)
    assert numbers_of(person) == before


def test_it_counts_nothing_private_for_a_viewer(
    space: Space, person: Actor, reviewer: User, agent: Agent
) -> None:  # D2
    opened(space, NOW, agent=agent, visibility="private")
    assert numbers_of(person).open == 1
    Membership.objects.update(role="viewer")
    viewer = actor_for_user(reviewer)
    assert viewer is not None
    assert numbers_of(viewer).open == 0


def test_it_asks_eight_times_however_much_there_is(
    space: Space, person: Actor, agent: Agent, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for days in range(9):
        decided(opened(space, NOW - days * DAY, agent=agent), HOUR)
        opened(space, NOW - days * DAY, kind="pending")
    with django_assert_num_queries(8):
        numbers_of(person, 90)


@pytest.mark.parametrize(
    ("lessons", "outcome"),
    [({}, "other"), ({"a": [1, 0]}, "accepted"), ({"a": [1, 0], "b": [0, 1]}, "rejected")],
)
def test_it_takes_the_lessons_for_a_choice_it_does_not_know(
    lessons: dict[str, list[int]], outcome: str
) -> None:
    assert outcome_of("a_later_one", lessons) == outcome


def test_one_of_one_is_not_certain() -> None:
    low, high = Rate(1).interval
    assert low == pytest.approx(0.2065, abs=1e-4)  # Wilson's, for 1 of 1
    assert high == pytest.approx(1.0)
    assert Rate(1).few
    assert not Rate(3, 2).few


@given(count=st.integers(1, 10_000), share=st.floats(0, 1))
def test_the_interval_lies_around_the_share(count: int, share: float) -> None:
    hits = round(share * count)
    low, high = wilson(hits, count)
    assert 0.0 <= low <= hits / count + 1e-9
    assert hits / count - 1e-9 <= high <= 1.0
