"""Trying a rule, and letting it begin with what waits already (F5)."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from memories.errors import Invalid
from memories.models import Agent, Flag, Space
from memories.permissions import Actor
from review import tasks
from review.decisions import decide
from review.models import Decision, Rule
from review.rule_changes import (
    apply_to_waiting,
)
from review.rule_trial import try_rule
from review.rules import consider
from review.undo import undo_decision
from tests.doubts import doubt
from tests.people import conflict
from tests.rules import ruled, unsaved

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def admin(person: Actor) -> Actor:
    return replace(person, verbs=person.verbs | {"administer"})


def test_trying_shows_what_waits_and_what_people_decided(actor: Actor, person: Actor) -> None:
    for n, choice in enumerate(("keep_new", "keep_new", "keep_old")):
        said = conflict(actor, f"Job {n} runs at 02:00.", f"Job {n} runs at 04:30.")
        decide(actor=person, flag_id=said.pk, choice=choice, expected_versions=(1, 1))
    waits = conflict(actor)
    trial = try_rule(actor=person, rule=unsaved(waits, least_confidence=1.0))
    assert (trial.open, list(trial.listed)) == (1, [waits])
    assert (trial.decided, trial.same, trial.otherwise) == (3, 2, 1)
    assert Flag.objects.open().count() == 1


def test_trying_judges_decisions_by_what_the_memory_was_then(actor: Actor, person: Actor) -> None:
    flag = doubt(actor)  # confidence 0.45; a person's approval raises it
    decide(actor=person, flag_id=flag.pk, choice="approve", expected_versions=(1,))
    low = unsaved(flag, kind="pending", choice="approve", most_confidence=0.5)
    high = unsaved(flag, kind="pending", choice="approve", least_confidence=0.9)
    assert try_rule(actor=person, rule=low).same == 1
    assert try_rule(actor=person, rule=high).decided == 0


def test_trying_counts_neither_rules_nor_undone_nor_old_decisions(
    actor: Actor, admin: Actor, person: Actor
) -> None:
    rule = ruled(admin)
    consider(conflict(actor).pk)
    second = conflict(actor, "Backups run at 02:00.", "Backups run at 04:30.")
    decide(actor=person, flag_id=second.pk, choice="keep_new", expected_versions=(1, 1))
    assert try_rule(actor=person, rule=rule).decided == 1
    later = timezone.now() + timedelta(days=91)
    assert try_rule(actor=person, rule=rule, now=later).decided == 0
    undo_decision(actor=person, decision_id=Decision.objects.get(automatic=False).pk)
    assert try_rule(actor=person, rule=rule).decided == 0


def test_a_new_rule_begins_with_what_waits_only_when_told_to(
    actor: Actor, admin: Actor, person: Actor
) -> None:
    undone, waits = conflict(actor), conflict(actor, "Job 1 runs at 2.", "Job 1 runs at 4.")
    settled = decide(actor=person, flag_id=undone.pk, choice="keep_new", expected_versions=(1, 1))
    undo_decision(actor=person, decision_id=Decision.objects.get(flag=settled.flag).pk)
    tasks.consider_waiting()
    rule = ruled(admin)
    tasks.consider_waiting()
    assert Flag.objects.open().count() == 2
    assert apply_to_waiting(actor=admin, rule_id=rule.pk) == 1
    tasks.consider_waiting()
    assert Flag.objects.open().get() == undone
    assert Decision.objects.get(automatic=True).flag == waits


def test_a_rule_that_rests_cannot_begin(admin: Actor) -> None:
    rule = ruled(admin, is_active=False)
    with pytest.raises(Invalid, match="switched off"):
        apply_to_waiting(actor=admin, rule_id=rule.pk)


def test_a_rule_for_one_agent_goes_with_it(space: Space, admin: Actor) -> None:
    agent = Agent.objects.create(space=space, name="scout")
    ruled(admin, agent_id=agent.pk)
    agent.delete()
    assert not Rule.objects.exists()
