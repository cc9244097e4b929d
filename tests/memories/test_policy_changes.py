"""Changing a space's numbers: a version each, checked, logged, and never over somebody else's."""

from dataclasses import replace
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection

from memories.errors import Invalid, NotAllowed, NotFound, Stale
from memories.models import Event, Policy, Space
from memories.permissions import Actor
from memories.policies import PolicyNumbers, policy_for
from memories.policy_changes import (
    change_policy,
    differences,
    numbers,
    policy_history,
    restore_policy,
)
from memories.writing import write_memory

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(person: Actor) -> Actor:
    return replace(person, verbs=person.verbs | {"administer"})


def change(admin: Actor, version: int = 0, note: str = "", **given: Any) -> Policy:
    """Change numbers; `distilling__keep_from` stands for distilling.keep_from."""
    paths = {path.replace("__", "."): value for path, value in given.items()}
    return change_policy(actor=admin, numbers=paths, note=note, expected_version=version)


def test_it_adds_a_version_that_holds_at_once(admin: Actor, space: Space) -> None:
    change(admin, distilling__keep_from=0.4)
    version, policy = policy_for(space.pk)
    assert (version, policy.distilling.keep_from) == (1, 0.4)
    assert policy.distilling.store_from == 0.6


def test_it_stores_only_what_differs_from_the_defaults(admin: Actor) -> None:
    made = change(admin, distilling__keep_from=0.4, recall__top_k=5)
    assert made.numbers == {"distilling": {"keep_from": 0.4}}


def test_it_keeps_what_was_changed_before(admin: Actor) -> None:
    change(admin, distilling__keep_from=0.4)
    made = change(admin, 1, writing__confidence__person=0.9)
    assert made.numbers == {
        "distilling": {"keep_from": 0.4},
        "writing": {"confidence": {"person": 0.9}},
    }


def test_it_goes_back_to_a_default(admin: Actor) -> None:
    change(admin, distilling__keep_from=0.4, recall__top_k=9)
    assert change(admin, 1, distilling__keep_from=None).numbers == {"recall": {"top_k": 9}}


def test_it_takes_a_risk_by_the_kind_of_item(admin: Actor, space: Space) -> None:
    change(admin, review__risks__conflict=0.9)
    assert policy_for(space.pk)[1].review.risks == {"conflict": 0.9}
    assert change(admin, 1, review__risks__conflict=None).numbers == {}


def test_a_changed_number_counts_for_the_next_write(
    admin: Actor, actor: Actor, embedder: str
) -> None:
    change(admin, writing__confidence__user_input=0.7)
    said = write_memory(actor=actor, content="The office is in Bonn.", source="user_input")
    assert said.memory is not None
    assert said.memory.confidence == 0.7


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("distilling.keep_from", 2, "distilling.keep_from must be a number from 0 to 1, not 2."),
        ("distilling.keep_from", "much", "must be a number from 0 to 1, not much."),
        ("distilling.keep_from", float("nan"), "must be a number from 0 to 1"),
        ("recall.top_k", 5.5, "recall.top_k must be a whole number from 1 to 50, not 5.5."),
        ("recall.date_half_days", 0, "must be a number above 0 and up to 366, not 0."),
        ("sessions.working_seconds", 9, "must be a whole number from 10 to 2592000, not 9."),
        ("review.two_people", "perhaps", "must be true or false, not perhaps."),
        ("distilling.doubtful", "ask", "must be one of drop, review, not ask."),
        ("review.risks.conflict", 3, "review.risks.conflict must be a number from 0 to 1, not 3."),
    ],
)
def test_it_names_the_number_that_does_not_fit(
    admin: Actor, path: str, value: object, sentence: str
) -> None:
    with pytest.raises(Invalid) as refusal:
        change_policy(actor=admin, numbers={path: value}, expected_version=0)
    assert refusal.value.field == path
    assert sentence in refusal.value.message
    assert not Policy.objects.exists()


@pytest.mark.parametrize(
    "path", ["", "writing", "recall.unknown", "review.risks", "writing.refuse_below.x", "a.b.c"]
)
def test_it_knows_which_numbers_there_are(admin: Actor, path: str) -> None:
    with pytest.raises(Invalid, match="has no number") as refusal:
        change_policy(actor=admin, numbers={path: 1}, expected_version=0)
    assert refusal.value.field == path


def test_it_refuses_a_change_that_changes_nothing(admin: Actor) -> None:
    with pytest.raises(Invalid, match="has already"):
        change(admin, distilling__keep_from=0.5)
    assert not Policy.objects.exists()


@pytest.mark.parametrize("version", [0, 2])
def test_it_never_writes_over_somebody_elses_change(admin: Actor, version: int) -> None:
    change(admin, distilling__keep_from=0.4)
    with pytest.raises(Stale, match="rui changed the policy meanwhile: it is version 1") as refusal:
        change(admin, version, distilling__keep_from=0.3)
    assert refusal.value.details == {"version": 1}
    assert Policy.objects.count() == 1


def test_it_refuses_a_long_note(admin: Actor) -> None:
    with pytest.raises(Invalid, match="300"):
        change(admin, note="x" * 301, distilling__keep_from=0.4)


def test_it_logs_what_became_what_and_why(admin: Actor) -> None:  # G4
    change(admin, note="too much is kept", distilling__keep_from=0.6)
    event = Event.objects.get(verb="policy_changed")
    assert (event.actor_name, event.memory_id) == ("rui", None)
    assert event.data == {
        "version": 1,
        "note": "too much is kept",
        "changed": {"distilling.keep_from": [0.5, 0.6]},
    }


def test_a_reviewer_and_an_agent_cannot_change_it(person: Actor, actor: Actor) -> None:  # G4, F5
    for nobody in (person, actor):
        with pytest.raises(NotAllowed):
            change(nobody, distilling__keep_from=0.4)
        with pytest.raises(NotAllowed):
            restore_policy(actor=nobody, version=0, expected_version=0)
    assert not Policy.objects.exists()


def test_it_restores_a_version_as_the_next_one(admin: Actor) -> None:
    change(admin, distilling__keep_from=0.4)
    change(admin, 1, distilling__keep_from=0.7, recall__top_k=9)
    made = restore_policy(actor=admin, version=1, expected_version=2)
    assert (made.version, made.numbers) == (3, {"distilling": {"keep_from": 0.4}})
    assert made.note == "Version 1 restored."


def test_it_restores_the_defaults(admin: Actor) -> None:
    change(admin, distilling__keep_from=0.4)
    assert restore_policy(actor=admin, version=0, expected_version=1).numbers == {}


def test_it_restores_no_other_spaces_version(admin: Actor, stranger: Actor) -> None:  # D1
    foreign = replace(stranger, verbs=admin.verbs)
    change(foreign, distilling__keep_from=0.4)
    with pytest.raises(NotFound):
        restore_policy(actor=admin, version=1, expected_version=0)
    assert policy_history(admin) == []


def test_its_history_says_what_became_what_newest_first(admin: Actor) -> None:
    change(admin, distilling__keep_from=0.4)
    change(admin, 1, distilling__keep_from=0.7, review__risks__conflict=0.9)
    newest, first = policy_history(admin)
    assert newest.changed == {
        "distilling.keep_from": (0.4, 0.7),
        "review.risks.conflict": (None, 0.9),
    }
    assert (first.policy.version, first.changed) == (1, {"distilling.keep_from": (0.5, 0.4)})


def test_its_history_reads_numbers_that_exist_no_more() -> None:
    assert differences({"old": {"number": 1}}, {}) == {"old.number": (1, None)}


def test_it_walks_every_number_with_what_fits_it() -> None:
    known = numbers()
    share, over = known["distilling.keep_from"], known["recall.date_half_days"]
    assert (share.sort, share.least, share.most, share.default) == ("float", 0.0, 1.0, 0.5)
    assert (over.over, over.least) == (True, 0)
    assert known["review.two_people"].sort == "bool"
    assert known["distilling.doubtful"].choices == ("drop", "review")
    assert known["review.risks"].sort == "each"
    assert len(known) >= sum(len(type(part).model_fields) for _name, part in PolicyNumbers())


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_is_told_to_look_again(admin: Actor) -> None:
    barrier, outcomes = Barrier(2), []

    def run(value: float) -> None:
        barrier.wait()
        try:
            change(admin, distilling__keep_from=value)
            outcomes.append("saved")
        except Stale:
            outcomes.append("stale")
        finally:
            connection.close()

    threads = [Thread(target=run, args=(value,)) for value in (0.3, 0.4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(outcomes) == ["saved", "stale"]
    assert Policy.objects.count() == 1
