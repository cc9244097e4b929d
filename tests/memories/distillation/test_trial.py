"""A dry run of other numbers over a space's newest candidates (B5)."""

from dataclasses import replace
from typing import Any

import pytest

from memories.distillation.trial import Trial, try_numbers
from memories.identity import actor_for_user
from memories.lifecycle import delete_memory
from memories.models import Candidate, Memory, Policy, Space
from memories.permissions import Actor
from memories.policies import PolicyNumbers
from memories.writing import write_memory
from review.decisions import decide
from tests.doubts import doubt
from tests.memories.pages.looked_back import candidate, looked_back, recorded
from tests.people import member

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


def tried(person: Actor, most: int = 200, **numbers: Any) -> Trial:
    present = PolicyNumbers()
    after = PolicyNumbers.model_validate(numbers)
    return try_numbers(actor=person, present=present, tried=after, most=most)


def lower(person: Actor) -> Trial:
    return tried(person, distilling={"store_from": 0.4})


def weak(**more: Any) -> Candidate:
    """A candidate that the default confidence turned away."""
    return candidate("dropped", "low_confidence", certainty=0.5, confidence=0.5, **more)


def test_it_counts_verdicts_before_and_after(person: Actor, actor: Actor) -> None:
    looked_back(recorded(actor), candidate(), weak(), weak(), candidate("merged", "duplicate"))
    trial = lower(person)
    assert trial.weighed == 4
    assert trial.before == {"kept": 1, "dropped": 2, "merged": 1}
    assert trial.after == {"kept": 3, "merged": 1}
    assert [one.now.verdict for one in trial.moved] == ["kept", "kept"]


def test_the_same_numbers_move_nothing(person: Actor, actor: Actor) -> None:
    looked_back(recorded(actor), candidate(), weak())
    assert not tried(person).moved


def test_it_tries_each_number_of_the_gate(person: Actor, actor: Actor) -> None:
    looked_back(recorded(actor), candidate(worth=0.8, confidence=0.9), weak())
    for numbers, moved in (
        ({"distilling": {"keep_from": 0.9}}, "dropped"),
        ({"distilling": {"store_from": 0.95}}, "dropped"),
        ({"distilling": {"doubtful": "review"}}, "flagged"),
        ({"writing": {"refuse_below": 0.95}}, "dropped"),
        ({"writing": {"confidence": {"user_input": 0.5}}}, "dropped"),
    ):
        assert [one.now.verdict for one in tried(person, **numbers).moved] == [moved], numbers


def test_it_compares_with_the_numbers_that_hold_now(person: Actor, actor: Actor) -> None:
    looked_back(recorded(actor), weak())
    low = PolicyNumbers.model_validate({"distilling": {"store_from": 0.4}})
    trial = try_numbers(actor=person, present=low, tried=PolicyNumbers())
    assert [(one.was.verdict, one.now.verdict) for one in trial.moved] == [("kept", "dropped")]


@pytest.mark.parametrize("reason", ["greeting", "secret", "echo", "tombstone"])
def test_it_leaves_out_what_no_number_changes(person: Actor, actor: Actor, reason: str) -> None:
    looked_back(recorded(actor), candidate("dropped", reason))
    assert lower(person).weighed == 0


def test_it_looks_at_the_newest_only(person: Actor, actor: Actor) -> None:
    old, new = weak(content="first"), weak(content="second")
    looked_back(recorded(actor), old, new)
    trial = tried(person, most=1, distilling={"store_from": 0.4})
    assert trial.weighed == 1
    assert trial.moved[0].candidate.content == "second"


def test_it_knows_what_people_rejected(person: Actor, actor: Actor) -> None:
    flag = doubt(actor)
    decide(
        actor=person,
        flag_id=flag.pk,
        choice="reject",
        reason="wrong",
        expected_versions=(1,),
    )
    reviewed = candidate("flagged", "low_confidence", certainty=0.5, memory=flag.memory)
    looked_back(recorded(actor), reviewed)
    (moved,) = lower(person).moved
    assert (moved.now.verdict, moved.judged) == ("kept", "rejected")


def test_it_knows_what_people_approved(person: Actor, actor: Actor) -> None:
    flag = doubt(actor)
    decide(actor=person, flag_id=flag.pk, choice="approve", expected_versions=(1,))
    looked_back(recorded(actor), candidate(memory=flag.memory))
    (moved,) = tried(person, distilling={"store_from": 0.95}).moved
    assert (moved.now.verdict, moved.judged) == ("dropped", "approved")


def test_it_finds_what_people_said_of_the_same_words(person: Actor, actor: Actor) -> None:
    known = write_memory(actor=actor, content="The team uses spaces.").memory
    assert known is not None
    delete_memory(actor=person, memory_id=known.pk)
    looked_back(recorded(actor), weak(content="The team uses spaces."))
    assert lower(person).moved[0].judged == "rejected"


def test_the_same_words_of_another_user_say_nothing(person: Actor, actor: Actor) -> None:
    known = write_memory(actor=actor, content="The team uses spaces.", user_id="bob").memory
    assert known is not None
    delete_memory(actor=person, memory_id=known.pk)
    looked_back(recorded(actor, user_id="alice"), weak(content="The team uses spaces."))
    assert lower(person).moved[0].judged == ""


def test_what_an_agent_deleted_is_no_persons_word(person: Actor, actor: Actor) -> None:
    known = write_memory(actor=actor, content="The team uses spaces.").memory
    assert known is not None
    delete_memory(actor=actor, memory_id=known.pk)
    looked_back(recorded(actor), weak(content="The team uses spaces."))
    assert lower(person).moved[0].judged == ""


def test_it_shows_no_other_space_and_no_private_session_to_a_viewer(
    space: Space, actor: Actor, stranger: Actor, person: Actor
) -> None:  # D1
    looked_back(recorded(stranger, key="theirs"), weak())
    looked_back(recorded(actor, key="private", visibility="private"), weak())
    viewer = actor_for_user(member(space, "vi", "viewer"))
    assert viewer is not None
    assert lower(viewer).weighed == 0
    assert lower(person).weighed == 1


def test_it_changes_nothing(person: Actor, actor: Actor) -> None:
    looked_back(recorded(actor), weak())
    before = list(Candidate.objects.values())
    lower(replace(person))
    assert list(Candidate.objects.values()) == before
    assert not Memory.objects.exists()
    assert not Policy.objects.exists()
