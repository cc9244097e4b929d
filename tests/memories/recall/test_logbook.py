"""The log of recalls is written after the answer, in batches, and nothing of it gets lost (C6)."""

import threading
import time
from collections.abc import Sequence

import pytest
from django.db import OperationalError, connection
from pytest_django import Settings

from memories.errors import Invalid
from memories.lifecycle import give_feedback
from memories.models import Hit, Memory, Recall, Space
from memories.models.ids import new_id
from memories.permissions import Actor
from memories.recall import logbook, recall
from memories.recall.afterwards import Afterwards
from tests.memories.recall.helpers import jot

apart = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _away(settings: Settings) -> None:
    """The embedder does not answer."""
    settings.EMBEDDER_URL = "http://127.0.0.1:9/v1"


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """The writing of the log waits until this is set."""
    gate, write = threading.Event(), logbook._write
    patient = Afterwards[logbook.Unwritten](lambda batch: (gate.wait(30), write(batch))[1])
    monkeypatch.setattr(logbook, "_afterwards", patient)
    return gate


@apart
def test_it_answers_before_it_is_written_down(actor: Actor, held: threading.Event) -> None:
    memory = jot(actor, "deploy with docker")
    result = recall(actor=actor, query="docker")
    assert [hit.memory for hit in result.hits] == [memory]
    assert not Recall.objects.exists()
    held.set()
    assert logbook.settled()
    assert Recall.objects.get().pk == result.id
    assert Hit.objects.get().memory == memory


@apart
def test_it_warms_a_memory_by_every_recall_of_a_batch(actor: Actor, held: threading.Event) -> None:
    memory = jot(actor, "deploy with docker")
    for _n in range(5):
        recall(actor=actor, query="docker")
    held.set()
    assert logbook.settled()
    memory.refresh_from_db()
    assert (memory.recall_count, Recall.objects.count()) == (5, 5)
    assert memory.heat == pytest.approx(5.0)


@apart
def test_it_leaves_out_what_has_gone_meanwhile(
    actor: Actor, stranger: Actor, held: threading.Event
) -> None:
    gone, kept = jot(actor, "deploy with docker"), jot(actor, "docker on mondays")
    jot(stranger, "deploy with docker")
    recall(actor=actor, query="docker")
    recall(actor=stranger, query="docker")
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # Append-only tables, too.
        Memory.objects.filter(pk=gone.pk)._raw_delete(Memory.objects.db)
        Memory.objects.filter(space_id=stranger.space_id)._raw_delete(Memory.objects.db)
        Space.objects.filter(pk=stranger.space_id)._raw_delete(Space.objects.db)
        cursor.execute("SET session_replication_role = origin")
    held.set()
    assert logbook.settled()
    assert Recall.objects.get().space_id == actor.space_id
    assert Hit.objects.get().memory == kept


@apart
def test_it_writes_one_recall_once(actor: Actor) -> None:
    """The connection may break after the transaction that wrote it was committed."""
    memory = jot(actor, "deploy with docker")
    recall(actor=actor, query="docker")
    assert logbook.settled()
    entry = Recall.objects.get()
    hit = Hit(recall=entry, memory=memory, rank=1, score=1.0)
    logbook._write([logbook.Unwritten(entry, (hit,), 30.0)])
    memory.refresh_from_db()
    assert (Recall.objects.count(), Hit.objects.count(), memory.recall_count) == (1, 1, 1)


@pytest.mark.django_db
def test_it_is_part_of_a_transaction_that_is_open(actor: Actor, held: threading.Event) -> None:
    jot(actor, "deploy with docker")
    recall(actor=actor, query="docker")
    assert Recall.objects.count() == 1


@apart
def test_it_takes_feedback_on_a_recall_that_is_being_written(
    actor: Actor, held: threading.Event
) -> None:
    memory = jot(actor, "deploy with docker")
    result = recall(actor=actor, query="docker")
    threading.Timer(0.2, held.set).start()
    given = give_feedback(actor=actor, memory_id=memory.pk, verdict="useful", recall_id=result.id)
    assert given.recall_id == result.id


@apart
def test_it_waits_for_no_recall_that_cannot_come(actor: Actor) -> None:
    memory = jot(actor, "deploy with docker")
    began = time.monotonic()
    old = new_id().int - (60_000 << 80)  # made a minute ago
    with pytest.raises(Invalid):
        give_feedback(
            actor=actor, memory_id=memory.pk, verdict="useful", recall_id=type(new_id())(int=old)
        )
    assert time.monotonic() - began < logbook.PATIENCE


def test_it_tries_again_while_the_database_is_away() -> None:
    done: list[int] = []
    away = [True, True]

    def work(batch: Sequence[int]) -> None:
        if away and away.pop():
            raise OperationalError("away")
        done.extend(batch)

    afterwards = Afterwards(work)
    for number in range(3):
        afterwards.put(number)
    assert afterwards.settled(10)
    assert done == [0, 1, 2]


def test_it_gives_up_only_what_cannot_be_written() -> None:
    done: list[int] = []

    def work(batch: Sequence[int]) -> None:
        if 1 in batch:
            raise ValueError("a bad one")
        done.extend(batch)

    afterwards = Afterwards(work)
    for number in range(3):
        afterwards.put(number)
    assert afterwards.settled(10)
    assert done == [0, 2]


def test_it_has_the_caller_work_when_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.recall.afterwards.MOST", 2)
    gate = threading.Event()
    by: dict[int, threading.Thread] = {}

    def work(batch: Sequence[int]) -> None:
        if threading.current_thread() is not threading.main_thread():
            gate.wait(30)
        by.update(dict.fromkeys(batch, threading.current_thread()))

    afterwards = Afterwards(work)
    number = 0
    while threading.main_thread() not in by.values() and number < 1_000:
        afterwards.put(number)
        number += 1
    gate.set()
    assert afterwards.settled(10)
    assert sorted(by) == list(range(number))
    assert by[number - 1] is threading.main_thread()


def test_it_says_what_is_not_written_down(caplog: pytest.LogCaptureFixture) -> None:
    gate = threading.Event()

    def work(_batch: Sequence[int]) -> None:
        gate.wait(30)

    afterwards = Afterwards(work)
    afterwards.put(1)
    assert not afterwards.settled(0.1)
    assert "1 recalls are not written down yet" in caplog.text
    gate.set()
    assert afterwards.settled(10)
