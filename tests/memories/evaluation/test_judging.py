"""Who may say what of a hit, and what comes of it: precision@3 (H4, E6)."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction

from memories import jobs
from memories.errors import Invalid, NotAllowed, NotFound, Stale
from memories.evaluation.judging import (
    Figures,
    evaluations_of,
    figures_of,
    finish_evaluation,
    get_evaluation,
    hits_of,
    judge,
    questions_of,
    reject_rest,
)
from memories.evaluation.sampling import begin_evaluation
from memories.identity import actor_for_user
from memories.jobs.erasing import erase_user
from memories.lifecycle import delete_memory, update_memory
from memories.lifecycle.erasing import preview_erasure
from memories.lifecycle.purging import purge_memory
from memories.models import Evaluation, Judgement, Memory, Space
from memories.permissions import Actor
from tests.memories.evaluation.rounds import asked, judgements_of, say
from tests.memories.recall.helpers import jot
from tests.people import member

pytestmark = pytest.mark.django_db


@pytest.fixture
def notes(actor: Actor) -> list[Memory]:
    return [jot(actor, f"Note {n}.") for n in range(3)]


@pytest.fixture
def evaluation(actor: Actor, person: Actor, notes: list[Memory]) -> Evaluation:
    """A round of two questions, of three hits and of one."""
    asked(actor, "What did I note?", *notes, policy_version=2)
    asked(actor, "And what first?", notes[0], policy_version=3)
    return begin_evaluation(actor=person)


@pytest.fixture
def drawn(evaluation: Evaluation) -> Sequence[Judgement]:
    return judgements_of(evaluation)


def figures(evaluation: Evaluation) -> Figures:
    return figures_of([evaluation])[evaluation.pk]


def test_it_counts_what_is_relevant(
    person: Actor, evaluation: Evaluation, drawn: Sequence[Judgement]
) -> None:
    for one, verdict in zip(drawn, (True, False, None, False), strict=True):
        say(person, one, verdict)
    found = figures(evaluation)
    assert found == Figures(2, 1, 3, 0, 1, 2, 1, 2, 3)
    assert found.precision == pytest.approx(1 / 3)
    # Wilson by hand: (1/3 + z²/6) / (1 + z²/3) ∓ half.
    assert found.interval == pytest.approx((0.0615, 0.7923), abs=5e-4)
    assert (found.helped, found.hits) == (0.5, 4)


def test_nothing_judged_is_no_figure(evaluation: Evaluation) -> None:
    found = figures(evaluation)
    assert (found.judged, found.precision, found.interval, found.helped) == (0, 0.0, (0.0, 1.0), 0)


def test_figures_take_one_query_for_many_rounds(
    evaluation: Evaluation, django_assert_num_queries: object
) -> None:
    with django_assert_num_queries(1):  # type: ignore[operator]
        assert figures_of([evaluation, Evaluation(space_id=evaluation.space_id)])


def test_a_judgement_names_who_and_when(
    person: Actor, admin: Actor, drawn: Sequence[Judgement]
) -> None:
    say(person, drawn[0], True)
    say(admin, drawn[1], False)
    told = Judgement.objects.order_by("recall_id", "rank").values_list("actor_name", "relevant")
    assert list(told[:3]) == [("rui", True), ("ada", False), ("", None)]
    assert Judgement.objects.filter(judged_at__isnull=False, actor_kind="user").count() == 2


def test_saying_it_again_changes_nothing(
    person: Actor, admin: Actor, drawn: Sequence[Judgement]
) -> None:  # F3
    first = say(person, drawn[0], True)
    again = judge(actor=admin, judgement_id=drawn[0].pk, relevant=True, expected=None)
    assert (again.actor_name, again.judged_at) == ("rui", first.judged_at)


def test_it_can_be_changed_and_taken_back(person: Actor, drawn: Sequence[Judgement]) -> None:
    changed = say(person, say(person, drawn[0], True), False)
    assert changed.relevant is False
    back = say(person, changed, None)
    back.refresh_from_db()
    assert (back.relevant, back.judged_at, back.actor_id, back.actor_name) == (None, None, None, "")


def test_it_does_not_override_what_somebody_said_meanwhile(
    person: Actor, admin: Actor, drawn: Sequence[Judgement]
) -> None:
    say(person, drawn[0], True)
    with pytest.raises(Stale, match="rui said meanwhile that this hit is relevant"):
        judge(actor=admin, judgement_id=drawn[0].pk, relevant=False, expected=None)
    say(person, Judgement.objects.get(pk=drawn[0].pk), None)
    with pytest.raises(Stale, match="took back"):
        judge(actor=admin, judgement_id=drawn[0].pk, relevant=False, expected=True)


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_is_told(
    person: Actor, admin: Actor, drawn: Sequence[Judgement]
) -> None:
    def said(who: Actor, verdict: bool) -> str:
        try:
            judge(actor=who, judgement_id=drawn[0].pk, relevant=verdict, expected=None)
        except Stale:
            return "told"
        finally:
            connection.close()
        return who.name

    with ThreadPoolExecutor(2) as pool:
        found = sorted(pool.map(said, (person, admin), (True, False)))
    assert found[1] == "told"
    assert Judgement.objects.get(pk=drawn[0].pk).actor_name == found[0]


def test_the_rest_is_rejected_at_once(
    person: Actor, evaluation: Evaluation, drawn: Sequence[Judgement]
) -> None:
    say(person, drawn[1], True)
    recall = drawn[0].recall_id
    assert reject_rest(actor=person, evaluation_id=evaluation.pk, recall_id=recall) == 2
    said = [one.relevant for one in judgements_of(evaluation)]
    assert said == [False, True, False, None]


def test_a_finished_round_stays_as_it_is(
    person: Actor, evaluation: Evaluation, drawn: Sequence[Judgement]
) -> None:
    one = say(person, drawn[0], True)
    closed = finish_evaluation(actor=person, evaluation_id=evaluation.pk).closed_at
    assert closed
    assert finish_evaluation(actor=person, evaluation_id=evaluation.pk).closed_at == closed
    with pytest.raises(Stale, match="finished"):
        say(person, one, False)
    with pytest.raises(Stale, match="finished"):
        reject_rest(actor=person, evaluation_id=evaluation.pk, recall_id=one.recall_id)


def test_a_round_without_a_judgement_is_not_finished(person: Actor, evaluation: Evaluation) -> None:
    with pytest.raises(Invalid, match="Judge at least one"):
        finish_evaluation(actor=person, evaluation_id=evaluation.pk)


def test_a_viewer_sees_figures_and_no_question(space: Space, evaluation: Evaluation) -> None:  # D1
    viewer = actor_for_user(member(space, "vera", "viewer"))
    assert viewer is not None
    assert list(evaluations_of(viewer)) == [evaluation]
    one = judgements_of(evaluation)[0]
    for refused in (
        lambda: questions_of(viewer, evaluation),
        lambda: hits_of(viewer, evaluation, one.recall),
        lambda: say(viewer, one, True),
        lambda: reject_rest(actor=viewer, evaluation_id=evaluation.pk, recall_id=one.recall_id),
        lambda: finish_evaluation(actor=viewer, evaluation_id=evaluation.pk),
    ):
        with pytest.raises(NotAllowed):
            refused()


def test_another_spaces_round_is_none(stranger: Actor, evaluation: Evaluation) -> None:  # D1
    theirs = actor_for_user(member(Space.objects.get(pk=stranger.space_id), "sam"))
    assert theirs is not None
    one = judgements_of(evaluation)[0]
    assert not evaluations_of(theirs)
    for foreign in (
        lambda: get_evaluation(actor=theirs, evaluation_id=evaluation.pk),
        lambda: say(theirs, one, True),
        lambda: reject_rest(actor=theirs, evaluation_id=evaluation.pk, recall_id=one.recall_id),
        lambda: finish_evaluation(actor=theirs, evaluation_id=evaluation.pk),
    ):
        with pytest.raises(NotFound):
            foreign()
    assert not Judgement.objects.filter(relevant__isnull=False).exists()


def test_its_questions_come_in_the_order_they_were_asked(
    person: Actor, evaluation: Evaluation, drawn: Sequence[Judgement]
) -> None:
    say(person, drawn[0], True)
    told = [
        (one.number, one.recall.query, one.waiting, one.judged, one.relevant)
        for one in questions_of(person, evaluation)
    ]
    assert told == [(1, "What did I note?", 2, 1, 1), (2, "And what first?", 1, 0, 0)]


def test_a_hit_says_what_the_agent_was_given(
    actor: Actor, person: Actor, evaluation: Evaluation, notes: list[Memory]
) -> None:
    update_memory(actor=actor, memory_id=notes[1].pk, expected_version=1, content="Other words.")
    delete_memory(actor=actor, memory_id=notes[2].pk, expected_version=1)
    recall = questions_of(person, evaluation)[0].recall
    shown = hits_of(person, evaluation, recall)
    assert [hit.version and hit.version.content for hit in shown] == [
        f"Note {n}." for n in range(3)
    ]
    assert [hit.score for hit in shown] == pytest.approx([0.9, 0.8, 0.7])
    assert shown[2].moment == notes[2].created_at


def test_a_purged_hit_waits_for_nobody(
    person: Actor, evaluation: Evaluation, notes: list[Memory], drawn: Sequence[Judgement]
) -> None:  # E6
    judged = say(person, drawn[1], True)
    for note in (notes[1], notes[2]):
        purge_memory(actor=person, memory_id=note.pk)
    found = figures(evaluation)
    # What was said of one still counts; nobody is asked about the other.
    assert (found.judged, found.relevant, found.waiting, found.gone) == (1, 1, 2, 1)
    assert hits_of(person, evaluation, judged.recall)[2].version is None
    with pytest.raises(Stale, match="removed for good"):
        say(person, drawn[2], True)
    assert questions_of(person, evaluation)[0].waiting == 1


def test_erasing_a_user_takes_their_judgements(
    actor: Actor, person: Actor, admin: Actor, notes: list[Memory]
) -> None:  # E6
    asked(actor.acting_for("alice"), "What did Alice note?", notes[0])
    asked(actor, "What did I note?", notes[0])
    evaluation = begin_evaluation(actor=person)
    for one in judgements_of(evaluation):
        say(person, one, True)
    assert preview_erasure(actor=admin, user_id="alice").counts["judgement"] == 1
    jobs.carry_on(erase_user(actor=admin, user_id="alice", confirm="alice").pk)
    assert [one.recall.query for one in judgements_of(evaluation)] == ["What did I note?"]
    assert figures(evaluation).judged == 1


def test_the_database_keeps_a_verdict_and_its_time_together(drawn: Sequence[Judgement]) -> None:
    with pytest.raises(IntegrityError, match="judgement_has_time"), transaction.atomic():
        Judgement.objects.filter(pk=drawn[0].pk).update(relevant=True)
