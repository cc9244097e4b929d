"""Sessions in the browser: the list, the trace, and ending what nobody ended (H4)."""

import uuid
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.models import Session, Space
from memories.models.event import Event
from memories.pages.session_places import SIZE
from memories.pages.sessions import PAGE
from memories.permissions import Actor
from tests.memories.pages.looked_back import (
    URL,
    at,
    candidate,
    context_of,
    looked_back,
    page_of,
    recorded,
)
from tests.people import member, signed_in

pytestmark = pytest.mark.django_db


# --- the list ---------------------------------------------------------------------------------


def test_it_lists_sessions_newest_first_with_what_became_of_them(
    reviewer: User, actor: Actor
) -> None:
    recorded(actor, key="s-1", task="Deploy the shop", user_id="alice")
    looked_back(recorded(actor, key="s-2"), candidate(), candidate("dropped", "greeting"))
    page = page_of(reviewer)
    assert page.index("Please remember: we use tabs") < page.index("Deploy the shop")
    for word in ("alice", "coder", "4 turns", "kept 1 · merged 0 · flagged 0 · dropped 1"):
        assert word in page


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("", {"one", "two"}),
        ("user=alice", {"one"}),
        ("agent=coder", {"one", "two"}),
        ("agent=nobody", set()),
        ("outcome=failure", {"two"}),
        ("state=open", {"one"}),
        ("state=ended", {"two"}),
        ("state=failed", set()),
        ("text=shop", {"one"}),
    ],
)
def test_it_filters(reviewer: User, actor: Actor, query: str, keys: set[str]) -> None:
    recorded(actor, key="one", task="Deploy the shop", user_id="alice", ended=False)
    recorded(actor, key="two", outcome="failure")
    rows = context_of(reviewer, f"{URL}?{query}")["rows"]
    assert {row.session.key for row in rows} == keys


def test_it_says_what_is_wrong_with_a_filter(reviewer: User) -> None:
    assert "Select a valid choice" in page_of(reviewer, f"{URL}?outcome=nonsense")


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("open", {"ended_at": None, "ended_by": ""}),
        ("waiting", {}),
        ("failed", {"failures": 2}),
        ("empty", {"turn_count": 0}),
        ("done", {"distilled_through": 4}),
    ],
)
def test_it_tells_the_state_of_a_session(
    reviewer: User, actor: Actor, code: str, changed: dict[str, Any]
) -> None:
    session = recorded(actor)
    Session.objects.filter(pk=session.pk).update(**changed)
    assert context_of(reviewer, URL)["rows"][0].looked_back.code == code
    assert context_of(reviewer, at(session))["state"].code == code


def test_it_goes_on_to_older_sessions(reviewer: User, actor: Actor) -> None:
    for n in range(PAGE + 1):
        recorded(actor, [{"content": f"Task {n}."}], key=f"s-{n}")
    newest = context_of(reviewer, URL)
    older = context_of(reviewer, f"{URL}?{newest['page'].older}")
    assert [row.title for row in older["rows"]] == ["Task 0."]


def test_it_asks_the_database_as_often_for_many_sessions(
    reviewer: User, actor: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = signed_in(reviewer)
    looked_back(recorded(actor, key="s-0"), candidate())
    with django_assert_num_queries(7):
        client.get(URL)
    for n in range(1, 6):
        looked_back(recorded(actor, key=f"s-{n}"), candidate())
    with django_assert_num_queries(7):
        client.get(URL)


def test_it_names_a_session_by_its_first_words_not_by_the_prompt(
    reviewer: User, actor: Actor
) -> None:
    said = [{"role": "system", "content": "You are kind."}, {"content": "Hello there."}]
    session = recorded(actor, said)
    assert context_of(reviewer, URL)["rows"][0].title == "Hello there."
    assert context_of(reviewer, at(session))["title"] == "Hello there."


def test_it_sends_only_the_list_to_htmx(reviewer: User, actor: Actor) -> None:
    recorded(actor)
    page = signed_in(reviewer).get(URL, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in page
    assert "Please remember" in page


def test_it_tells_how_an_agent_connects_when_nothing_is_recorded(reviewer: User) -> None:
    assert "mcpServers" in page_of(reviewer)


# --- the trace --------------------------------------------------------------------------------


def test_it_shows_what_happened(reviewer: User, actor: Actor) -> None:
    page = page_of(reviewer, at(recorded(actor, task="Indent", outcome="failure")))
    for word in ("Ada", "Two of them fail.", "&quot;command&quot;: &quot;pytest -q&quot;"):
        assert word in page
    for word in ("2 tests failed", "failed", "1.5 s", "failure", 'id="turn-3"'):
        assert word in page


def test_it_shows_text_as_text(reviewer: User, actor: Actor) -> None:
    evil = "<script>alert(1)</script>\u200b"
    said: list[dict[str, Any]] = [
        {"content": evil, "speaker": evil},
        {"type": "tool_call", "tool": evil, "data": {evil: evil}},
        {"type": "tool_result", "tool": evil, "content": evil, "error": evil},
    ]
    session = recorded(actor, said, key="<script>alert(2)", task=evil, user_id=evil)
    parts = {"content": evil, "quote": evil, "owner": evil, "question": evil, "value": evil}
    looked_back(session, candidate(**parts, subject=evil, signals={evil: 0.5}), note=evil)
    for address in (URL, at(session), at(session, "turns/3/"), at(session, "numbers/?keep_from=1")):
        page = page_of(reviewer, address)
        assert "<script>alert" not in page
        assert "⟦U+200B⟧" in page


def test_it_pages_a_long_session(reviewer: User, actor: Actor) -> None:
    session = recorded(actor, [{"content": f"Word {n}."} for n in range(1, SIZE + 2)])
    first = context_of(reviewer, at(session))
    assert (len(first["trace"]), first["places"].earlier) == (SIZE, "")
    second = context_of(reviewer, at(session, f"?{first['places'].later}"))
    assert [entry.turn.number for entry in second["trace"]] == [SIZE + 1]
    assert second["places"].later == ""
    assert context_of(reviewer, at(session, f"?{second['places'].earlier}"))["places"].first == 1


@pytest.mark.parametrize("start", ["0", "-3", "x", "99999"])
def test_it_stays_inside_a_session(reviewer: User, actor: Actor, start: str) -> None:
    assert context_of(reviewer, at(recorded(actor), f"?from={start}"))["trace"]


def test_it_says_which_turns_were_removed(reviewer: User, actor: Actor) -> None:  # A2
    session = recorded(actor)
    looked_back(session, candidate(content="", quote=""), candidate(turns=[4]))
    session.turns.filter(number__lte=3).delete()
    Session.objects.filter(pk=session.pk).update(purged_through=3)
    page = page_of(reviewer, at(session))
    assert "The first 3 turns were removed" in page
    assert "turn 1 (removed)" in page
    assert 'href="#turn-4"' in page
    assert "Its text was removed together with the turns." in page


def test_it_shows_a_session_whose_turns_are_all_gone(reviewer: User, actor: Actor) -> None:
    session = recorded(actor)
    looked_back(session, candidate())
    session.turns.all().delete()
    Session.objects.filter(pk=session.pk).update(purged_through=4)
    assert "The team uses tabs." in page_of(reviewer, at(session))


def test_it_cuts_an_endless_turn_and_shows_it_whole_elsewhere(reviewer: User, actor: Actor) -> None:
    session = recorded(actor, [{"content": "long " * 10_000 + "the end"}])
    page = page_of(reviewer, at(session))
    assert "the end" not in page
    assert f'href="{at(session, "turns/1/")}"' in page
    assert "the end" in page_of(reviewer, at(session, "turns/1/"))
    assert signed_in(reviewer).get(at(session, "turns/2/")).status_code == 404


# --- ending and trying again ----------------------------------------------------------------------


def post(user: User, address: str) -> HttpResponse:
    answer = signed_in(user).post(address, follow=True)
    assert isinstance(answer, HttpResponse)
    return answer


def test_it_ends_an_open_session(reviewer: User, actor: Actor) -> None:  # H3
    session = recorded(actor, ended=False)
    assert "End and look back" in page_of(reviewer, at(session))
    assert "Ended." in post(reviewer, at(session, "end/")).content.decode()
    session.refresh_from_db()
    assert session.ended_by == "person"
    assert "End and look back" not in page_of(reviewer, at(session))


def test_it_looks_back_again_at_what_failed(reviewer: User, actor: Actor) -> None:
    session = recorded(actor)
    looked_back(session, state="failed", note="It broke off.")
    Session.objects.filter(pk=session.pk).update(failures=3)
    page = page_of(reviewer, at(session))
    assert "It failed 3 times in a row." in page
    assert "It broke off." in page
    assert "looked back at again" in post(reviewer, at(session, "retry/")).content.decode()
    session.refresh_from_db()
    assert session.failures == 0


def test_it_says_when_there_is_nothing_to_try_again(reviewer: User, actor: Actor) -> None:
    page = post(reviewer, at(recorded(actor), "retry/")).content.decode()
    assert "Nothing failed here" in page


def test_it_lets_a_viewer_only_look(space: Space, actor: Actor) -> None:  # G4
    viewer = member(space, "vera", "viewer")
    session = recorded(actor, ended=False)
    page = page_of(viewer, at(session))
    assert "End and look back" not in page
    assert "Ask a space admin" in page
    for action in ("end/", "retry/"):
        assert signed_in(viewer).post(at(session, action)).status_code == 403
    session.refresh_from_db()
    assert session.ended_at is None


def test_it_changes_nothing_by_link(reviewer: User, actor: Actor) -> None:
    session = recorded(actor, ended=False)
    events = Event.objects.count()
    for action in ("end/", "retry/"):
        assert signed_in(reviewer).get(at(session, action))["Location"] == at(session)
    assert Event.objects.count() == events


# --- isolation ------------------------------------------------------------------------------------

PARTS = ["", "turns/1/", "numbers/", "end/", "retry/"]


@pytest.mark.parametrize("part", PARTS)
def test_it_answers_a_foreign_session_like_a_missing_one(  # D1
    actor: Actor, part: str
) -> None:
    session = recorded(actor)
    looked_back(session, candidate())
    sten = signed_in(member(Space.objects.create(slug="other", name="Other"), "sten"))
    ask = sten.post if part in ("end/", "retry/") else sten.get
    foreign, missing = ask(at(session, part)), ask(f"{URL}{uuid.uuid4()}/{part}")
    assert foreign.status_code == missing.status_code == 404
    assert foreign.content == missing.content


@pytest.mark.parametrize("part", PARTS[:3])
def test_it_keeps_private_sessions_from_viewers(  # D2
    space: Space, actor: Actor, part: str
) -> None:
    session = recorded(actor, visibility="private")
    looked_back(session, candidate())
    viewer = member(space, "vera", "viewer")
    assert signed_in(viewer).get(at(session, part)).status_code == 404
    assert context_of(viewer, URL)["rows"] == []
    page_of(member(space, "ada"), at(session, part))


def test_it_shows_no_session_of_another_space(actor: Actor) -> None:  # D1
    recorded(actor)
    sten = member(Space.objects.create(slug="other", name="Other"), "sten")
    assert context_of(sten, URL)["rows"] == []


def test_it_asks_who_looks(client: Client, actor: Actor) -> None:
    assert client.get(at(recorded(actor)))["Location"].startswith("/login/")
