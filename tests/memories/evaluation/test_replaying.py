"""What people judged, asked again: which questions count, who may, and what it leaves (J5)."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from memories.errors import Invalid, NotAllowed
from memories.evaluation import learning, replaying
from memories.evaluation.replaying import learn_weights
from memories.evaluation.sampling import begin_evaluation
from memories.lifecycle import delete_memory, update_memory
from memories.models import Agent, Event, Judgement, Memory, Policy, Recall, Space
from memories.permissions import Actor
from tests.memories.evaluation.rounds import asked, judged, judgements_of, say
from tests.memories.evaluation.weighed import question, questions, two_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
COUNT = 8


@pytest.fixture
def enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if so few questions were enough."""
    monkeypatch.setattr(learning, "ENOUGH", COUNT)


@pytest.mark.usefixtures("enough")
def test_it_finds_what_the_judgements_hide(actor: Actor, person: Actor, admin: Actor) -> None:
    recalls = questions(actor, person, COUNT)
    learnt = learn_weights(actor=admin)
    finding = learnt.finding
    assert (finding.verdict, learnt.version, learnt.unasked) == ("better", 1, 0)
    assert {one.pk for one in learnt.recalls} == {one.pk for one in recalls}
    assert finding.best
    assert finding.best.session_bonus > 0.0
    assert (finding.present, finding.reached, finding.default) == (0.0, 1.0, 1.0)


@pytest.mark.usefixtures("enough")
def test_where_the_judgements_agree_nothing_is_suggested(
    actor: Actor, person: Actor, admin: Actor
) -> None:
    questions(actor, person, COUNT, right=False)
    finding = learn_weights(actor=admin).finding
    assert (finding.verdict, finding.present) == ("none", 1.0)


def test_few_judgements_are_too_few(actor: Actor, person: Actor, admin: Actor) -> None:
    questions(actor, person, 3)
    learnt = learn_weights(actor=admin)
    assert (learnt.finding.verdict, len(learnt.recalls)) == ("few", 3)


def test_without_judgements_it_asks_nothing(admin: Actor) -> None:
    assert learn_weights(actor=admin).recalls == ()


# --- rights ---------------------------------------------------------------------------------------


def test_only_who_may_change_the_policy_and_judge_learns(
    space: Space, person: Actor, actor: Actor, admin: Actor
) -> None:  # G4
    half = Actor("user", admin.id, "half", space.pk, admin.verbs - {"see_private"})
    for who in (person, actor, half):
        with pytest.raises(NotAllowed):
            learn_weights(actor=who)


def test_nothing_of_another_space_is_asked(
    actor: Actor, person: Actor, stranger: Actor, admin: Actor
) -> None:  # D1
    questions(actor, person, 1)
    verbs = admin.verbs
    far = Actor("user", None, "sam", stranger.space_id, verbs)
    question(stranger, 0)
    judged(far, False, True)
    (one,) = learn_weights(actor=far).recalls
    assert one.space_id == stranger.space_id
    (other,) = learn_weights(actor=admin).recalls
    assert other.space_id == actor.space_id


# --- which questions ------------------------------------------------------------------------------


def test_a_question_counts_with_a_relevant_hit_and_another(
    actor: Actor, person: Actor, admin: Actor
) -> None:
    for number in range(3):
        question(actor, number)
    judged(person, True, True, False, False, False, True)
    (one,) = learn_weights(actor=admin).recalls
    assert "svc-2" in one.query


def test_an_open_round_does_not_count_yet(actor: Actor, person: Actor, admin: Actor) -> None:
    question(actor, 1)
    for one, verdict in zip(
        judgements_of(begin_evaluation(actor=person)), (True, False), strict=True
    ):
        say(person, one, verdict)
    assert learn_weights(actor=admin).recalls == ()


def test_what_was_said_of_another_text_does_not_count(
    actor: Actor, person: Actor, admin: Actor
) -> None:
    for number in (1, 2):
        question(actor, number)
    judged(person, True, False, True, False)
    changed = Memory.objects.get(content__contains="svc-1 ", user_id="")
    update_memory(actor=person, memory_id=changed.pk, expected_version=1, content="svc-1 has none.")
    (one,) = learn_weights(actor=admin).recalls
    assert "svc-2" in one.query
    # Other tags leave the text as it is.
    tagged = Memory.objects.get(content__contains="svc-2 ", user_id="")
    update_memory(actor=person, memory_id=tagged.pk, expected_version=1, tags=["db"])
    assert len(learn_weights(actor=admin).recalls) == 1


def test_what_is_not_found_any_more_does_not_count(
    actor: Actor, person: Actor, admin: Actor
) -> None:
    question(actor, 1)
    judged(person, True, False)
    gone = Memory.objects.get(user_id="")
    delete_memory(actor=person, memory_id=gone.pk, expected_version=1)
    assert learn_weights(actor=admin).recalls == ()


def test_the_newest_judgement_of_a_repeated_question_counts(
    actor: Actor, person: Actor, admin: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(replaying, "find", lambda found, *_policies: told.extend(found))
    often, rare = two_of(actor, 1)
    for verdicts in ((True, False), (False, True)):
        newest = asked(actor.acting_for("alice"), "Where is svc-1?", often, rare)
        judged(person, *verdicts)
    assert learn_weights(actor=admin).recalls == (newest,)
    assert [(one.relevant, one.others) for one in told] == [({rare.pk}, {often.pk})]


def test_an_agent_that_works_no_more_is_not_asked_as(
    actor: Actor, person: Actor, admin: Actor, agent: Agent
) -> None:
    question(actor, 1)
    judged(person, True, False)
    Agent.objects.filter(pk=agent.pk).update(is_active=False)
    assert learn_weights(actor=admin).recalls == ()


# --- what it costs and leaves ---------------------------------------------------------------------


@pytest.mark.usefixtures("enough")
def test_it_looks_once_for_each_question_whatever_is_tried(
    actor: Actor, person: Actor, admin: Actor
) -> None:
    questions(actor, person, COUNT)
    with CaptureQueriesContext(connection) as asked_all:
        assert learn_weights(actor=admin).finding.tried > 10
    Judgement.objects.filter(recall__query__contains="svc-0").delete()
    with CaptureQueriesContext(connection) as asked_fewer:
        assert learn_weights(actor=admin).finding.verdict == "few"
    each = len(asked_all) - len(asked_fewer)
    # The transaction of prepared statements and their settings are statements, too.
    assert 0 < each <= 8
    assert len(asked_all) <= 8 * each + 10


@pytest.mark.usefixtures("enough")
def test_it_changes_nothing(actor: Actor, person: Actor, admin: Actor) -> None:  # C6
    questions(actor, person, COUNT)

    def state() -> list[Any]:
        memories = Memory.objects.order_by("pk").values_list("heat", "recall_count", "updated_at")
        tables = (Recall, Event, Policy, Judgement)
        return [*memories, *(table.objects.count() for table in tables)]

    before = state()
    learn_weights(actor=admin)
    assert state() == before


def test_without_the_embedder_it_says_so(
    actor: Actor, person: Actor, admin: Actor, settings: Settings
) -> None:
    question(actor, 1)
    judged(person, True, False)
    settings.EMBEDDER_URL, settings.REDIS_URL = "http://127.0.0.1:9/v1", "redis://127.0.0.1:9/0"
    with pytest.raises(Invalid, match="The embedding service does not answer"):
        learn_weights(actor=admin)


def test_it_asks_the_newest_while_there_is_time(
    actor: Actor, person: Actor, admin: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, days in ((1, 2.0), (2, 1.0)):
        question(actor, number, days=days)
    judged(person, True, False, True, False)
    clock = iter([0.0, 1.0, replaying.SECONDS + 1.0])
    monkeypatch.setattr(replaying, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    learnt = learn_weights(actor=admin)
    (one,) = learnt.recalls
    assert "svc-2" in one.query
    assert learnt.unasked == 1


def test_it_asks_so_many_at_the_most(
    actor: Actor, person: Actor, admin: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "QUESTIONS", 1)
    for number, days in ((1, 2.0), (2, 1.0)):
        question(actor, number, days=days)
    judged(person, True, False, True, False)
    (one,) = learn_weights(actor=admin).recalls
    assert "svc-2" in one.query
