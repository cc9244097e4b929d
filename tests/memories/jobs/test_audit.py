"""The audit asks people about what is weak and unused, and does nothing else (E7, I5)."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from memories.models import Flag, Memory
from memories.models.memory import LIVE
from memories.permissions import Actor
from review.decisions import decide
from tests.memories.lifecycle.old import NOW, ago, old, ran, weak

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _at_a_known_moment() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


def test_it_proposes_with_its_reasons(admin: Actor, actor: Actor) -> None:  # E7
    memory = weak(actor, last_recalled_at=ago(42.7))
    assert ran(admin, "audit").counts == {"proposed": 1}
    flag = Flag.objects.get()
    assert (flag.kind, flag.reason, flag.memory_id) == ("clean_up", "unused", memory.pk)
    assert flag.scores == {"confidence": 0.4, "days": 42}


def test_it_deletes_nothing(admin: Actor, actor: Actor) -> None:  # E7
    memory = weak(actor)
    ran(admin, "audit")
    memory.refresh_from_db()
    assert (memory.status in LIVE, memory.version) == (True, 1)


def test_it_asks_about_each_of_many(admin: Actor, actor: Actor) -> None:  # E7
    for number in range(2):
        weak(actor, f"Weak {number}.")
    old(actor)
    assert ran(admin, "audit").counts == {"proposed": 2}


def test_it_asks_once(admin: Actor, actor: Actor) -> None:  # I5
    weak(actor)
    ran(admin, "audit")
    assert (ran(admin, "audit").total, Flag.objects.count()) == (0, 1)


def test_it_does_not_ask_again_what_a_person_kept(
    admin: Actor, actor: Actor, person: Actor
) -> None:  # E7
    weak(actor)
    ran(admin, "audit")
    flag = Flag.objects.get()
    decide(actor=person, flag_id=flag.pk, choice="keep", expected_versions=(1,))
    # Even if nobody believes it more than before.
    Memory.objects.update(confidence=0.4)
    with time_machine.travel(NOW + timedelta(days=400)):
        assert ran(admin, "audit").total == 0


@pytest.mark.parametrize(
    "fields",
    [{"confidence": 0.5}, {"pinned": True}, {"last_recalled_at": ago(29)}, {"status": "archived"}],
)
def test_it_leaves_alone_what_is_believed_pinned_or_used(
    admin: Actor, actor: Actor, fields: dict[str, Any]
) -> None:
    weak(actor, **fields)
    assert ran(admin, "audit").total == 0


def test_it_asks_about_what_was_warned_of(admin: Actor, actor: Actor) -> None:  # E6, E7
    weak(actor)
    ran(admin, "expire")
    assert ran(admin, "audit").counts == {"proposed": 1}


def test_it_stays_within_its_space(admin: Actor, stranger: Actor, actor: Actor) -> None:  # D1
    weak(stranger)
    old(actor)
    assert ran(admin, "audit").total == 0


def test_a_trial_asks_nobody(admin: Actor, actor: Actor) -> None:
    weak(actor)
    assert ran(admin, "audit", trial=True).counts == {"proposed": 1}
    assert not Flag.objects.exists()
