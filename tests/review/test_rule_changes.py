"""Writing rules: who may, in which order they stand, what is logged (F5, G4)."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from memories.errors import Invalid, NotAllowed, NotFound, Stale
from memories.models import Event
from memories.permissions import Actor
from review.models import Decision, Rule
from review.rule_changes import (
    apply_to_waiting,
    create_rule,
    delete_rule,
    get_rule,
    move_rule,
    rules_of,
    switch_rule,
    update_rule,
)
from review.rules import consider
from review.undo import undo_decision
from tests.people import conflict
from tests.rules import ruled, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def admin(person: Actor) -> Actor:
    return replace(person, verbs=person.verbs | {"administer"})


@pytest.mark.parametrize(
    ("says", "field", "sentence"),
    [
        ({"name": " "}, "name", "Give the rule a name"),
        ({"kind": "question"}, "kind", "one of: conflict"),
        ({"choice": "approve"}, "choice", "no decision on this item"),
        ({"choice": "merge"}, "choice", "needs words for each item"),
        ({"choice": "both_true"}, "choice", "needs words for each item"),
        ({"choice": "reject"}, "reason", "Say why the rule rejects"),
        ({"reason": "wrong"}, "reason", "Only a rejection"),
        ({"reasons": ["low_confidence"]}, "reasons", "is not among"),
        ({"memory_kinds": ["poem"]}, "memory_kinds", "is not among"),
        ({"sources": ["rumour"]}, "sources", "is not among"),
        ({"agent_id": uuid4()}, "agent", "no such agent"),
        ({"least_confidence": 1.2}, "least_confidence", "from 0 to 1"),
        ({"least_confidence": 0.8, "most_confidence": 0.2}, "least_confidence", "nothing would"),
        ({"kind": "quarantine", "choice": "approve"}, "choice", "released by people only"),
    ],
)
def test_it_says_what_does_not_fit(
    admin: Actor, says: dict[str, Any], field: str, sentence: str
) -> None:
    with pytest.raises(Invalid, match=sentence) as refusal:
        ruled(admin, **says)
    assert refusal.value.field == field
    assert not Rule.objects.exists()


def test_an_agent_of_another_space_is_none_of_ours(admin: Actor, stranger: Actor) -> None:  # D1
    with pytest.raises(Invalid, match="no such agent"):
        ruled(admin, agent_id=stranger.id)


def test_only_admins_write_rules(admin: Actor, person: Actor, actor: Actor) -> None:  # G4, F5
    rule = ruled(admin)
    for nobody in (person, actor):
        for attempt in (
            lambda who: create_rule(actor=who, text=text(name="mine")),
            lambda who: update_rule(actor=who, rule_id=rule.pk, text=text(), seen=rule.updated_at),
            lambda who: switch_rule(actor=who, rule_id=rule.pk, active=False),
            lambda who: move_rule(actor=who, rule_id=rule.pk, up=True),
            lambda who: apply_to_waiting(actor=who, rule_id=rule.pk),
            lambda who: delete_rule(actor=who, rule_id=rule.pk),
        ):
            with pytest.raises(NotAllowed):
                attempt(nobody)
    assert Rule.objects.get().is_active


def test_another_spaces_rule_does_not_exist(admin: Actor, stranger: Actor) -> None:  # D1
    foreign = Rule.objects.create(space_id=stranger.space_id, name="r", kind="conflict")
    for attempt in (
        lambda: get_rule(actor=admin, rule_id=foreign.pk),
        lambda: switch_rule(actor=admin, rule_id=foreign.pk, active=False),
        lambda: move_rule(actor=admin, rule_id=foreign.pk, up=True),
        lambda: delete_rule(actor=admin, rule_id=foreign.pk),
    ):
        with pytest.raises(NotFound):
            attempt()
    assert list(rules_of(admin)) == []


def test_every_change_of_a_rule_is_logged(admin: Actor) -> None:
    rule = ruled(admin)
    update_rule(actor=admin, rule_id=rule.pk, text=text(choice="keep_old"), seen=rule.updated_at)
    switch_rule(actor=admin, rule_id=rule.pk, active=False)
    switch_rule(actor=admin, rule_id=rule.pk, active=True)
    delete_rule(actor=admin, rule_id=rule.pk)
    events = list(Event.objects.filter(verb__startswith="rule_").order_by("id"))
    assert [event.verb for event in events] == [
        "rule_created",
        "rule_changed",
        "rule_switched_off",
        "rule_switched_on",
        "rule_deleted",
    ]
    assert events[1].data["changed"] == {"choice": ["keep_new", "keep_old"]}
    assert {event.data["rule"] for event in events} == {str(rule.pk)}


def test_a_name_is_taken_once(admin: Actor) -> None:
    ruled(admin)
    with pytest.raises(Invalid, match="already") as refusal:
        ruled(admin)
    assert refusal.value.field == "name"


def test_it_never_writes_over_somebody_elses_change(admin: Actor) -> None:
    rule = ruled(admin)
    seen = rule.updated_at
    update_rule(actor=admin, rule_id=rule.pk, text=text(choice="keep_old"), seen=seen)
    with pytest.raises(Stale):
        update_rule(actor=admin, rule_id=rule.pk, text=text(name="mine"), seen=seen)
    assert Rule.objects.get().choice == "keep_old"


def test_rules_change_places(admin: Actor) -> None:
    first, second, third = (ruled(admin, name=name) for name in ("a", "b", "c"))
    move_rule(actor=admin, rule_id=third.pk, up=True)
    move_rule(actor=admin, rule_id=first.pk, up=False)
    move_rule(actor=admin, rule_id=second.pk, up=False)
    assert [rule.name for rule in rules_of(admin)] == ["c", "a", "b"]


def test_a_deleted_rule_leaves_its_decisions(actor: Actor, admin: Actor) -> None:
    rule = ruled(admin)
    consider(conflict(actor).pk)
    delete_rule(actor=admin, rule_id=rule.pk)
    made = Decision.objects.get()
    assert (made.rule, made.automatic, made.user_name) == (None, True, "newer wins")


def test_it_counts_what_it_decided_and_what_was_undone(
    actor: Actor, admin: Actor, person: Actor
) -> None:
    ruled(admin)
    made = consider(conflict(actor).pk)
    consider(conflict(actor, "Backups run at 02:00.", "Backups run at 04:30.").pk)
    assert made is not None
    undo_decision(actor=person, decision_id=made.pk)
    counted = vars(rules_of(person).get())
    assert (counted["applied"], counted["undone"]) == (2, 1)
