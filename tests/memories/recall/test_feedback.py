"""What is said of memories moves them in recall, within bounds that no single voice breaks (C6)."""

from uuid import UUID

import pytest

from memories.identity import agent_actor
from memories.lifecycle import give_feedback, update_memory
from memories.lifecycle.shelving import pin_memory
from memories.lifecycle.versions import restore_version
from memories.models import Agent, Event, Feedback, Flag, Memory, Policy, Space
from memories.permissions import Actor
from memories.recall import Scored, recall
from review.decisions import decide
from tests.memories.recall.helpers import jot

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
TEXT = "docker needs a proxy"


@pytest.fixture
def memory(actor: Actor) -> Memory:
    return jot(actor, TEXT)


def say(who: Actor, memory: Memory, verdict: str) -> None:
    give_feedback(actor=who, memory_id=memory.pk, verdict=verdict)


def others(space: Space, number: int) -> list[Actor]:
    return [
        agent_actor(Agent.objects.create(space=space, name=f"agent {n}")) for n in range(number)
    ]


def hit(who: Actor, memory: Memory) -> Scored:
    found = recall(actor=who, query="docker", log=False).hits
    return next(one for one in found if one.memory.pk == memory.pk)


def order(who: Actor) -> list[UUID]:
    return [one.memory.pk for one in recall(actor=who, query="docker", log=False).hits]


def test_wrong_lowers_and_useful_raises_between_equals(
    actor: Actor, teammate: Actor, person: Actor
) -> None:
    one, two, three = (jot(actor, TEXT, user_id=name) for name in ("a", "b", "c"))
    say(person, one, "wrong")
    say(person, three, "useful")
    assert order(person) == [three.pk, two.pk, one.pk]


@pytest.mark.parametrize(("verdict", "sign"), [("useful", 1), ("wrong", -1), ("stale", -1)])
def test_one_voice_moves_a_score_by_a_fiftieth(
    teammate: Actor, memory: Memory, verdict: str, sign: int
) -> None:
    before = hit(teammate, memory).score
    say(teammate, memory, verdict)
    after = hit(teammate, memory)
    assert after.arms["feedback"] == sign / 5
    assert after.score == pytest.approx(before * (1 + sign * 0.02), rel=0.005)


def test_a_persons_voice_counts_as_one(person: Actor, memory: Memory) -> None:
    say(person, memory, "useful")
    assert hit(person, memory).arms["feedback"] == 1 / 5


@pytest.mark.parametrize("verdict", ["useful", "wrong"])
def test_saying_it_a_hundred_times_is_saying_it_once(
    teammate: Actor, memory: Memory, verdict: str
) -> None:  # F3
    before = hit(teammate, memory).score
    for _time in range(100):
        say(teammate, memory, verdict)
    assert abs(hit(teammate, memory).score / before - 1) <= 0.021


def test_another_version_of_a_text_is_no_second_voice(
    person: Actor, teammate: Actor, memory: Memory
) -> None:  # F3
    for number in range(1, 6):
        say(teammate, memory, "wrong")
        update_memory(
            actor=person, memory_id=memory.pk, expected_version=number, tags=[f"{number}"]
        )
    assert Feedback.objects.count() == 5
    assert hit(teammate, memory).arms["feedback"] == -1 / 5


def test_the_last_word_of_each_counts(person: Actor, teammate: Actor, memory: Memory) -> None:
    say(teammate, memory, "wrong")
    update_memory(actor=person, memory_id=memory.pk, expected_version=1, tags=["net"])
    say(teammate, memory, "useful")
    assert hit(teammate, memory).arms["feedback"] == 1 / 5


def test_praise_of_ones_own_is_no_voice(actor: Actor, memory: Memory) -> None:
    say(actor, memory, "useful")
    assert hit(actor, memory).arms["feedback"] == 0
    say(actor, memory, "wrong")
    assert hit(actor, memory).arms["feedback"] == -1 / 5


def test_praise_of_what_one_made_of_another_text_is_none_either(
    person: Actor, memory: Memory
) -> None:
    new = "docker needs a proxy on port 8080"
    update_memory(actor=person, memory_id=memory.pk, expected_version=1, content=new)
    say(person, memory, "useful")
    assert hit(person, memory).arms["feedback"] == 0


def test_who_only_set_tags_may_praise(person: Actor, memory: Memory) -> None:
    update_memory(actor=person, memory_id=memory.pk, expected_version=1, tags=["net"])
    say(person, memory, "useful")
    assert hit(person, memory).arms["feedback"] == 1 / 5


@pytest.mark.parametrize(("verdict", "most"), [("useful", 1.1), ("wrong", 0.9)])
def test_all_voices_together_are_bounded(
    actor: Actor, space: Space, verdict: str, most: float
) -> None:
    memory = jot(actor, TEXT, confidence=0.5)  # leaves room above: no score is over 1
    before = hit(actor, memory).score
    for other in others(space, 40):
        say(other, memory, verdict)
    moved = hit(actor, memory).score / before
    assert min(1, most) <= moved <= max(1, most)
    assert abs(moved - 1) > 0.08  # 40 of 44


def test_the_policy_says_how_much(space: Space, teammate: Actor, memory: Memory) -> None:
    before = hit(teammate, memory).score
    say(teammate, memory, "wrong")
    numbers = {"recall": {"feedback_weight": 0.5, "feedback_prior": 1}}
    Policy.objects.create(space=space, version=1, numbers=numbers)
    after = hit(teammate, memory)
    assert after.arms["feedback"] == -1 / 2
    assert after.score == pytest.approx(before * 0.75, rel=0.01)


def test_another_text_begins_anew(person: Actor, teammate: Actor, memory: Memory) -> None:
    say(teammate, memory, "wrong")
    update_memory(
        actor=person, memory_id=memory.pk, expected_version=1, content="docker needs no proxy"
    )
    assert hit(teammate, memory).arms["feedback"] == 0
    restore_version(actor=person, memory_id=memory.pk, number=1, expected_version=2)
    assert hit(teammate, memory).arms["feedback"] == -1 / 5


def test_the_same_text_keeps_its_voices(person: Actor, teammate: Actor, memory: Memory) -> None:
    say(teammate, memory, "wrong")
    update_memory(actor=person, memory_id=memory.pk, expected_version=1, tags=["net"])
    pin_memory(actor=person, memory_id=memory.pk, expected_version=2, pinned=True)
    assert hit(teammate, memory).arms["feedback"] == -1 / 5


def test_a_complaint_that_people_overruled_is_no_voice(
    person: Actor, teammate: Actor, memory: Memory
) -> None:  # F5
    say(teammate, memory, "wrong")
    flag = Flag.objects.get()
    decide(actor=person, flag_id=flag.pk, choice="keep", expected_versions=(1,))
    assert hit(teammate, memory).arms["feedback"] == 0
    say(teammate, memory, "stale")  # the same agent, once more
    assert hit(teammate, memory).arms["feedback"] == 0


def test_what_others_cannot_see_they_do_not_move(
    actor: Actor, teammate: Actor, stranger: Actor, memory: Memory
) -> None:  # D1
    private = jot(actor, "docker has a secret", visibility="private")
    for who, target in ((stranger, memory), (stranger, private), (teammate, private)):
        with pytest.raises(Exception, match="no such memory"):
            say(who, target, "wrong")
    assert not Feedback.objects.exists()
    assert not Event.objects.filter(verb="feedback").exists()


def test_the_explanation_says_so_when_several_agree(
    actor: Actor, space: Space, memory: Memory
) -> None:
    voices = others(space, 4)
    for voice in voices:
        say(voice, memory, "useful")
    assert "often found useful" in hit(actor, memory).explanation
    for voice in voices:
        say(voice, memory, "wrong")
    assert "several found it wrong" in hit(actor, memory).explanation
