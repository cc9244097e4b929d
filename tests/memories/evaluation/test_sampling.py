"""What a round of judging is drawn from: real questions, each once, nobody else's (H4, D1)."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.utils import timezone

from memories.errors import Invalid, NotAllowed
from memories.evaluation.judging import finish_evaluation
from memories.evaluation.sampling import SIZE, begin_evaluation
from memories.identity import actor_for_user
from memories.lifecycle import update_memory
from memories.models import Evaluation, Event, Memory, Space
from memories.permissions import Actor
from memories.recall import recall
from tests.memories.evaluation.rounds import asked, judged, judgements_of, say
from tests.memories.recall.helpers import jot
from tests.people import member

pytestmark = pytest.mark.django_db


@pytest.fixture
def memory(actor: Actor) -> Memory:
    return jot(actor, "Tea at four.")


def drawn(evaluation: Evaluation) -> set[str]:
    """The texts of a round's questions."""
    return set(evaluation.judgements.values_list("recall__query", flat=True))


def test_it_draws_what_agents_asked(actor: Actor, person: Actor, memory: Memory) -> None:
    asked(actor, "When is tea?", memory)
    asked(person, "A person looks something up", memory)
    evaluation = begin_evaluation(actor=person)
    assert drawn(evaluation) == {"When is tea?"}
    assert (evaluation.asked, evaluation.unanswered, evaluation.actor_name) == (1, 0, "rui")


def test_it_draws_from_real_recalls(embedder: str, actor: Actor, person: Actor) -> None:
    jot(actor, "Tea is served at four.")
    assert recall(actor=actor, query="When is tea served?").hits
    assert drawn(begin_evaluation(actor=person)) == {"When is tea served?"}


def test_a_question_counts_once_for_each_user(actor: Actor, person: Actor, memory: Memory) -> None:
    for _again in range(3):
        asked(actor, "When is tea?", memory)
    newest = asked(actor, "When is tea?", memory)
    asked(actor.acting_for("alice"), "When is tea?", memory)
    evaluation = begin_evaluation(actor=person)
    assert evaluation.asked == 2
    assert newest.pk in set(evaluation.judgements.values_list("recall", flat=True))


def test_what_had_no_hit_is_counted_and_not_drawn(
    actor: Actor, person: Actor, memory: Memory
) -> None:
    asked(actor, "When is tea?", memory)
    asked(actor, "Who was Ada?")
    evaluation = begin_evaluation(actor=person)
    assert drawn(evaluation) == {"When is tea?"}
    assert (evaluation.asked, evaluation.unanswered) == (2, 1)


def test_it_draws_some_of_many_by_chance(actor: Actor, person: Actor, memory: Memory) -> None:
    for n in range(3 * SIZE):
        asked(actor, f"{n}", memory)
    numbers = {int(text) for text in drawn(begin_evaluation(actor=person))}
    assert len(numbers) == SIZE
    assert numbers != set(range(SIZE))
    assert numbers != set(range(2 * SIZE, 3 * SIZE))


def test_the_first_three_hits_are_judged(actor: Actor, person: Actor) -> None:
    notes = [jot(actor, f"Note {n}.") for n in range(5)]
    asked(actor, "What did I note?", *notes)
    judgements = judgements_of(begin_evaluation(actor=person))
    assert [one.memory_id for one in judgements] == [note.pk for note in notes[:3]]
    assert [one.rank for one in judgements] == [1, 2, 3]
    assert {one.relevant for one in judgements} == {None}


def test_it_remembers_what_the_agent_was_given(actor: Actor, person: Actor, memory: Memory) -> None:
    before = asked(actor, "When is tea?", memory)
    update_memory(actor=actor, memory_id=memory.pk, expected_version=1, content="Tea at five.")
    after = asked(actor, "When is tea now?", memory)
    judgements = judgements_of(begin_evaluation(actor=person))
    versions = {one.recall_id: one.memory_version for one in judgements}
    assert versions == {before.pk: 1, after.pk: 2}


def test_a_round_begins_where_the_last_one_did(actor: Actor, person: Actor, memory: Memory) -> None:
    asked(actor, "old", memory, days=2)
    first = judged(person, True)
    asked(actor, "new", memory)
    second = begin_evaluation(actor=person)
    assert (drawn(first), drawn(second)) == ({"old"}, {"new"})
    assert second.since == first.created_at


def test_it_looks_back_thirty_days(actor: Actor, person: Actor, memory: Memory) -> None:
    asked(actor, "last month", memory, days=29.9)
    asked(actor, "long ago", memory, days=30.1)
    evaluation = begin_evaluation(actor=person)
    assert drawn(evaluation) == {"last month"}
    assert (timezone.now() - evaluation.since).days == 30


def test_whoever_comes_second_joins(
    actor: Actor, person: Actor, admin: Actor, memory: Memory
) -> None:
    asked(actor, "When is tea?", memory)
    first = begin_evaluation(actor=person)
    asked(actor, "And coffee?", memory)
    assert begin_evaluation(actor=admin) == first
    assert drawn(first) == {"When is tea?"}


@pytest.mark.django_db(transaction=True)
def test_two_who_begin_at_once_judge_together(
    actor: Actor, person: Actor, admin: Actor, memory: Memory
) -> None:
    asked(actor, "When is tea?", memory)

    def begun(who: Actor) -> Evaluation:
        try:
            return begin_evaluation(actor=who)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(begun, [person, admin] * 4))
    assert len({one.pk for one in found}) == 1
    assert len(judgements_of(found[0])) == 1


def test_another_space_is_another_space(
    actor: Actor, stranger: Actor, person: Actor, memory: Memory
) -> None:  # D1
    asked(stranger, "What do strangers ask?", jot(stranger, "Strange."))
    asked(actor, "When is tea?", memory)
    assert drawn(begin_evaluation(actor=person)) == {"When is tea?"}
    theirs = actor_for_user(member(Space.objects.get(pk=stranger.space_id), "sam"))
    assert theirs is not None
    assert drawn(begin_evaluation(actor=theirs)) == {"What do strangers ask?"}


def test_a_viewer_and_an_agent_do_not_read_questions(
    actor: Actor, space: Space, memory: Memory
) -> None:  # D1
    asked(actor, "When is tea?", memory)
    viewer = actor_for_user(member(space, "vera", "viewer"))
    assert viewer is not None
    for who in (viewer, actor):
        with pytest.raises(NotAllowed):
            begin_evaluation(actor=who)
    assert not Evaluation.objects.exists()


def test_it_says_why_there_is_nothing_to_judge(actor: Actor, person: Actor) -> None:
    with pytest.raises(Invalid, match="No agent has asked anything since"):
        begin_evaluation(actor=person)
    asked(actor, "Who was Ada?")
    with pytest.raises(Invalid, match="had no hit"):
        begin_evaluation(actor=person)
    asked(actor, "And Charles?")
    with pytest.raises(Invalid, match="None of the 2 questions"):
        begin_evaluation(actor=person)
    assert not Evaluation.objects.exists()


def test_the_log_says_who_began_and_who_finished(
    actor: Actor, person: Actor, memory: Memory
) -> None:
    asked(actor, "When is tea?", memory)
    evaluation = begin_evaluation(actor=person)
    say(person, judgements_of(evaluation)[0], True)
    finish_evaluation(actor=person, evaluation_id=evaluation.pk)
    told = {e.verb: e.data for e in Event.objects.filter(verb__startswith="evaluation_")}
    key = {"evaluation": str(evaluation.pk)}
    assert told == {
        "evaluation_begun": key | {"questions": 1, "asked": 1, "unanswered": 0},
        "evaluation_finished": key | {"judged": 1, "relevant": 1},
    }
