"""The pages of a memory's past: compare, restore, who said what, the export (E1, J4)."""

import json
import uuid
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.lifecycle import delete_memory, update_memory
from memories.models import Memory, MemoryVersion, Space
from memories.permissions import Actor
from memories.writing import write_memory
from tests.people import member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
FIRST = "The cache is Redis. It listens on 6379."
SECOND = "The cache is Valkey. It listens on 6379."


@pytest.fixture
def memory(actor: Actor, person: Actor) -> Memory:
    """A memory with three versions; the third changed no text."""
    made = write_memory(actor=actor, content=FIRST, reflection="Seen.", tags=["infra"]).memory
    change: dict[str, Any] = {"actor": person, "memory_id": made.pk}
    update_memory(**change, expected_version=1, content=SECOND, reflection="Heard.", reason="moved")
    return update_memory(**change, expected_version=2, tags=["infra", "cache"])


@pytest.fixture
def client(reviewer: User) -> Client:
    return signed_in(reviewer)


def look(client: Client, memory: Memory, rest: str = "") -> str:
    answer = client.get(f"/memories/{memory.pk}/{rest}")
    assert answer.status_code == 200
    return answer.content.decode()


def again(client: Client, memory: Memory, number: int = 1, **form: Any) -> str:
    sent = {"version": memory.version, "reason": ""} | form
    path = f"/memories/{memory.pk}/versions/{number}/restore/"
    return client.post(path, sent, follow=True).content.decode()


# --- History --------------------------------------------------------------------------------------
def test_it_tells_what_each_version_changed_and_no_more(client: Client, memory: Memory) -> None:
    page = look(client, memory)
    assert "The cache is <del>Redis</del><ins>Valkey</ins>. It listens" in page
    assert "<del>Seen</del><ins>Heard</ins>." in page
    assert "<del>infra</del> → <ins>infra, cache</ins>" in page
    # The version that changed no text does not repeat it.
    assert page.count('<p class="content">') == 2


def test_it_leads_to_what_can_be_done_with_versions(client: Client, memory: Memory) -> None:
    page = look(client, memory)
    for rest in ("compare/", "blame/", "history.json", "compare/?from=1", "versions/1/restore/"):
        assert f'"/memories/{memory.pk}/{rest}"' in page
    assert f'"/memories/{memory.pk}/versions/3/restore/"' not in page


def test_a_viewer_restores_nothing(space: Space, memory: Memory) -> None:
    viewer = signed_in(member(space, "vera", "viewer"))
    assert "restore/" not in look(viewer, memory)
    answer = viewer.post(f"/memories/{memory.pk}/versions/1/restore/", {"version": 3})
    assert answer.status_code == 403
    assert Memory.objects.get().version == 3


# --- Comparing ------------------------------------------------------------------------------------
def test_it_compares_any_two_versions(client: Client, memory: Memory) -> None:  # E1
    page = look(client, memory, "compare/?from=1&to=3")
    assert "Version 1 → version 3" in page
    assert "The cache is <del>Redis</del><ins>Valkey</ins>." in page
    assert "<del>Seen</del><ins>Heard</ins>." in page
    assert "<del>infra</del> → <ins>infra, cache</ins>" in page


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("", "Version 2 → version 3"),
        ("?from=1", "Version 1 → version 3"),
        ("?to=2", "Version 1 → version 2"),
        ("?from=x&to=-1", "Version 2 → version 3"),
        ("?from=3&to=1", "Version 3 → version 1"),
    ],
)
def test_it_fills_in_what_is_not_given(
    client: Client, memory: Memory, query: str, title: str
) -> None:
    assert title in look(client, memory, f"compare/{query}")


def test_it_says_when_both_are_the_same(client: Client, memory: Memory) -> None:
    assert "Both versions say the same" in look(client, memory, "compare/?from=2&to=2")


def test_it_compares_with_no_version_that_never_was(client: Client, memory: Memory) -> None:
    assert client.get(f"/memories/{memory.pk}/compare/?from=9").status_code == 404


def test_a_version_has_an_address(client: Client, memory: Memory) -> None:
    answer = client.get(f"/memories/{memory.pk}/versions/1/", follow=True)
    assert "Version 1 → version 3" in answer.content.decode()


# --- Restoring ------------------------------------------------------------------------------------
def test_it_restores_a_version_and_offers_the_way_back(
    client: Client, memory: Memory
) -> None:  # E1
    page = again(client, memory, reason="was right")
    now = Memory.objects.get()
    assert (now.content, now.reflection, now.tags, now.version) == (FIRST, "Seen.", ["infra"], 4)
    assert "Version 1 is version 4 now." in page
    assert f'action="/memories/{memory.pk}/versions/3/restore/"' in page
    again(client, now, 3)
    assert Memory.objects.get().content == SECOND
    assert MemoryVersion.objects.count() == 5


def test_it_restores_nothing_when_it_changed_meanwhile(client: Client, memory: Memory) -> None:
    assert "changed meanwhile" in again(client, memory, version=2)
    assert Memory.objects.get().content == SECOND


def test_it_says_that_a_deleted_one_comes_back_first(
    client: Client, person: Actor, memory: Memory
) -> None:
    gone = delete_memory(actor=person, memory_id=memory.pk)
    assert "Restore it" in again(client, gone)


def test_it_restores_nothing_by_link(client: Client, memory: Memory) -> None:
    client.get(f"/memories/{memory.pk}/versions/1/restore/")
    assert Memory.objects.get().version == 3


# --- Who said what --------------------------------------------------------------------------------
def test_it_tells_which_version_said_each_sentence(client: Client, memory: Memory) -> None:  # E1
    answer = client.get(f"/memories/{memory.pk}/blame/")
    told = [(one.text.strip(), one.version.number) for one in answer.context["told"]]
    assert told == [("The cache is Valkey.", 2), ("It listens on 6379.", 1)]
    assert [one.version.actor_name for one in answer.context["told"]] == ["rui", "coder"]
    assert "moved" in answer.content.decode()


# --- Export ---------------------------------------------------------------------------------------
def test_it_exports_the_history_as_a_file(client: Client, memory: Memory) -> None:  # J4
    answer = client.get(f"/memories/{memory.pk}/history.json")
    assert answer["Content-Disposition"] == f'attachment; filename="memory-{memory.pk}.json"'
    told = json.loads(answer.content)
    assert [one["content"] for one in told["versions"]] == [FIRST, SECOND, SECOND]


# --- For all --------------------------------------------------------------------------------------
@pytest.mark.parametrize("rest", ["compare/", "blame/", "history.json", "versions/1/"])
def test_it_answers_a_foreign_id_like_a_missing_one(memory: Memory, rest: str) -> None:  # D1
    stranger = signed_in(member(Space.objects.create(slug="other", name="Other"), "sten"))
    foreign = stranger.get(f"/memories/{memory.pk}/{rest}")
    missing = stranger.get(f"/memories/{uuid.uuid4()}/{rest}")
    assert foreign.status_code == missing.status_code == 404
    assert foreign.content == missing.content


def test_it_escapes_what_agents_wrote(client: Client, actor: Actor) -> None:
    evil = "<script>alert(1)</script>"
    memory = write_memory(actor=actor, content=evil, metadata={evil: evil}).memory
    said: dict[str, Any] = {"content": f"{evil} Twice.", "metadata": {}, "subject": evil}
    update_memory(actor=actor, memory_id=memory.pk, expected_version=1, reason=evil, **said)
    for rest in ("", "compare/", "blame/"):
        assert "<script>alert" not in look(client, memory, rest)


@pytest.mark.parametrize("rest", ["", "compare/?from=1", "blame/"])
def test_it_asks_the_database_as_often_for_a_long_history(
    client: Client,
    person: Actor,
    memory: Memory,
    rest: str,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    most = {"": 30, "compare/?from=1": 10, "blame/": 10}[rest]
    for number in range(3, 13):
        update_memory(
            actor=person, memory_id=memory.pk, expected_version=number, tags=[str(number)]
        )
    with django_assert_max_num_queries(most):
        look(client, memory, rest)
