"""Memories by their use: never recalled, most recalled, recalled but marked wrong (C6, E5, D1)."""

import uuid

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.lifecycle import give_feedback, update_memory
from memories.models import Flag, Memory, Space
from memories.pages.recall_usage import PAGE
from memories.permissions import Actor
from review.decisions import decide
from tests.memories.pages.recall_pages import URL, look, texts
from tests.memories.recall.asked import asked, jotted
from tests.memories.recall.helpers import jot
from tests.people import member, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(reviewer: User) -> Client:
    return signed_in(reviewer)


@pytest.fixture
def viewer(space: Space) -> Client:
    return signed_in(member(space, "vera", "viewer"))


def test_a_viewer_sees_the_use_of_what_they_see(
    viewer: Client, client: Client, actor: Actor
) -> None:  # D1
    for text, visibility in (("ours", "shared"), ("its own", "private")):
        asked(actor, "?", jot(actor, text, visibility=visibility))
        jotted(actor, f"{text}, unused", 60, visibility=visibility)
        memory = jot(actor, f"{text}, wrong", visibility=visibility)
        give_feedback(actor=actor, memory_id=memory.pk, verdict="wrong")
        asked(actor, "?", memory)
    for path, seen in (("never/", "ours, unused"), ("wrong/", "ours, wrong")):
        assert texts(viewer, path) == [seen]
        assert len(texts(client, path)) == 2
    assert set(texts(viewer, "most/")) == {"ours", "ours, wrong"}
    assert len(texts(client, "most/")) == 4
    page = look(viewer, "wrong/")
    assert "It waits for a decision" in page
    assert "<button" not in page.partition("<main")[2].partition("</main>")[0]


def test_it_lists_what_was_never_recalled_oldest_first(client: Client, actor: Actor) -> None:
    jotted(actor, "old", 100)
    jotted(actor, "older", 200)
    jotted(actor, "young", 20)
    jotted(actor, "away", 100, status="archived")
    jotted(actor, "kept from agents", 100, withheld=True)
    asked(actor, "?", jotted(actor, "used", 100))
    assert texts(client, "never/") == ["older", "old"]
    assert texts(client, "never/?days=7") == ["older", "old", "young"]
    assert texts(client, "never/?days=365") == []
    assert texts(client, "never/?days=x") == ["older", "old"]


def test_it_pages_what_was_never_recalled(client: Client, actor: Actor) -> None:
    for n in range(PAGE + 1):
        jotted(actor, f"{n}", 100 - n)
    first = client.get(f"{URL}never/?days=7").context
    assert [row.memory.content for row in first["rows"]] == [str(n) for n in range(PAGE)]
    second = client.get(f"{URL}never/?{first['page'].older}").context
    assert [row.memory.content for row in second["rows"]] == [str(PAGE)]
    assert texts(client, f"never/?{second['page'].newer}")[0] == "0"


def test_it_archives_what_was_never_recalled_and_comes_back(client: Client, actor: Actor) -> None:
    memory = jotted(actor, "old", 100)
    page = look(client, "never/")
    assert f'action="/memories/{memory.pk}/archive/"' in page
    form = {"version": 1, "next": f"{URL}never/"}
    answer = client.post(f"/memories/{memory.pk}/archive/", form, follow=True)
    assert answer.redirect_chain == [(f"{URL}never/", 302)]
    assert b"Everything of that age was recalled" in answer.content
    assert f'action="/memories/{memory.pk}/restore/"' in answer.content.decode()


@pytest.mark.parametrize(
    ("span", "counts"),
    [("", {"b": 2, "a": 1}), ("90", {"a": 3, "b": 2}), ("all", {"a": 9, "b": 2})],
)
def test_it_lists_what_was_recalled_most(
    client: Client, actor: Actor, span: str, counts: dict[str, int]
) -> None:
    a, b, _unused = jot(actor, "a"), jot(actor, "b"), jot(actor, "c")
    for days in (1, 60, 61):
        asked(actor, "?", a, days=days)
    for days in (2, 3):
        asked(actor, "?", b, days=days)
    asked(actor, "?", jot(actor, "away", status="deleted"))
    Memory.objects.filter(pk=a.pk).update(recall_count=9)  # the log has forgotten six
    rows = client.get(f"{URL}most/?span={span}" if span else f"{URL}most/").context["rows"]
    assert [(row.memory.content, row.recalls) for row in rows] == list(counts.items())


def test_it_pages_what_was_recalled_most(client: Client, actor: Actor) -> None:
    for n in range(PAGE + 2):
        memory = jot(actor, f"{n}")
        asked(actor, "?", memory)
        Memory.objects.filter(pk=memory.pk).update(recall_count=n // 2 + 1)
    first = client.get(f"{URL}most/?span=all").context
    assert [row.recalls for row in first["rows"]][:3] == [PAGE // 2 + 1, PAGE // 2 + 1, PAGE // 2]
    assert texts(client, f"most/?{first['page'].older}") == ["1", "0"]
    assert "at=" in first["page"].older
    assert texts(client, "most/?span=all&before=9999999999999~x") != []
    assert texts(client, "most/?span=90&at=-62135596800") != []
    assert texts(client, f"most/?span=all&before=99999999999999~{uuid.uuid4()}") != []


def test_it_lists_what_was_recalled_though_said_to_be_wrong(
    client: Client, actor: Actor, teammate: Actor
) -> None:
    tea, milk = jot(actor, "Tea at four."), jot(actor, "Milk first.")
    asked(actor, "?", tea)
    give_feedback(actor=teammate, memory_id=tea.pk, verdict="wrong", note="At five.")
    give_feedback(actor=teammate, memory_id=milk.pk, verdict="useful")
    assert texts(client, "wrong/") == []  # not since
    asked(actor, "?", tea, milk)
    asked(actor, "?", tea)
    (row,) = client.get(f"{URL}wrong/").context["rows"]
    assert (row.memory, row.recalls, row.flag) == (tea, 2, Flag.objects.get())
    page = look(client, "wrong/")
    for word in ("helper", "At five.", "2 times since", f'href="/review/{row.flag.pk}/"'):
        assert word in page


def test_what_was_recalled_before_its_praise_turned_is_not_wrong(
    client: Client, actor: Actor, teammate: Actor
) -> None:
    tea = jot(actor, "Tea at four.")
    give_feedback(actor=teammate, memory_id=tea.pk, verdict="useful")
    asked(actor, "?", tea)
    give_feedback(actor=teammate, memory_id=tea.pk, verdict="wrong")
    assert texts(client, "wrong/") == []
    asked(actor, "?", tea)
    assert [row.recalls for row in client.get(f"{URL}wrong/").context["rows"]] == [1]


def test_it_counts_from_the_first_complaint_of_who_insists(client: Client, actor: Actor) -> None:
    tea = jot(actor, "Tea at four.")
    give_feedback(actor=actor, memory_id=tea.pk, verdict="wrong")
    asked(actor, "?", tea)
    give_feedback(actor=actor, memory_id=tea.pk, verdict="stale")
    assert [row.recalls for row in client.get(f"{URL}wrong/").context["rows"]] == [1]


def test_another_text_was_not_marked_wrong(client: Client, actor: Actor, person: Actor) -> None:
    tea = jot(actor, "Tea at four.")
    give_feedback(actor=actor, memory_id=tea.pk, verdict="stale")
    asked(actor, "?", tea)
    update_memory(actor=person, memory_id=tea.pk, expected_version=1, tags=["drink"])
    assert texts(client, "wrong/") == ["Tea at four."]
    update_memory(actor=person, memory_id=tea.pk, expected_version=2, content="Tea at five.")
    assert texts(client, "wrong/") == []


def test_what_people_kept_is_not_wrong(client: Client, actor: Actor, person: Actor) -> None:  # F5
    tea = jot(actor, "Tea at four.")
    give_feedback(actor=actor, memory_id=tea.pk, verdict="wrong")
    asked(actor, "?", tea)
    flag = Flag.objects.get()
    decide(actor=person, flag_id=flag.pk, choice="keep", expected_versions=(1,))
    asked(actor, "?", tea)
    assert texts(client, "wrong/") == []


@pytest.mark.parametrize("path", ["never/?days=7", "most/", "wrong/"])
def test_it_asks_the_database_as_often_for_many_memories(
    client: Client,
    actor: Actor,
    path: str,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    def used(n: int) -> None:
        jotted(actor, f"unused {n}", 30)
        memory = jot(actor, f"used {n}")
        give_feedback(actor=actor, memory_id=memory.pk, verdict="wrong")
        asked(actor, "?", memory)

    used(0)
    client.get(f"{URL}{path}")
    most = {"never/?days=7": 6, "most/": 7, "wrong/": 10}[path]
    with django_assert_num_queries(most):
        client.get(f"{URL}{path}")
    for n in range(1, 9):
        used(n)
    with django_assert_num_queries(most):
        client.get(f"{URL}{path}")
