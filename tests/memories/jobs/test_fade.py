"""Forgetting: what went cold is archived, once, and what people want stays (E5, I5)."""

from datetime import timedelta

import pytest
import time_machine
from django.db import connection, transaction

from memories import history
from memories.identity import system_actor
from memories.lifecycle import aged, forgetting, pin_memory
from memories.lifecycle.aging import fades
from memories.models import Event, Flag, Memory, MemoryVersion
from memories.permissions import Actor
from memories.policies import AgingPolicy, warmth
from memories.reading import Filters
from memories.recall.logbook import Entry, logged
from memories.recall.result import Scored
from tests.memories.lifecycle.old import NOW, aging, ago, old, ran, recalled
from tests.review.flags import opened

pytestmark = pytest.mark.django_db
POLICY = AgingPolicy()


@pytest.fixture(autouse=True)
def _at_a_known_moment() -> object:
    with time_machine.travel(NOW, tick=False):
        yield


def status(memory: Memory) -> str:
    memory.refresh_from_db()
    return str(memory.status)


def test_it_archives_what_went_cold(admin: Actor, actor: Actor) -> None:  # E5
    cold, fresh = old(actor), old(actor, "It rains.", last_recalled_at=ago(3), heat=1.0)
    assert ran(admin, "fade").counts == {"archived": 1}
    assert (status(cold), status(fresh)) == ("archived", "active")
    event = Event.objects.get(verb="faded")
    assert event.actor_name == "job: fade"
    assert (event.data["days"], event.data["warmth"]) == (200, 0.0)


def test_it_archives_many_in_one_operation(admin: Actor, actor: Actor) -> None:  # I5
    for number in range(3):
        old(actor, f"Cold {number}.")
    run = ran(admin, "fade")
    assert run.counts == {"archived": 3}
    written = MemoryVersion.objects.filter(operation=run.pk, number=2, status="archived")
    assert (written.count(), Memory.objects.filter(status="archived", version=2).count()) == (3, 3)
    assert Event.objects.filter(operation=run.pk, verb="faded").count() == 3


def test_many_are_written_as_one_is(actor: Actor) -> None:  # E1
    one, other = old(actor, "One."), old(actor, "Other.")
    history.change(one, actor=actor, verb="faded", data={"days": 3}, status="archived")
    changes = [(other, {"status": "archived"}, {"days": 3})]
    history.change_each(changes, actor=actor, verb="faded")
    told = [event.data for event in Event.objects.filter(verb="faded")]
    assert told[0] == told[1]
    kept = MemoryVersion.objects.filter(number=2).values("status", "pinned", "actor_name", "reason")
    assert kept[0] == kept[1]
    stored = Memory.objects.values("version", "status", "updated_at")
    assert stored[0] == stored[1]


def test_it_looks_again_at_what_was_needed_meanwhile(actor: Actor) -> None:  # I5
    used, asked, pinned, cold = (old(actor, f"Cold {number}.") for number in range(4))
    Memory.objects.filter(pk=used.pk).update(last_recalled_at=NOW, heat=1.0)
    Memory.objects.filter(pk=pinned.pk).update(pinned=True)
    opened(actor, "feedback", "wrong", asked)
    ids = [memory.pk for memory in (used, asked, pinned, cold)]
    done = forgetting.fade(actor=system_actor(actor.space_id), ids=ids, policy=POLICY, now=NOW)
    assert done == {"archived": 1}
    assert Memory.objects.get(status="archived") == cold


def test_it_changes_nothing_when_run_again(admin: Actor, actor: Actor) -> None:  # I5
    old(actor)
    ran(admin, "fade")
    assert (ran(admin, "fade").counts, MemoryVersion.objects.count()) == ({}, 2)


def test_a_trial_counts_and_changes_nothing(admin: Actor, actor: Actor) -> None:
    memory = old(actor)
    assert ran(admin, "fade", trial=True).counts == {"archived": 1}
    assert status(memory) == "active"


def test_what_is_pinned_never_fades(admin: Actor, actor: Actor) -> None:  # E5
    memory = old(actor)
    pin_memory(actor=admin, memory_id=memory.pk, pinned=True)
    with time_machine.travel(NOW + timedelta(days=3000)):
        assert ran(admin, "fade").counts == {}
    assert status(memory) == "active"


@pytest.mark.parametrize("days", [365, 365 - 14, 92 + 13])
def test_what_was_recalled_at_this_time_last_year_is_spared(
    admin: Actor, actor: Actor, days: int
) -> None:  # E5
    memory = old(actor, created_at=ago(400))
    recalled(memory, actor, ago(days))
    assert ran(admin, "fade").counts == {}
    assert status(memory) == "active"


def test_it_goes_when_its_season_is_over(admin: Actor, actor: Actor) -> None:  # E5
    memory = old(actor, created_at=ago(400))
    recalled(memory, actor, ago(365))
    with time_machine.travel(NOW + timedelta(days=15)):
        assert ran(admin, "fade").counts == {"archived": 1}
    assert status(memory) == "archived"


@pytest.mark.parametrize("side", ["memory", "counterpart", "source"])
def test_what_a_person_is_asked_about_waits(admin: Actor, actor: Actor, side: str) -> None:
    memory = old(actor)
    about = memory if side == "memory" else old(actor, "Other.", pinned=True)
    flag = opened(actor, "conflict", "numbers", about)
    if side == "counterpart":
        Flag.objects.filter(pk=flag.pk).update(counterpart=memory)
    elif side == "source":
        flag.sources.create(memory=memory, memory_version=1)
    assert ran(admin, "fade").counts == {}


def test_it_stays_within_its_space(admin: Actor, stranger: Actor) -> None:  # D1
    assert status(old(stranger)) == "active"
    assert ran(admin, "fade").total == 0


@pytest.mark.parametrize("half_life", [1e-9, 3650.0])
def test_it_works_with_any_half_life(admin: Actor, actor: Actor, half_life: float) -> None:
    aging(admin, half_life_days=half_life)
    old(actor, heat=5.0, last_recalled_at=ago(150))
    assert ran(admin, "fade").counts == ({"archived": 1} if half_life < 1 else {})


def test_the_query_says_what_the_rule_says(actor: Actor) -> None:  # E5
    grid = [
        old(actor, f"{days} {heat} {pinned}", pinned=pinned, heat=heat, last_recalled_at=ago(days))
        for days in (-1, 0, 89, 90, 91, 150, 10_000)
        for heat in (0.0, 0.2, 1.0, 40.0)
        for pinned in (False, True)
    ]
    ruled = {one.pk for one in grid if fades(one, POLICY, NOW, seasonal=False, flagged=False)}
    found = aged.fading(actor, POLICY, NOW)
    assert set(found.values_list("pk", flat=True)) == ruled
    assert ruled


def warm(actor: Actor, memory: Memory, half_life: float) -> None:
    """Log a recall of one memory, as recall() does."""
    entry = Entry("cache", "", Filters(), 0, degraded=False, took_ms=1.0, half_life_days=half_life)
    logged(actor, entry, [Scored(memory, 1, 1.0, {}, {}, "")])
    memory.refresh_from_db()


def db_now() -> object:
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        return cursor.fetchone()[0]


@pytest.mark.parametrize("half_life", [1e-9, 0.5, 30.0, 3650.0])
@pytest.mark.parametrize("days", [-2.0, 0.0, 1.0, 45.0, 4000.0])
def test_a_recall_warms_what_is_left_by_one(actor: Actor, half_life: float, days: float) -> None:
    since = db_now() - timedelta(days=days)  # type: ignore[operator]
    memory = old(actor, heat=6.0, last_recalled_at=since, recall_count=3)
    warm(actor, memory, half_life)
    assert memory.heat == pytest.approx(warmth(6.0, days, half_life) + 1.0)
    assert (memory.recall_count, memory.last_recalled_at) == (4, db_now())


def test_the_first_recall_warms_by_one(actor: Actor) -> None:  # E5
    memory = old(actor)
    warm(actor, memory, 30.0)
    assert (memory.heat, memory.version) == (1.0, 1)


def test_two_recalls_at_one_moment_add_two(actor: Actor) -> None:
    memory = old(actor, heat=1.0, last_recalled_at=db_now())
    with transaction.atomic():
        warm(actor, memory, 30.0)
        warm(actor, memory, 30.0)
    assert (memory.heat, memory.recall_count) == (3.0, 2)
