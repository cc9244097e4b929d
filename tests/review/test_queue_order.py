"""The order of the queue: what presses most comes first, and pages of it hold still (G)."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.http import QueryDict
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memories.identity import actor_for_user
from memories.models import Flag, Memory, Policy, Space
from memories.models.ids import new_id
from memories.ordering import Order, number, written
from memories.pages.paging import moment_of, page_of
from memories.permissions import Actor
from memories.policies import priority
from review.claims import claim
from review.filters import QueueFilter
from review.kinds import KINDS
from review.queue import beside, counts_of, next_after, order_of, waiting
from tests.people import member
from tests.review.rows import flagged

pytestmark = pytest.mark.django_db
EVERY = QueueFilter()


def recalled(memory: Memory | None, times: int) -> None:
    assert memory is not None
    Memory.objects.filter(pk=memory.pk).update(recall_count=times)


def aged(flag: Flag, days: float) -> Flag:
    Flag.objects.filter(pk=flag.pk).update(created_at=timezone.now() - timedelta(days=days))
    flag.refresh_from_db()
    return flag


def pressing_of(actor: Actor, now: datetime) -> float:
    """Return the priority of the only flag."""
    (found,) = waiting(actor, EVERY, now)
    value: float = vars(found)["pressing"]
    return value


def ids(actor: Actor, chosen: QueueFilter = EVERY) -> list[UUID]:
    return [flag.pk for flag in waiting(actor, chosen)]


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize(("recalls", "days"), [(0, 0.0), (1, 0.5), (4000, 59.25)])
def test_it_reckons_in_sql_as_in_python(
    actor: Actor, person: Actor, kind: str, recalls: int, days: float
) -> None:
    flag = aged(flagged(actor, "New.", against="Old.", kind=kind), days)
    recalled(flag.memory, recalls)
    recalled(flag.counterpart, 7)
    now = timezone.now()
    found = pressing_of(person, now)
    age = (now - flag.created_at).total_seconds() / 86_400
    assert found == pytest.approx(priority(KINDS[kind].risk, recalls + 7, age), rel=1e-9)


def test_it_takes_the_risks_of_the_space(actor: Actor, person: Actor, space: Space) -> None:
    Policy.objects.create(space=space, numbers={"review": {"risks": {"pending": 1.0}}})
    flag = aged(flagged(actor, "New."), 2.0)
    now = timezone.now()
    found = pressing_of(person, now)
    age = (now - flag.created_at).total_seconds() / 86_400
    assert found == pytest.approx(priority(1.0, 0, age), rel=1e-9)


def test_it_is_never_younger_than_new(actor: Actor, person: Actor) -> None:
    flag = aged(flagged(actor, "New."), -3.0)
    found = pressing_of(person, timezone.now())
    assert found == pytest.approx(KINDS[flag.kind].risk)


def test_it_puts_first_what_presses_most(actor: Actor, person: Actor) -> None:
    calm, asked, old = (flagged(actor, text) for text in ("Calm.", "Asked.", "Old."))
    recalled(asked.memory, 1000)
    aged(old, 30)
    assert ids(person) == [asked.pk, old.pk, calm.pk]
    assert ids(person, QueueFilter(sort="oldest")) == [calm.pk, asked.pk, old.pk]
    assert ids(person, QueueFilter(sort="newest")) == [old.pk, asked.pk, calm.pk]


def test_it_lists_the_newest_decision_first(actor: Actor, person: Actor) -> None:
    first, second = (flagged(actor, text) for text in ("One.", "Two."))
    for flag, minutes in ((second, 5), (first, 1)):
        when = timezone.now() - timedelta(minutes=minutes)
        Flag.objects.filter(pk=flag.pk).update(
            status="resolved", resolution="approve", resolved_at=when
        )
    assert ids(person, QueueFilter(state="decided")) == [first.pk, second.pk]
    assert ids(person) == []


def test_its_pages_hold_still_while_time_passes(actor: Actor, person: Actor) -> None:
    made = [aged(flagged(actor, f"Number {n}."), days=n / 7) for n in range(7)]
    order, query, pages = order_of(EVERY), QueryDict(""), []
    for day in range(4):
        # Each look is a day later: reckoned anew, everything would have moved.
        at = moment_of(query) or timezone.now() + timedelta(days=day)
        page = page_of(waiting(person, EVERY, at), query, 3, order, at)
        pages.append([flag.pk for flag in page.rows])
        query = QueryDict(page.older or page.newer)
    expected = [flag.pk for flag in reversed(made)]
    assert pages == [expected[:3], expected[3:6], expected[6:], expected[3:6]]


def test_it_cuts_pages_between_equals(actor: Actor, person: Actor) -> None:
    for n in range(5):
        flagged(actor, f"Number {n}.")
    at = timezone.now()
    Flag.objects.update(created_at=at)
    order, query, seen = order_of(EVERY), QueryDict(""), []
    for _page in range(3):
        page = page_of(waiting(person, EVERY, at), query, 2, order, at)
        seen += [flag.pk for flag in page.rows]
        query = QueryDict(page.older)
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == 5


@pytest.mark.parametrize(
    "cursor", ["", "x", "nan~{id}", "inf~{id}", "1.5", "1.5~x", "1.5~{id}~1", "~", "{id}"]
)
def test_it_takes_a_broken_cursor_for_none(cursor: str) -> None:
    order = Order((("pressing", number), ("pk", UUID)))
    assert order.read(cursor.format(id=new_id())) is None


def test_it_reads_a_cursor_exactly_as_it_wrote_it() -> None:
    order, key = Order((("pressing", number), ("pk", UUID))), (0.1 + 0.2, new_id())
    assert order.read(written(key)) == key


def test_it_knows_what_is_beside_a_flag(actor: Actor, person: Actor) -> None:
    low, middle, high = (aged(flagged(actor, f"{n}."), days=n) for n in (1, 5, 20))
    assert beside(person, EVERY, middle) == (high.pk, low.pk)
    assert beside(person, EVERY, high) == (None, middle.pk)
    assert beside(person, EVERY, low) == (middle.pk, None)
    assert beside(person, QueueFilter(sort="newest"), middle) == (high.pk, low.pk)
    assert beside(person, QueueFilter(kind="conflict"), middle) == (None, None)


def test_it_goes_on_after_a_flag_that_is_decided(actor: Actor, person: Actor) -> None:
    low, middle, high = (aged(flagged(actor, f"{n}."), days=n) for n in (1, 5, 20))
    Flag.objects.filter(pk=middle.pk).update(
        status="resolved", resolution="approve", resolved_at=timezone.now()
    )
    assert next_after(person, EVERY, middle) == low.pk
    assert next_after(person, EVERY, low) == high.pk


def test_it_leaves_out_what_others_look_at(actor: Actor, person: Actor, space: Space) -> None:
    low, middle, high = (aged(flagged(actor, f"{n}."), days=n) for n in (1, 5, 20))
    claim(actor=person, flag=middle)
    ada = actor_for_user(member(space, "ada"))
    assert ada is not None
    assert beside(ada, EVERY, high) == (None, low.pk)
    assert beside(person, EVERY, high) == (None, middle.pk)


def test_it_counts_each_kind_in_one_query(
    actor: Actor, person: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    flagged(actor, "One.")
    flagged(actor, "Two.", kind="quarantine")
    asleep = flagged(actor, "Three.", kind="quarantine")
    Flag.objects.filter(pk=asleep.pk).update(snoozed_until=timezone.now() + timedelta(days=1))
    with django_assert_num_queries(1):
        counted = counts_of(person, EVERY)
    assert counted.kinds == dict.fromkeys(KINDS, 0) | {"pending": 1, "quarantine": 1}
    assert (counted.all, counted.snoozed) == (2, 1)


def test_it_counts_under_the_filter(actor: Actor, person: Actor) -> None:
    flagged(actor, "Deploy on Tuesday.")
    flagged(actor, "Lunch is at noon.")
    assert counts_of(person, QueueFilter(text="deploy", kind="conflict")).kinds["pending"] == 1


def test_it_counts_nothing_of_another_space(stranger: Actor, person: Actor) -> None:  # D1
    flagged(stranger, "The vault code is 7731.")
    assert counts_of(person, EVERY).all == 0
    assert ids(person) == []


def test_it_counts_nothing_private_for_a_viewer(actor: Actor, space: Space) -> None:  # D1
    flagged(actor, "The vault code is 7731.", visibility="private")
    flagged(actor, "Anyone may know.", against="Not this.")
    viewer = actor_for_user(member(space, "vera", "viewer"))
    assert viewer is not None
    assert counts_of(viewer, EVERY).all == 1
    Memory.objects.filter(content="Not this.").update(visibility="private")
    assert counts_of(viewer, EVERY).all == 0
