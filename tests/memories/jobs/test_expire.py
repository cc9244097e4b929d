"""Expiry: a warning first, then the archive, unless somebody needs it (E6, I5)."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
import time_machine

from memories import history
from memories.identity import system_actor
from memories.lifecycle import forgetting, pin_memory
from memories.models import Event, Flag, Memory, MemoryVersion
from memories.permissions import Actor
from memories.policies import AgingPolicy
from tests.memories.lifecycle.old import NOW, aging, ago, old, ran, weak
from tests.review.flags import opened

pytestmark = pytest.mark.django_db
WEEK = timedelta(days=7)


@pytest.fixture(autouse=True)
def _at_a_known_moment() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def warned(admin: Actor, actor: Actor) -> Memory:
    """A weak, old memory after the first run."""
    memory = weak(actor)
    assert ran(admin, "expire").counts == {"warned": 1}
    memory.refresh_from_db()
    return memory


def after(admin: Actor, wait: timedelta = WEEK) -> dict[str, int]:
    """What a run did so much later."""
    with time_machine.travel(NOW + wait, tick=False):
        counts: dict[str, int] = ran(admin, "expire").counts
    return counts


def test_it_warns_first(warned: Memory) -> None:  # E6
    assert (warned.status, warned.expires_at) == ("active", NOW + WEEK)
    event = Event.objects.get(verb="expiring")
    assert event.data["until"] == (NOW + WEEK).isoformat()


def test_what_is_believed_is_not_warned_of(admin: Actor, actor: Actor) -> None:
    old(actor)
    assert ran(admin, "expire").total == 0


def test_it_changes_nothing_when_run_again(admin: Actor, warned: Memory) -> None:  # I5
    assert ran(admin, "expire").counts == {}
    assert after(admin, WEEK - timedelta(seconds=1)) == {}
    assert MemoryVersion.objects.filter(memory=warned).count() == 2


def test_it_archives_when_the_date_has_come(admin: Actor, warned: Memory) -> None:  # E6
    assert after(admin) == {"archived": 1}
    warned.refresh_from_db()
    assert warned.status == "archived"
    assert Event.objects.filter(verb="expired").exists()
    assert after(admin, 2 * WEEK) == {}


def test_it_keeps_what_was_recalled_since(admin: Actor, warned: Memory) -> None:  # E6
    Memory.objects.filter(pk=warned.pk).update(last_recalled_at=NOW + timedelta(days=1))
    assert after(admin, timedelta(days=2)) == {"kept": 1}
    warned.refresh_from_db()
    assert (warned.status, warned.expires_at) == ("active", None)
    assert after(admin, WEEK) == {}


def test_a_recall_on_the_last_day_keeps_it(admin: Actor, warned: Memory) -> None:  # E6
    Memory.objects.filter(pk=warned.pk).update(last_recalled_at=NOW + timedelta(days=6.9))
    assert after(admin) == {"kept": 1}


def test_it_keeps_what_a_person_confirmed_since(
    admin: Actor, person: Actor, warned: Memory
) -> None:  # E6
    with time_machine.travel(NOW + timedelta(days=1), tick=False):
        history.change(warned, actor=person, verb="confirmed", confirmed_at=NOW)
    assert after(admin) == {"kept": 1}


def test_a_pin_lifts_it_at_once(admin: Actor, person: Actor, warned: Memory) -> None:
    pin_memory(actor=person, memory_id=warned.pk, pinned=True)
    assert after(admin) == {}
    warned.refresh_from_db()
    assert warned.status == "active"


def test_another_policy_lifts_it(admin: Actor, warned: Memory) -> None:
    aging(admin, expire_below=0.3)
    assert after(admin) == {"kept": 1}


def test_what_is_kept_is_warned_of_again_after_all_its_days(admin: Actor, warned: Memory) -> None:
    Memory.objects.filter(pk=warned.pk).update(last_recalled_at=NOW + timedelta(days=1))
    assert after(admin, timedelta(days=2)) == {"kept": 1}
    assert after(admin, timedelta(days=54)) == {}
    assert after(admin, timedelta(days=56)) == {"warned": 1}


def given_date(memory: Memory, actor: Actor, until: datetime) -> None:
    history.change(memory, actor=actor, verb="updated", expires_at=until)


def test_a_date_that_somebody_gave_holds_alike(
    admin: Actor, actor: Actor, person: Actor
) -> None:  # E6
    memory = old(actor)
    given_date(memory, person, NOW + WEEK)
    assert after(admin, timedelta(days=6)) == {}
    assert after(admin) == {"archived": 1}


def test_a_date_that_somebody_gave_goes_when_it_is_used(
    admin: Actor, actor: Actor, person: Actor
) -> None:  # E6
    memory = old(actor)
    given_date(memory, person, NOW + WEEK)
    Memory.objects.filter(pk=memory.pk).update(last_recalled_at=NOW + timedelta(days=3))
    assert after(admin) == {"kept": 1}


def test_what_was_never_dated_by_a_version_expires_all_the_same(admin: Actor, actor: Actor) -> None:
    old(actor, expires_at=ago(1))
    assert ran(admin, "expire").counts == {"archived": 1}


def test_a_date_does_not_wait_for_the_answer_to_a_clean_up(admin: Actor, warned: Memory) -> None:
    flag = opened(admin, "clean_up", "unused", warned)
    assert after(admin) == {"archived": 1}
    flag.refresh_from_db()
    assert flag.resolution == "withdrawn"


def test_it_does_each_of_many_in_its_own_way(admin: Actor, actor: Actor) -> None:  # I5
    fresh, asked, used, over = (weak(actor, f"Weak {number}.") for number in range(4))
    for memory in (asked, used, over):
        history.change(memory, actor=admin, verb="updated", expires_at=NOW + WEEK)
        opened(admin, "clean_up", "unused", memory)
    opened(admin, "feedback", "wrong", asked)
    Memory.objects.filter(pk=used.pk).update(last_recalled_at=NOW + timedelta(days=1))
    assert after(admin) == {"warned": 1, "kept": 1, "archived": 1}
    fresh.refresh_from_db()
    assert fresh.expires_at == NOW + 2 * WEEK
    assert Memory.objects.get(status="archived") == over
    assert set(Flag.objects.open().values_list("memory", "kind")) == {
        (asked.pk, "clean_up"),
        (asked.pk, "feedback"),
        (used.pk, "clean_up"),
    }
    assert Flag.objects.open().get(memory=used).memory_version == 3


def test_it_looks_again_at_what_people_are_asked_meanwhile(admin: Actor, warned: Memory) -> None:
    opened(admin, "feedback", "wrong", warned)
    system, policy = system_actor(admin.space_id), AgingPolicy()
    assert forgetting.expire(actor=system, ids=[warned.pk], policy=policy, now=NOW + WEEK) == {}
    Flag.objects.update(kind="clean_up")
    done = forgetting.expire(actor=system, ids=[warned.pk], policy=policy, now=NOW + WEEK)
    assert done == {"archived": 1}


def test_it_waits_for_any_other_answer(admin: Actor, warned: Memory) -> None:
    opened(admin, "feedback", "wrong", warned)
    assert after(admin) == {}
    assert Flag.objects.open().count() == 1


def test_a_warning_may_be_of_no_days(admin: Actor, actor: Actor) -> None:
    aging(admin, warn_days=0)
    weak(actor)
    assert ran(admin, "expire").counts == {"warned": 1}
    assert ran(admin, "expire").counts == {"archived": 1}


def test_it_stays_within_its_space(admin: Actor, stranger: Actor) -> None:  # D1
    weak(stranger)
    assert ran(admin, "expire").total == 0


def test_what_is_warned_of_does_not_fade_before_its_date(admin: Actor, warned: Memory) -> None:
    assert ran(admin, "fade").counts == {}


def test_a_trial_warns_nobody(admin: Actor, actor: Actor) -> None:
    memory = weak(actor)
    assert ran(admin, "expire", trial=True).counts == {"warned": 1}
    memory.refresh_from_db()
    assert (memory.version, memory.expires_at) == (1, None)
