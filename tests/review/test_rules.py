"""Rules: what a person wrote down once decides what fits it, once, and can be undone (F5)."""

from dataclasses import replace
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from memories.lifecycle import propose_merge, update_memory
from memories.models import Event, Flag, Memory
from memories.permissions import Actor
from memories.policy_changes import change_policy
from memories.writing import write_memory
from review import rules, tasks
from review.claims import claim
from review.decisions import decide
from review.models import Decision, Rule
from review.rule_trial import fitting
from review.rules import consider, first_match, matches
from review.undo import undo_decision
from tests.doubts import doubt
from tests.people import NEW, OLD, conflict
from tests.rules import quarantined, ruled, unsaved

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def admin(person: Actor) -> Actor:
    return replace(person, verbs=person.verbs | {"administer"})


@pytest.fixture
def flag(actor: Actor) -> Flag:
    """A conflict; the new statement is a fact of user input, confidence 1."""
    return conflict(actor)


# --- conditions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("says", "fits"),
    [
        ({}, True),
        ({"kind": "pending", "choice": "approve"}, False),
        ({"reasons": ["value_replaced", "version"]}, True),
        ({"reasons": ["version"]}, False),
        ({"memory_kinds": ["fact", "lesson"]}, True),
        ({"memory_kinds": ["lesson"]}, False),
        ({"sources": ["user_input"]}, True),
        ({"sources": ["tool_result"]}, False),
        ({"least_confidence": 1.0}, True),
        ({"most_confidence": 0.99}, False),
        ({"least_confidence": 0.5, "most_confidence": 1.0}, True),
        ({"sources": ["user_input"], "memory_kinds": ["lesson"]}, False),
    ],
)
def test_each_condition_has_to_hold(
    flag: Flag, person: Actor, says: dict[str, Any], fits: bool
) -> None:
    rule = unsaved(Flag.objects.get(pk=flag.pk), **says)
    assert flag.reason == "value_replaced"
    assert matches(rule, flag) is fits
    # What the page tries on all that waits is what decides one by one.
    assert fitting(person, rule).filter(pk=flag.pk).exists() is fits


def test_it_looks_at_the_agent_that_wrote_the_new_one(
    flag: Flag, actor: Actor, teammate: Actor, person: Actor
) -> None:
    for writer, fits in ((actor, True), (teammate, False)):
        rule = unsaved(flag, agent_id=writer.id)
        assert matches(rule, flag) is fits
        assert fitting(person, rule).exists() is fits


def test_it_looks_at_a_confidence_that_is_too_low(flag: Flag) -> None:
    flag.memory.confidence = 0.4
    assert not matches(unsaved(flag, least_confidence=0.5), flag)
    assert matches(unsaved(flag, most_confidence=0.4), flag)


def test_a_rule_of_another_space_never_fits(flag: Flag, stranger: Actor) -> None:  # D1
    assert not matches(unsaved(flag, space_id=stranger.space_id), flag)
    Rule.objects.create(space_id=stranger.space_id, name="r", kind="conflict", choice="keep_new")
    assert consider(flag.pk) is None
    assert Flag.objects.get().status == "open"


def test_the_first_active_rule_decides(flag: Flag) -> None:
    first = unsaved(flag, name="first", position=1)
    second = unsaved(flag, name="second", position=2)
    assert first_match([second, first], flag) is first
    first.is_active = False
    assert first_match([second, first], flag) is second
    assert first_match([first], flag) is None


# --- deciding -------------------------------------------------------------------------------------


def test_it_decides_by_itself_what_fits(actor: Actor, admin: Actor) -> None:
    rule = ruled(admin, sources=["user_input"])
    flag = conflict(actor)
    tasks.consider(str(flag.pk))
    flag.refresh_from_db()
    assert (flag.status, flag.resolution) == ("resolved", "keep_new")
    assert flag.considered_at is not None
    statuses = dict(Memory.objects.values_list("content", "status"))
    assert statuses == {NEW: "active", OLD: "superseded"}
    made = Decision.objects.get()
    assert (made.rule, made.automatic, made.user) == (rule, True, None)
    assert made.user_name == "newer wins"


def test_it_says_in_the_log_and_in_the_history_which_rule(actor: Actor, admin: Actor) -> None:
    ruled(admin)  # G4
    flag = conflict(actor)
    consider(flag.pk)
    event = Event.objects.get(verb="flag_resolved")
    assert (event.actor_kind, event.actor_name) == ("system", "newer wins")
    version = flag.memory.versions.order_by("number").last()
    assert version is not None
    assert "newer wins" in version.reason


def test_it_rejects_for_the_reason_of_the_rule(actor: Actor, admin: Actor) -> None:
    ruled(admin, kind="pending", choice="reject", reason="trivial", most_confidence=0.5)
    flag = doubt(actor)
    consider(flag.pk)
    assert Decision.objects.get().reason == "trivial"
    assert Memory.objects.get().status == "overturned"


def test_it_decides_a_merge_proposal_with_all_its_sources(actor: Actor, admin: Actor) -> None:
    ruled(admin, kind="merge", choice="approve")
    parts = [
        write_memory(actor=actor, content=said).memory
        for said in ("Backups run at night.", "Backups go to Bonn.")
    ]
    flag = propose_merge(
        actor=actor,
        memory_ids=[memory.pk for memory in parts if memory],
        content="Backups run at night and go to Bonn.",
    )
    consider(flag.pk)
    flag.refresh_from_db()
    assert flag.resolution == "approve"


def test_without_a_rule_that_fits_it_only_notes_that_it_looked(flag: Flag, admin: Actor) -> None:
    ruled(admin, memory_kinds=["lesson"])
    assert consider(flag.pk) is None
    flag.refresh_from_db()
    assert (flag.status, flag.considered_at is not None) == ("open", True)


def test_it_looks_once(flag: Flag, admin: Actor) -> None:
    consider(flag.pk)
    ruled(admin)
    assert consider(flag.pk) is None
    assert Flag.objects.get().status == "open"


def test_what_was_undone_is_left_to_people(actor: Actor, admin: Actor, person: Actor) -> None:
    ruled(admin)
    flag = conflict(actor)
    made = consider(flag.pk)
    assert made is not None
    undo_decision(actor=person, decision_id=made.pk)
    tasks.consider_waiting()
    tasks.consider(str(flag.pk))
    flag.refresh_from_db()
    assert (flag.status, Decision.objects.count()) == ("open", 1)
    statuses = dict(Memory.objects.values_list("content", "status"))
    assert statuses == {NEW: "pending", OLD: "active"}


def test_it_leaves_what_a_person_is_looking_at_until_the_claim_lapses(
    actor: Actor, admin: Actor, person: Actor
) -> None:
    ruled(admin)
    flag = conflict(actor)
    claim(actor=person, flag=flag)
    assert consider(flag.pk) is None
    assert list(rules.waiting()) == []
    assert Flag.objects.get().considered_at is None
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        tasks.consider_waiting()
    assert Flag.objects.get().resolution == "keep_new"


def test_a_refusal_leaves_it_to_people_and_is_logged(
    actor: Actor,
    admin: Actor,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    ruled(admin)
    flag = conflict(actor)

    def moved(found: Flag) -> tuple[int, ...]:
        """Somebody changes the memory between the look and the decision."""
        seen = versions(found)
        memory = found.memory
        update_memory(
            actor=actor, memory_id=memory.pk, expected_version=memory.version, tags=["moved"]
        )
        return seen

    versions = rules._versions
    monkeypatch.setattr(rules, "_versions", moved)
    caplog.set_level("INFO", "review.rules")
    assert consider(flag.pk) is None
    flag.refresh_from_db()
    assert (flag.status, flag.considered_at is not None) == ("open", True)
    assert not Decision.objects.exists()
    assert "left flag" in caplog.text


def test_the_sweep_finds_what_no_nudge_reached(actor: Actor, admin: Actor) -> None:
    ruled(admin)
    conflict(actor)
    conflict(actor, "Backups run at 02:00.", "Backups run at 04:30.")
    tasks.consider_waiting()
    assert not Flag.objects.open().exists()
    assert Decision.objects.filter(automatic=True).count() == 2


def test_one_that_breaks_does_not_hold_up_the_others(
    actor: Actor, admin: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruled(admin)
    broken = conflict(actor)
    conflict(actor, "Backups run at 02:00.", "Backups run at 04:30.")
    look = rules.consider

    def breaking(flag_id: Any) -> Decision | None:
        if flag_id == broken.pk:
            raise RuntimeError("broken")
        return look(flag_id)

    monkeypatch.setattr(rules, "consider", breaking)
    tasks.consider_waiting()
    assert Flag.objects.open().get() == broken


def test_it_does_nothing_to_a_flag_that_is_gone_or_decided(flag: Flag, person: Actor) -> None:
    decide(actor=person, flag_id=flag.pk, choice="keep_old", expected_versions=(1, 1))
    assert consider(flag.pk) is None
    assert consider(uuid4()) is None
    assert Flag.objects.get().considered_at is None


@pytest.mark.django_db(transaction=True)
def test_two_workers_decide_it_once(actor: Actor, admin: Actor) -> None:
    ruled(admin)
    flag = conflict(actor)
    barrier = Barrier(2)

    def run() -> None:
        barrier.wait()
        try:
            consider(flag.pk)
        finally:
            connection.close()

    threads = [Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert Decision.objects.count() == 1
    assert Flag.objects.get().resolution == "keep_new"


# --- what no rule may do --------------------------------------------------------------------------


def test_a_rule_may_reject_what_is_in_quarantine(actor: Actor, admin: Actor) -> None:  # F2
    ruled(admin, kind="quarantine", choice="reject", reason="injection")
    flag = quarantined(actor)
    consider(flag.pk)
    assert Memory.objects.get().status == "overturned"


def test_no_rule_releases_a_withheld_memory_whatever_the_item(
    actor: Actor, admin: Actor, person: Actor
) -> None:  # F2, F5
    rule = ruled(admin, kind="pending", choice="approve")
    memory = quarantined(actor).memory
    fields = {"space_id": memory.space_id, "memory": memory, "memory_version": memory.version}
    flag = Flag.objects.create(kind="pending", reason="low_confidence", **fields)
    assert not fitting(person, rule).exists()
    assert consider(flag.pk) is None
    memory.refresh_from_db()
    assert (memory.withheld, memory.status) == (True, "pending")


def test_no_rule_is_the_second_person(actor: Actor, admin: Actor, person: Actor) -> None:  # G4
    change_policy(actor=admin, numbers={"review.two_people": True}, expected_version=0)
    ruled(admin, kind="pending", choice="approve")
    flag = doubt(actor)
    update_memory(
        actor=person, memory_id=flag.memory_id, expected_version=1, content="By a person's hand."
    )
    assert consider(flag.pk) is None
    assert Flag.objects.get().status == "open"
    assert consider(doubt(actor, "Invoices seem to go by post.").pk) is not None
