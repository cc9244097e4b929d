"""write_each(): a list as a door takes it, each with its answer in its place (B10)."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from pytest_django import Settings

from memories.embedding.client import EmbedderDown
from memories.errors import Invalid, NotAllowed, Refused, ServiceError
from memories.models import Flag, Memory, Policy, Space
from memories.permissions import Actor
from memories.writing import (
    Said,
    WriteResult,
    embed_waiting,
    many,
    write_each,
    write_memories,
    write_memory,
)
from memories.writing.batch import BATCH, Answer
from memories.writing.draft import drafted
from memories.writing.many import Statement
from tests.memories.writing.embedders import statement

pytestmark = pytest.mark.django_db


def outcomes(answers: Sequence[Answer]) -> list[str]:
    return [
        type(answer).__name__ if isinstance(answer, ServiceError) else answer.outcome.value
        for answer in answers
    ]


@pytest.mark.usefixtures("words")
def test_every_answer_is_in_its_place(actor: Actor) -> None:
    unreadable = Invalid("must be an object.")
    statements: list[Statement] = [
        {"content": statement(0)},
        unreadable,
        {"content": " "},
        {"content": statement(1), "confidence": 0.1},
        {"content": statement(0)},
        {"content": statement(2), "source": "person"},
    ]
    answers = write_each(actor=actor, statements=statements)
    assert outcomes(answers) == [
        *("created", "Invalid", "Invalid", "Refused", "duplicate", "NotAllowed")
    ]
    assert answers[1] is unreadable
    assert Memory.objects.count() == 1


@pytest.mark.usefixtures("words")
@pytest.mark.parametrize("count", [0, BATCH + 1])
def test_a_list_is_of_one_to_a_hundred(actor: Actor, count: int) -> None:
    statements = [{"content": statement(number)} for number in range(count)]
    with pytest.raises(Invalid, match="1 to 100"):
        write_each(actor=actor, statements=statements)
    assert not Memory.objects.exists()


@pytest.mark.usefixtures("words")
def test_its_text_is_bounded(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "MAX_TEXT", 10)
    with pytest.raises(Invalid, match="11 characters"):
        write_each(actor=actor, statements=[{"content": "Tea."}, {"content": "Lunch.."}])
    assert not Memory.objects.exists()
    fitting = [{"content": "Tea."}, {"content": "Lunch."}]
    assert outcomes(write_each(actor=actor, statements=fitting)) == ["created"] * 2


def test_only_who_may_write_is_told_more(actor: Actor) -> None:
    reader = replace(actor, verbs=frozenset({"read"}))
    with pytest.raises(NotAllowed):
        write_each(actor=reader, statements=[])


@pytest.mark.usefixtures("away")
def test_without_the_embedder_it_goes_on_as_a_single_write_does(actor: Actor) -> None:
    alone = write_memory(actor=actor, content=statement(0), user_id="alone")
    told = [{"content": statement(number), "idempotency_key": f"k{number}"} for number in range(3)]
    answers = write_each(actor=actor, statements=[*told, {"content": statement(1)}])
    assert outcomes(answers) == [alone.outcome, "created", "created", "duplicate"]
    results = [answer for answer in answers if isinstance(answer, WriteResult)]
    assert [one.degraded for one in results] == [alone.degraded] * 4
    assert results[0].reason == alone.reason
    assert Memory.objects.filter(embedding=None).count() == 4
    assert outcomes(write_each(actor=actor, statements=told)) == ["created"] * 3


@pytest.mark.usefixtures("away")
def test_what_waited_is_compared_later(actor: Actor, settings: Settings, embedder: str) -> None:
    texts = ("Maria prefers tea without sugar.", "Maria likes her tea without sugar.")
    answers = write_each(actor=actor, statements=[{"content": text} for text in texts])
    assert outcomes(answers) == ["created"] * 2
    settings.EMBEDDER_URL = embedder
    assert embed_waiting() == 2
    assert Flag.objects.get().kind == Flag.Kind.NEAR_DUPLICATE


@pytest.mark.usefixtures("away")
def test_one_transaction_asks_for_the_embedding_once(
    actor: Actor, django_capture_on_commit_callbacks: object
) -> None:
    statements = [{"content": statement(number)} for number in range(20)]
    with django_capture_on_commit_callbacks() as sent:  # type: ignore[operator]
        write_each(actor=actor, statements=statements)
    assert [one.args for one in sent] == [("memories.embed_waiting", ())]


@pytest.mark.usefixtures("words")
def test_a_key_is_answered_as_before_whatever_the_policy_says_by_now(
    actor: Actor, space: Space
) -> None:
    told = {"content": statement(0), "source": "llm_summary", "idempotency_key": "k"}
    [first] = write_each(actor=actor, statements=[told])
    Policy.objects.create(space=space, version=1, numbers={"writing": {"refuse_below": 0.5}})
    [again, refused] = write_each(actor=actor, statements=[told, told | {"idempotency_key": "l"}])
    assert isinstance(first, WriteResult)
    assert isinstance(again, WriteResult)
    assert (again.outcome, again.memory) == (first.outcome, first.memory)
    assert isinstance(refused, Refused)


def test_an_import_still_stops_without_the_embedder(actor: Actor, away: None) -> None:
    """It goes on from there, and all of it is compared when it is written."""
    with pytest.raises(EmbedderDown):
        list(write_memories(actor=actor, said=[Said(drafted(content=statement(0)))]))
    assert not Memory.objects.exists()
