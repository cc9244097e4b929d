"""Two stored memories that turn out to be one are put to a person, once (B7)."""

import pytest
from pytest_django import Settings

from memories import writing
from memories.lifecycle import update_memory
from memories.models import Flag, Memory
from memories.permissions import Actor
from memories.writing import write_memory
from review.decisions import decide
from tests.services import free_port

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]

FIRST, SAME = "The user is allergic to peanuts.", "The user has a peanut allergy."
OTHER = "The user likes tea."


def write(actor: Actor, content: str) -> Memory:
    return write_memory(actor=actor, content=content, source="user_input").memory


def change(actor: Actor, memory: Memory, content: str) -> Memory:
    now = Memory.objects.get(pk=memory.pk)
    return update_memory(
        actor=actor, memory_id=memory.pk, expected_version=now.version, content=content
    )


@pytest.fixture
def pair(actor: Actor, person: Actor) -> tuple[Memory, Memory]:
    """Two memories; the second was changed to say what the first says."""
    first, second = write(actor, FIRST), write(actor, OTHER)
    change(person, second, SAME)
    return first, second


def told_apart(person: Actor) -> None:
    flag = Flag.objects.open().get()
    versions = (flag.memory_version, flag.counterpart_version or 0)
    decide(actor=person, flag_id=flag.pk, choice="different", expected_versions=versions)


def test_it_asks_about_a_text_that_became_the_same(pair: tuple[Memory, Memory]) -> None:
    flag = Flag.objects.get()
    assert (flag.kind, flag.reason) == ("near_duplicate", "same_words")
    assert (flag.memory_id, flag.counterpart_id) == (pair[1].pk, pair[0].pk)
    assert (flag.memory_version, flag.counterpart_version) == (2, 1)
    assert Memory.objects.filter(status="active").count() == 2


def test_it_asks_when_the_embedding_comes_later(
    actor: Actor, settings: Settings, embedder: str
) -> None:
    settings.EMBEDDER_URL = f"http://127.0.0.1:{free_port()}/v1"
    first = write(actor, FIRST)
    second = write(actor, "He is intolerant: peanuts make the user ill, an allergy.")
    Memory.objects.filter(pk=second.pk).update(content=SAME)
    settings.EMBEDDER_URL = embedder
    while writing.embed_waiting():
        pass
    flag = Flag.objects.get()
    assert (flag.kind, flag.memory_id, flag.counterpart_id) == (
        "near_duplicate",
        second.pk,
        first.pk,
    )


def test_it_asks_once_about_a_pair(person: Actor, pair: tuple[Memory, Memory]) -> None:
    change(person, pair[0], "The user is allergic to peanuts!")
    assert Flag.objects.open().count() == 1


def test_it_does_not_ask_again_what_people_decided(
    person: Actor, pair: tuple[Memory, Memory]
) -> None:
    told_apart(person)
    change(person, pair[1], OTHER)
    change(person, pair[1], SAME)
    assert not Flag.objects.open().exists()


def test_it_asks_again_about_another_text(person: Actor, pair: tuple[Memory, Memory]) -> None:
    told_apart(person)
    change(person, pair[1], "The user has an allergy to peanuts.")
    assert Flag.objects.open().get().kind == "near_duplicate"


def test_a_contradiction_is_asked_about_as_one(actor: Actor, person: Actor) -> None:  # E3
    write(actor, "Backups run at 02:00.")
    change(person, write(actor, OTHER), "Backups run at 04:30.")
    assert Flag.objects.get().kind == "conflict"
