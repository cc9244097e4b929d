"""Archive, trash, pin, and the forgetting curve on the pages (E5, E6, J2, H4)."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.lifecycle import delete_memory
from memories.lifecycle.shelving import archive_memory, pin_memory
from memories.models import Memory, Space
from memories.pages.shelves import PAGE
from memories.permissions import Actor
from memories.writing import import_memories, write_memory
from memories.writing.draft import drafted
from tests.people import member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
TEXT = "The cache is Redis."


@pytest.fixture
def memory(actor: Actor) -> Memory:
    return write_memory(actor=actor, content=TEXT, source="tool_result").memory


@pytest.fixture
def client(reviewer: User) -> Client:
    return signed_in(reviewer)


def put(client: Client, memory: Memory, action: str, **form: Any) -> str:
    sent = {"version": Memory.objects.get(pk=memory.pk).version} | form
    path = f"/memories/{memory.pk}/{action}/"
    return client.post(path, sent, follow=True).content.decode()


def look(client: Client, path: str) -> str:
    answer = client.get(f"/memories/{path}")
    assert answer.status_code == 200
    return answer.content.decode()


# --- One memory -----------------------------------------------------------------------------------
def test_it_archives_with_one_click_and_the_way_back(client: Client, memory: Memory) -> None:  # E5
    page = put(client, memory, "archive")
    assert Memory.objects.get().status == "archived"
    assert "Archived:" in page
    assert page.count(f'action="/memories/{memory.pk}/restore/"') == 2  # the toast and the aside
    put(client, memory, "restore")
    assert Memory.objects.get().status == "active"


def test_it_restores_what_was_deleted(client: Client, memory: Memory) -> None:  # E6
    page = put(client, memory, "delete")
    assert "Deleted: agents no longer recall it." in page
    assert "removed for good about" in page
    page = put(client, memory, "restore")
    assert Memory.objects.get().status == "active"
    assert f'action="/memories/{memory.pk}/delete/"' in page  # Undo


def test_it_pins_and_unpins(client: Client, memory: Memory) -> None:
    assert "it is pinned and stays" in put(client, memory, "pin", pinned="on")
    assert Memory.objects.get().pinned
    put(client, memory, "pin")
    assert not Memory.objects.get().pinned


@pytest.mark.parametrize("action", ["archive", "restore", "pin", "delete"])
def test_it_refuses_what_changed_meanwhile(client: Client, memory: Memory, action: str) -> None:
    assert "changed meanwhile" in put(client, memory, action, version=7)
    assert Memory.objects.get().version == 1


@pytest.mark.parametrize("action", ["archive", "restore", "pin"])
def test_it_changes_nothing_by_link(client: Client, memory: Memory, action: str) -> None:
    assert client.get(f"/memories/{memory.pk}/{action}/").status_code == 302
    assert Memory.objects.get().version == 1


@pytest.mark.parametrize("action", ["archive", "restore", "pin"])
def test_a_viewer_may_not(space: Space, memory: Memory, action: str) -> None:
    viewer = signed_in(member(space, "vera", "viewer"))
    answer = viewer.post(f"/memories/{memory.pk}/{action}/", {"version": 1})
    assert answer.status_code == 403
    assert f"/{action}/" not in look(viewer, f"{memory.pk}/")


@pytest.mark.parametrize("action", ["archive", "restore", "pin"])
def test_it_answers_a_foreign_id_like_a_missing_one(memory: Memory, action: str) -> None:  # D1
    stranger = signed_in(member(Space.objects.create(slug="other", name="Other"), "sten"))
    foreign = stranger.post(f"/memories/{memory.pk}/{action}/", {"version": 1})
    missing = stranger.post(f"/memories/{uuid.uuid4()}/{action}/", {"version": 1})
    assert foreign.status_code == missing.status_code == 404
    assert foreign.content == missing.content


def test_it_says_in_words_what_the_curve_shows(client: Client, memory: Memory) -> None:  # J2
    past = timezone.now() - timedelta(days=10)
    Memory.objects.filter(pk=memory.pk).update(heat=4.0, last_recalled_at=past)
    page = look(client, f"{memory.pk}/")
    assert "Warmth 3.17 now; archived about" in page  # 4 · ½^(10/30)
    assert 'role="img" aria-labelledby="warmth-said"' in page


def test_it_draws_no_curve_of_what_was_never_warm(client: Client, memory: Memory) -> None:
    page = look(client, f"{memory.pk}/")
    assert "Warmth 0.00 now; archived about" in page
    assert "warmth-said" in page
    assert '<polyline class="curve"' not in page


def test_it_warns_of_the_end(client: Client, memory: Memory) -> None:  # E6
    Memory.objects.filter(pk=memory.pk).update(expires_at=timezone.now() + timedelta(days=5))
    page = look(client, f"{memory.pk}/")
    assert "unless somebody recalls it. Pin it to keep it." in page
    assert TEXT in look(client, "?expiring=soon")


def test_it_lists_only_what_expires_soon(client: Client, memory: Memory) -> None:
    assert TEXT not in look(client, "?expiring=soon")
    assert TEXT not in look(client, "?expiring=soon&q=cache")


# --- Shelves --------------------------------------------------------------------------------------
def test_it_tells_who_archived_what_and_why(client: Client, person: Actor, memory: Memory) -> None:
    archive_memory(actor=person, memory_id=memory.pk, reason="moved to Valkey")
    page = look(client, "archive/")
    for words in (TEXT, "rui", "archived it", "moved to Valkey"):
        assert words in page
    assert "Removed for good" not in page
    assert TEXT not in look(client, "trash/")
    assert TEXT not in look(client, "")


def test_it_tells_when_it_is_removed_for_good(
    client: Client, person: Actor, memory: Memory
) -> None:  # E6
    delete_memory(actor=person, memory_id=memory.pk, reason="wrong team")
    page = look(client, "trash/")
    for words in (TEXT, "rui", "deleted it", "wrong team", "Removed for good about"):
        assert words in page
    assert TEXT not in look(client, "archive/")


@pytest.mark.parametrize("shelf", ["archive", "trash"])
def test_it_searches_a_shelf(client: Client, person: Actor, memory: Memory, shelf: str) -> None:
    put_away = archive_memory if shelf == "archive" else delete_memory
    put_away(actor=person, memory_id=memory.pk)
    assert TEXT in look(client, f"{shelf}/?q=redis")
    assert "Nothing here says that" in look(client, f"{shelf}/?q=mongo")


def test_it_recalls_from_the_archive_on_demand(
    client: Client, person: Actor, memory: Memory
) -> None:  # E5
    archive_memory(actor=person, memory_id=memory.pk)
    assert TEXT not in look(client, "?q=Which+cache+is+it")
    assert TEXT in look(client, "?q=Which+cache+is+it&status=archived")


def shelved(actor: Actor, person: Actor, count: int) -> list[Memory]:
    drafts = [("", drafted(content=f"Fact number {n}.")) for n in range(count)]
    list(import_memories(actor=actor, drafts=drafts))
    found = list(Memory.objects.filter(content__startswith="Fact").order_by("pk"))
    for memory in found:
        delete_memory(actor=person, memory_id=memory.pk)
    return found


def test_it_restores_the_selected_ones(client: Client, actor: Actor, person: Actor) -> None:
    first, second, third = shelved(actor, person, 3)
    chosen = {"memory": [first.pk, third.pk], "query": "q=Fact"}
    answer = client.post("/memories/trash/restore/", chosen, follow=True)
    assert "2 memories are back." in answer.content.decode()
    assert answer.request["QUERY_STRING"] == "q=Fact"
    left = Memory.objects.filter(status="deleted")
    assert [one.pk for one in left] == [second.pk]


def test_it_restores_one_with_one_click(client: Client, actor: Actor, person: Actor) -> None:
    first, second = shelved(actor, person, 2)
    sent = {"one": first.pk, "memory": [second.pk]}
    page = client.post("/memories/trash/restore/", sent, follow=True).content.decode()
    assert "1 memory is back." in page
    assert Memory.objects.get(pk=second.pk).status == "deleted"


def test_it_says_why_one_cannot_come_back(client: Client, actor: Actor, person: Actor) -> None:
    [gone] = shelved(actor, person, 1)
    write_memory(actor=actor, content=gone.content)
    answer = client.post("/memories/trash/restore/", {"one": gone.pk}, follow=True)
    assert "says exactly this" in answer.content.decode()


@pytest.mark.parametrize("sent", [{}, {"memory": "nonsense"}])
def test_it_says_that_nothing_was_selected(client: Client, sent: dict[str, str]) -> None:
    page = client.post("/memories/archive/restore/", sent, follow=True).content.decode()
    assert "Nothing was selected." in page


def test_a_viewer_looks_at_the_shelves_only(
    space: Space, actor: Actor, person: Actor
) -> None:  # G4
    [gone] = shelved(actor, person, 1)
    viewer = signed_in(member(space, "vera", "viewer"))
    page = look(viewer, "trash/")
    assert gone.content in page
    assert "Restore" not in page
    assert viewer.post("/memories/trash/restore/", {"one": gone.pk}).status_code == 403


@pytest.mark.parametrize(
    ("shelf", "words"),
    [("archive", "The archive is empty"), ("trash", "The trash is empty")],
)
def test_it_says_that_a_shelf_is_empty(client: Client, shelf: str, words: str) -> None:
    assert words in look(client, f"{shelf}/")


def test_it_leads_an_admin_to_erasing_a_user(client: Client, space: Space) -> None:  # E6
    admin = signed_in(member(space, "ada", "admin"))
    assert 'href="/memories/erase/"' in look(admin, "trash/")
    assert 'href="/memories/erase/"' not in look(client, "trash/")


def test_it_shows_no_other_space(actor: Actor, person: Actor) -> None:  # D1
    [gone] = shelved(actor, person, 1)
    stranger = signed_in(member(Space.objects.create(slug="other", name="Other"), "sten"))
    assert gone.content not in look(stranger, "trash/")
    stranger.post("/memories/trash/restore/", {"one": gone.pk})
    assert Memory.objects.get(pk=gone.pk).status == "deleted"


def test_it_keeps_private_ones_from_viewers(space: Space, actor: Actor) -> None:  # D2
    secret = write_memory(actor=actor, content="Bo likes tea.", visibility="private").memory
    archive_memory(actor=actor, memory_id=secret.pk)
    assert "Bo likes tea." not in look(signed_in(member(space, "vera", "viewer")), "archive/")


def test_it_pages_what_was_put_away_last_first(client: Client, actor: Actor, person: Actor) -> None:
    found = shelved(actor, person, PAGE + 1)
    first = client.get("/memories/trash/?q=Fact").context["page"]
    assert [one.pk for one in first.rows] == [one.pk for one in reversed(found[1:])]
    second = client.get(f"/memories/trash/?{first.older}").context["page"]
    assert [one.pk for one in second.rows] == [found[0].pk]
    assert "q=Fact" in first.older


def test_it_asks_the_database_as_often_for_many_as_for_one(
    client: Client,
    actor: Actor,
    person: Actor,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    shelved(actor, person, 8)
    # session, person, membership; memories (2), who put them there; policy; spaces, count
    with django_assert_num_queries(9):
        client.get("/memories/trash/")


def test_it_tells_apart_who_put_it_there_last(
    client: Client, actor: Actor, person: Actor, memory: Memory
) -> None:
    archive_memory(actor=actor, memory_id=memory.pk, reason="first time")
    put(client, memory, "restore")
    pin_memory(actor=person, memory_id=memory.pk, pinned=True)
    archive_memory(actor=person, memory_id=memory.pk, reason="second time")
    page = look(client, "archive/")
    assert "second time" in page
    assert "first time" not in page


def test_it_sends_only_the_list_to_htmx(client: Client, person: Actor, memory: Memory) -> None:
    archive_memory(actor=person, memory_id=memory.pk)
    part = client.get("/memories/archive/?q=redis", headers={"HX-Request": "true"})
    assert TEXT in part.content.decode()
    assert "<html" not in part.content.decode()
