"""What an actor may read of sessions: its own or its space's, and nothing of anyone else (D1)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.utils import timezone

from hindsight_site.accounts.models import User
from memories.errors import Invalid, NotAllowed, NotFound
from memories.identity import actor_for_user, agent_actor
from memories.models import Agent, Candidate, DistillationRun, Membership, Memory, Session, Space
from memories.permissions import Actor
from memories.sessions import end_session, record_turns, start_session
from memories.sessions.payload import state_of
from memories.sessions.reading import (
    SessionFilters,
    failed_calls,
    get_session,
    own_session,
    runs_of,
    sessions_of,
    turns_of,
)

pytestmark = pytest.mark.django_db
FAILED: dict[str, Any] = {"type": "tool_result", "tool": "run", "ok": False}


@pytest.fixture
def viewer(space: Space) -> Actor:
    """A person who sees what is shared."""
    user = User.objects.create_user("vera", password="look-back-1")
    Membership.objects.create(space=space, user=user, role=Membership.Role.VIEWER)
    found = actor_for_user(user)
    assert found is not None
    return found


def recorded(actor: Actor, key: str, *, user_id: str = "", **said: Any) -> Session:
    turn = {"content": key, **said}
    return record_turns(actor=actor, session=key, user_id=user_id, turns=[turn]).session


def ran(session: Session, state: str = "done", turns: tuple[int, int] = (1, 1)) -> DistillationRun:
    now = timezone.now()
    return DistillationRun.objects.create(
        session=session,
        state=state,
        first_turn=turns[0],
        last_turn=turns[1],
        policy_version=0,
        started_at=now,
        claimed_until=now,
        finished_at=None if state == "running" else now,
    )


def keys(actor: Actor, **filters: str) -> list[str]:
    return [session.key for session in sessions_of(actor, SessionFilters(**filters))]


# Who sees what


def test_an_agent_sees_its_own_sessions_of_its_user_and_of_none(
    actor: Actor, teammate: Actor, stranger: Actor
) -> None:  # D1
    for who, key, user_id in (
        (actor, "mine", ""),
        (actor, "ana's", "ana"),
        (actor, "bo's", "bo"),
        (teammate, "theirs", "ana"),
        (stranger, "foreign", "ana"),
    ):
        recorded(who, key, user_id=user_id)
    assert keys(actor) == ["mine"]
    assert keys(actor.acting_for("ana")) == ["ana's", "mine"]
    assert keys(teammate.acting_for("ana")) == ["theirs"]


def test_people_see_their_space_and_private_sessions_only_as_reviewers(
    actor: Actor, stranger: Actor, person: Actor, viewer: Actor
) -> None:  # D1, D2
    recorded(actor, "shared", user_id="ana")
    start_session(actor=actor, session="private", visibility="private")
    recorded(stranger, "foreign")
    assert keys(person) == ["private", "shared"]
    assert keys(viewer) == ["shared"]


def test_foreign_and_missing_look_the_same(
    actor: Actor, teammate: Actor, stranger: Actor, viewer: Actor
) -> None:  # D1
    session = start_session(actor=actor, session="s1", user_id="ana", visibility="private")
    asked: list[tuple[Actor, UUID]] = [(who, session.pk) for who in (teammate, stranger, viewer)]
    asked += [(actor.acting_for("bo"), session.pk), (actor, session.pk), (actor, uuid4())]
    answers = set()
    for who, session_id in asked:
        for read in (get_session, turns_of, runs_of):
            with pytest.raises(NotFound) as refusal:
                read(actor=who, session_id=session_id)
            answers.add((refusal.value.message, refusal.value.field))
    assert len(answers) == 1
    assert get_session(actor=actor.acting_for("ana"), session_id=session.pk) == session


def test_it_finds_an_agents_session_by_its_name(actor: Actor, teammate: Actor) -> None:  # D1
    session = recorded(actor, "s1", user_id="ana")
    recorded(actor, "s2")
    assert own_session(actor=actor, session="s1", user_id="ana") == session
    for who, key, user_id in (
        (actor, "s1", ""),
        (actor, "s1", "bo"),
        (actor, "s2", "ana"),
        (teammate, "s1", "ana"),
    ):
        with pytest.raises(NotFound):
            own_session(actor=who, session=key, user_id=user_id)


def test_a_key_that_only_writes_reads_nothing(agent: Agent, actor: Actor) -> None:
    session = recorded(actor, "s1")
    writer = agent_actor(agent, scopes=["write"])
    for call in (
        lambda: sessions_of(writer),
        lambda: turns_of(actor=writer, session_id=session.pk),
        lambda: runs_of(actor=writer, session_id=session.pk),
        lambda: own_session(actor=writer, session="s1"),
        lambda: failed_calls(writer, user_id=""),
    ):
        with pytest.raises(NotAllowed):
            call()


# Filters


def test_it_filters_by_user_agent_outcome_and_text(
    actor: Actor, teammate: Actor, person: Actor
) -> None:  # H4
    start_session(actor=actor, session="s1", user_id="ana", task="Deploy 部署 Docker")
    start_session(actor=teammate, session="s2", user_id="bo", task="100% done")
    end_session(actor=teammate, session="s2", user_id="bo", outcome="success")
    for filters, found in (
        ({"user_id": "ana"}, ["s1"]),
        ({"agent": "helper"}, ["s2"]),
        ({"outcome": "success"}, ["s2"]),
        ({"outcome": "unknown"}, ["s1"]),
        ({"text": "docker"}, ["s1"]),
        ({"text": "部署"}, ["s1"]),
        ({"text": "S2"}, ["s2"]),
        ({"text": "0%"}, ["s2"]),
        ({"text": "_"}, []),
        ({"user_id": "a\x00"}, []),
        ({"user_id": "ana", "agent": "helper"}, []),
        ({}, ["s2", "s1"]),
    ):
        assert keys(person, **filters) == found, filters


def test_every_session_is_in_one_state_the_one_it_shows(actor: Actor, person: Actor) -> None:  # H4
    looked_at = {"distilled": {"distilled_through": 1}, "failed": {"failures": 1}}
    for key in ("open", "ended", "distilled", "failed"):
        session = recorded(actor, key)
        if key != "open":
            end_session(actor=actor, session=key)
        Session.objects.filter(pk=session.pk).update(**looked_at.get(key, {"failures": 0}))
    start_session(actor=actor, session="empty")
    end_session(actor=actor, session="empty")
    assert keys(person, state="ended") == ["empty", "ended"]
    for state in ("open", "distilled", "failed"):
        assert keys(person, state=state) == [state]
    for session in sessions_of(person):
        assert session.key in keys(person, state=state_of(session))


@pytest.mark.parametrize(
    "filters", [{"state": "lost"}, {"outcome": "fine"}, {"text": "t" * 201}, {"agent": "a" * 201}]
)
def test_it_names_a_filter_it_cannot_use(actor: Actor, filters: dict[str, str]) -> None:
    with pytest.raises(Invalid) as refusal:
        keys(actor, **filters)
    assert refusal.value.field in filters


def test_a_list_costs_one_query(
    actor: Actor, django_assert_num_queries: Callable[..., Any]
) -> None:
    for key in ("s1", "s2", "s3"):
        recorded(actor, key)
    with django_assert_num_queries(1):
        assert {session.agent.name for session in sessions_of(actor)} == {"coder"}


# Turns and failed calls


def test_it_reads_turns_in_order(actor: Actor) -> None:  # A2
    recorded(actor, "s1")
    session = recorded(actor, "s1", content="second")
    turns = turns_of(actor=actor, session_id=session.pk)
    assert [(turn.number, turn.content) for turn in turns] == [(1, "s1"), (2, "second")]


def test_it_tells_which_calls_of_a_user_failed_lately(
    actor: Actor, teammate: Actor, person: Actor, stranger: Actor
) -> None:  # A2
    old = timezone.now() - timedelta(days=8)
    ana: dict[str, Any] = {"user_id": "ana", **FAILED}
    recorded(actor, "failed", **ana)
    recorded(actor, "worked", **ana | {"ok": True})
    recorded(actor, "unknown", **ana | {"ok": None})
    recorded(actor, "long ago", **ana, happened_at=old)
    recorded(actor, "bo's", user_id="bo", **FAILED)
    recorded(teammate, "theirs", **ana)
    recorded(stranger, "foreign", **ana)

    def contents(who: Actor, user_id: str, **more: float) -> list[str]:
        return [turn.content for turn in failed_calls(who, user_id=user_id, **more)]

    assert contents(actor, "ana") == ["failed"]
    assert contents(actor, "ana", days=9) == ["failed", "long ago"]
    assert contents(person, "ana") == ["theirs", "failed"]
    assert contents(actor, "") == []


def test_private_sessions_keep_their_failed_calls(actor: Actor, viewer: Actor) -> None:  # D1
    start_session(actor=actor, session="s1", visibility="private")
    recorded(actor, "s1", **FAILED)
    assert failed_calls(actor, user_id="").count() == 1
    assert not failed_calls(viewer, user_id="").exists()


@pytest.mark.parametrize("days", [0, -1, 3651, float("nan")])
def test_it_bounds_the_days(actor: Actor, days: float) -> None:
    with pytest.raises(Invalid, match="days must be"):
        failed_calls(actor, user_id="ana", days=days)


@pytest.mark.parametrize("who", ["actor", "person"])
def test_an_index_answers_which_calls_failed(
    who: str, request: pytest.FixtureRequest
) -> None:  # A2
    """Of 2,000 turns 10 failed: the planner itself chooses the index, whoever asks."""
    agent = request.getfixturevalue("actor")
    for user in range(2):
        turns = [{**FAILED, "ok": place % 100 != 0, "content": "x"} for place in range(1_000)]
        record_turns(actor=agent, session="s1", user_id=f"user {user}", turns=turns)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memories_turn, memories_session")
    found = failed_calls(request.getfixturevalue(who), user_id="user 1")
    assert found.count() == 10
    assert "turn_failed" in found.explain()


# Runs


def test_it_shows_runs_newest_first_with_their_candidates(
    actor: Actor, person: Actor, django_assert_max_num_queries: Callable[..., Any]
) -> None:  # B2
    session = recorded(actor, "s1")
    ran(session, "failed")
    run = ran(session)
    kept = Memory.objects.create(space_id=actor.space_id, content="We use uv.", confidence=1.0)
    for position, memory in ((2, None), (1, kept)):
        candidate_of(run, position, memory)
    with django_assert_max_num_queries(4):
        newest, first = runs_of(actor=person, session_id=session.pk)
        shown = [(one.position, one.memory) for one in newest.candidates.all()]
    assert (newest.state, first.state) == ("done", "failed")
    assert shown == [(1, kept), (2, None)]


def candidate_of(run: DistillationRun, position: int, memory: Memory | None) -> Candidate:
    return Candidate.objects.create(
        run=run,
        position=position,
        content="We use uv.",
        turns=[1],
        certainty=1.0,
        worth=1.0,
        confidence=1.0,
        verdict="kept" if memory else "dropped",
        reason="stored" if memory else "greeting",
        memory=memory,
    )


def test_a_candidate_does_not_show_a_memory_that_is_hidden(
    actor: Actor, teammate: Actor, person: Actor, viewer: Actor
) -> None:  # D1
    session = recorded(actor, "s1")
    hidden = Memory.objects.create(
        space_id=actor.space_id,
        agent_id=teammate.id,
        visibility="private",
        content="We use uv.",
        confidence=1.0,
    )
    candidate_of(ran(session), 1, hidden)

    def shown(who: Actor) -> Memory | None:
        return runs_of(actor=who, session_id=session.pk)[0].candidates.all()[0].memory

    assert (shown(actor), shown(viewer), shown(person)) == (None, None, hidden)
