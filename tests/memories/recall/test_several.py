"""A query that asks several questions: each finds its own, and the best score counts."""

from collections.abc import Sequence

import pytest

from memories.embedding import remembered
from memories.embedding.client import Embeddings, embed
from memories.models import Memory
from memories.models.memory import Status
from memories.permissions import Actor
from memories.policies import PolicyNumbers
from memories.reading import Filters
from memories.recall import looking, recall
from memories.recall.looking import Asking, look, together
from memories.recall.question import asked
from memories.recall.ranking import Ranked
from memories.recall.recall import scope_of
from memories.recall.trial import try_recall
from tests.memories.recall.helpers import NOW, candidate, remember

BOTH = "Where is the harbour festival of lanterns held? And what does my uncle do for a living?"


@pytest.fixture
def uncle(actor: Actor, embedder: str) -> Memory:
    """What only one of the questions asks for, among much that the other one finds."""
    for what in ("date", "price", "programme", "sponsor", "motto"):
        remember(actor, f"The harbour festival of lanterns is held again; its {what} is known.")
    remember(actor, "The harbour festival of lanterns is held in Aarhus.")
    return remember(actor, "Uncle Ben is a carpenter.")


def test_it_answers_each_question(actor: Actor, uncle: Memory) -> None:
    first = [hit.memory for hit in recall(actor=actor, query=BOTH, top_k=2).hits]
    assert uncle in first


def test_it_asks_the_embedder_once(
    actor: Actor, uncle: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:  # C8
    calls: list[Sequence[str]] = []

    def counted(texts: list[str], model: str) -> Embeddings:
        calls.append(texts)
        return embed(texts, model)

    monkeypatch.setattr(remembered, "embed", counted)
    recall(actor=actor, query=BOTH)
    assert [len(texts) for texts in calls] == [3]


def test_it_searches_a_large_scope_once(
    actor: Actor, uncle: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:  # C8
    monkeypatch.setattr(looking, "MOST", 6)
    asking = Asking(actor, asked(BOTH, NOW), NOW)
    assert look(asking, scope_of(actor, Filters()), PolicyNumbers()).parts == ()


def test_it_is_tried_out_as_it_is_recalled(actor: Actor, person: Actor, uncle: Memory) -> None:
    real = recall(actor=actor, query=BOTH, log=False).hits
    told = try_recall(actor=person, as_agent=actor.id, query=BOTH, policies=[PolicyNumbers()])
    answer = told.answers[0]
    assert [hit.memory for hit in answer.hits] == [hit.memory for hit in real]
    assert not {one.memory for one in answer.left} & {hit.memory for hit in answer.hits}


def test_it_shows_what_is_kept_out_of_the_answer_to_a_part(
    actor: Actor, person: Actor, uncle: Memory
) -> None:
    Memory.objects.filter(pk=uncle.pk).update(status=Status.ARCHIVED)
    told = try_recall(
        actor=person, as_agent=actor.id, query=BOTH, policies=[PolicyNumbers()], top_k=2
    )
    assert uncle in [one.memory for one in told.answers[0].left if one.why == "status"]


def test_a_memory_is_as_relevant_as_it_is_to_one_of_the_questions(
    person: Actor, uncle: Memory
) -> None:
    def best(query: str) -> float:
        [answer] = try_recall(actor=person, query=query, policies=[PolicyNumbers()]).answers
        return answer.best or 0.0

    assert best(BOTH) >= best(BOTH.partition(" And")[0]) - 1e-3


def test_of_what_several_questions_find_the_best_score_counts() -> None:
    one, two = candidate(), candidate()
    low, high, other = (
        Ranked(who, {}, {"semantic": score}) for who, score in ((one, 0.2), (one, 0.9), (two, 0.5))
    )
    assert together([[other, low], [high]]) == [high, other]
    assert together([[high], [other, low]]) == [high, other]
