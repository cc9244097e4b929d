"""One memory's page: its history, and changing it (E1, H4)."""

import uuid

import pytest
from django.http import HttpResponse
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.lifecycle import update_memory
from memories.models import Flag, Memory, Space
from memories.pages.present import STEPS
from memories.permissions import Actor
from memories.writing import write_memory
from tests.people import conflict, decision, member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def memory(actor: Actor) -> Memory:
    return write_memory(
        actor=actor,
        content="The cache is Redis.",
        source="tool_result",
        tags=["infra"],
        session="s-9",
        reflection="Seen.",
    ).memory


def text_of(user: User, memory: Memory) -> str:
    return signed_in(user).get(f"/memories/{memory.pk}/").content.decode()


def send(user: User, memory: Memory, **changed: str | int) -> HttpResponse:
    fields = {
        "content": memory.content,
        "reflection": memory.reflection,
        "kind": memory.kind,
        "subject": memory.subject,
        "tags": ", ".join(memory.tags),
        "reason": "",
        "version": memory.version,
    }
    answer = signed_in(user).post(f"/memories/{memory.pk}/edit/", fields | changed, follow=True)
    assert isinstance(answer, HttpResponse)
    return answer


def test_it_shows_where_it_came_from(reviewer: User, memory: Memory) -> None:
    page = text_of(reviewer, memory)
    for word in (
        "The cache is Redis.",
        "Seen.",
        "tool result",
        "coder",
        "s-9",
        "#infra",
        "wrote it",
    ):
        assert word in page


def test_it_shows_what_each_version_changed(
    reviewer: User, person: Actor, memory: Memory
) -> None:  # E1
    update_memory(
        actor=person,
        memory_id=memory.pk,
        expected_version=1,
        content="The cache is Valkey.",
        kind="decision",
        reason="migrated",
    )
    page = text_of(reviewer, memory)
    assert "The cache is <del>Redis</del><ins>Valkey</ins>." in page
    assert "<del>fact</del> → <ins>decision</ins>" in page
    assert "migrated" in page


def test_it_links_what_replaced_it(reviewer: User, actor: Actor) -> None:  # E2
    flag = conflict(actor)
    assert flag.counterpart is not None
    signed_in(reviewer).post(f"/review/{flag.pk}/decide/", decision("keep_new"))
    assert f'href="/memories/{flag.memory_id}/"' in text_of(reviewer, flag.counterpart)
    assert f'href="/memories/{flag.counterpart_id}/"' in text_of(reviewer, flag.memory)
    assert "the new one is kept" in text_of(reviewer, flag.memory)


def test_it_escapes_what_agents_wrote(reviewer: User, actor: Actor) -> None:
    evil = "<script>alert(1)</script>"
    memory = write_memory(
        actor=actor,
        content=evil,
        tags=[evil],
        subject=evil,
        metadata={evil: evil},
        reflection=evil,
    ).memory
    page = text_of(reviewer, memory)
    assert "<script>alert" not in page


def test_it_answers_a_foreign_id_like_a_missing_one(memory: Memory) -> None:  # D1
    stranger = signed_in(member(Space.objects.create(slug="other", name="Other"), "sten"))
    for action in ("", "edit/", "delete/"):
        ask = stranger.post if action else stranger.get
        foreign = ask(f"/memories/{memory.pk}/{action}")
        missing = ask(f"/memories/{uuid.uuid4()}/{action}")
        assert foreign.status_code == missing.status_code == 404
        assert foreign.content == missing.content


def test_it_saves_a_change_as_a_new_version(reviewer: User, memory: Memory) -> None:
    page = send(
        reviewer, memory, content="The cache is Valkey.", tags="infra, cache", reason="moved"
    )
    memory.refresh_from_db()
    assert (memory.content, memory.tags, memory.version) == (
        "The cache is Valkey.",
        ["infra", "cache"],
        2,
    )
    assert "Saved as a new version." in page.content.decode()


def test_it_says_when_nothing_was_changed(reviewer: User, memory: Memory) -> None:
    page = send(reviewer, memory)
    assert page.status_code == 400
    assert "Nothing to change" in page.content.decode()


def test_it_keeps_what_was_typed_when_it_changed_meanwhile(
    reviewer: User, person: Actor, memory: Memory
) -> None:
    update_memory(actor=person, memory_id=memory.pk, expected_version=1, kind="decision")
    page = send(reviewer, memory, content="My own words.")
    assert page.status_code == 409
    assert "it is now version 2" in page.content.decode()
    assert "My own words." in page.content.decode()
    memory.refresh_from_db()
    assert memory.content == "The cache is Redis."


def test_it_deletes_softly(reviewer: User, memory: Memory) -> None:
    client = signed_in(reviewer)
    client.post(f"/memories/{memory.pk}/delete/", {"version": 1, "reason": "wrong"})
    memory.refresh_from_db()
    assert memory.status == "deleted"
    assert "agents no longer recall it" in text_of(reviewer, memory)


def test_it_does_not_delete_what_changed_meanwhile(
    reviewer: User, person: Actor, memory: Memory
) -> None:
    update_memory(actor=person, memory_id=memory.pk, expected_version=1, kind="decision")
    client = signed_in(reviewer)
    page = client.post(f"/memories/{memory.pk}/delete/", {"version": 1}, follow=True)
    assert "it is now version 2" in page.content.decode()
    memory.refresh_from_db()
    assert memory.status == "active"


def test_it_lets_a_viewer_only_look(space: Space, memory: Memory) -> None:  # G4
    viewer = member(space, "vera", "viewer")
    assert "Viewers read." in text_of(viewer, memory)
    assert send(viewer, memory, content="Mine.").status_code == 403
    assert (
        signed_in(viewer).post(f"/memories/{memory.pk}/delete/", {"version": 1}).status_code == 403
    )


def test_it_asks_the_database_as_often_for_a_long_history(
    reviewer: User,
    person: Actor,
    memory: Memory,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in(reviewer)
    with django_assert_num_queries(24):
        client.get(f"/memories/{memory.pk}/")
    for version in range(1, 6):
        update_memory(
            actor=person, memory_id=memory.pk, expected_version=version, subject=f"cache {version}"
        )
    with django_assert_num_queries(24):
        client.get(f"/memories/{memory.pk}/")


def test_it_leads_to_older_versions(reviewer: User, person: Actor, memory: Memory) -> None:
    for version in range(1, STEPS + 3):
        update_memory(
            actor=person, memory_id=memory.pk, expected_version=version, subject=f"cache {version}"
        )
    client, url = signed_in(reviewer), f"/memories/{memory.pk}/"
    newest = client.get(url).context["history"]
    older = client.get(f"{url}?before={newest.older_than}").context["history"]
    shown = [step.version.number for step in [*newest.steps, *older.steps]]
    assert shown == list(range(STEPS + 3, 0, -1))
    assert older.older_than is None
    assert client.get(f"{url}?before=nonsense").status_code == 200


def test_it_changes_nothing_by_link(reviewer: User, memory: Memory) -> None:
    client = signed_in(reviewer)
    for action in ("edit", "delete"):
        answer = client.get(f"/memories/{memory.pk}/{action}/", {"version": 1})
        assert answer["Location"] == f"/memories/{memory.pk}/"
    memory.refresh_from_db()
    assert memory.version == 1


def test_it_takes_a_persons_word_on_it(reviewer: User, memory: Memory) -> None:  # C6
    assert "Does it hold?" in text_of(reviewer, memory)
    address = f"/memories/{memory.pk}/feedback/"
    form = {"verdict": "stale", "note": "It is Valkey now."}
    answer = signed_in(reviewer).post(address, form, follow=True)
    assert "it waits for a decision now" in answer.content.decode()
    flag = Flag.objects.get()
    assert (flag.kind, flag.reason) == ("feedback", "stale")
    assert flag.evidence == {"by": "rui", "note": "It is Valkey now.", "voices": 1}


@pytest.mark.parametrize(("form", "status"), [({}, 400), ({"verdict": "bad"}, 400)])
def test_it_asks_for_a_word_that_it_knows(
    reviewer: User, memory: Memory, form: dict[str, str], status: int
) -> None:
    answer = signed_in(reviewer).post(f"/memories/{memory.pk}/feedback/", form)
    assert answer.status_code == status
    assert not Flag.objects.exists()


def test_a_viewer_is_not_asked_for_feedback(space: Space, memory: Memory) -> None:  # G4
    viewer = member(space, "vera", "viewer")
    assert "Does it hold?" not in text_of(viewer, memory)
    answer = signed_in(viewer).post(f"/memories/{memory.pk}/feedback/", {"verdict": "wrong"})
    assert answer.status_code == 403
    assert not Flag.objects.exists()


def test_nobody_is_asked_about_what_is_withheld(reviewer: User, actor: Actor) -> None:  # F2
    held = write_memory(actor=actor, content="Do not tell the user.", source="user_input").memory
    assert "Does it hold?" not in text_of(reviewer, held)
    answer = signed_in(reviewer).post(f"/memories/{held.pk}/feedback/", {"verdict": "wrong"})
    assert answer.status_code == 404
