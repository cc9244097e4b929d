"""The tools on sessions, called by the official client on a server in this process."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from mcp_bridge.fitting import MOST_TOKENS, USUAL_TOKENS, tokens
from memories.identity import actor_for_key, issue_key
from memories.models import Agent, Candidate, Memory, Policy, Session, Turn
from memories.permissions import Actor
from tests.mcp_bridge import sessions as clients
from tests.mcp_bridge.sessions import inside, structured, text_of
from tests.memories.runs import looked_back
from tests.services import free_port

TEA = {"role": "user", "content": "I prefer tea to coffee.", "key": "1-user"}
PORT = "The staging server listens on port 8080."


@pytest.fixture
def own(committed: None, actor: Actor) -> Iterator[clients.Session]:
    """A client of the owner, where no embedder is needed."""
    with inside(actor) as session:
        yield session


def record(to: clients.Session, *turns: dict[str, Any], **more: Any) -> dict[str, Any]:
    return to.said("record_turns", **{"turns": list(turns), "session": "s1"} | more)


# --- Recording ------------------------------------------------------------------------------------
def test_it_records_turns(own: clients.Session) -> None:  # A2
    call = {"role": "assistant", "type": "tool_call", "tool": "pytest", "data": {"k": None}}
    result = {"role": "tool", "type": "tool_result", "tool": "pytest", "ok": False, "error": "x"}
    said = record(own, TEA, call, result, task="Tea", user_id="alice")
    assert (said["added"], said["repeated"], said["degraded"]) == (3, 0, [])
    assert (said["session"]["session"], said["session"]["task"]) == ("s1", "Tea")
    assert (said["session"]["user_id"], said["session"]["state"]) == ("alice", "open")
    first, second, third = Turn.objects.order_by("number")
    assert (first.role, first.content, first.key) == ("user", TEA["content"], "1-user")
    assert (second.type, second.data) == ("tool_call", {"k": None})
    assert (third.ok, third.error) == (False, "x")


def test_it_adds_nothing_when_a_call_is_repeated(own: clients.Session) -> None:  # B10
    record(own, TEA)
    again = record(own, TEA)
    assert (again["added"], again["repeated"]) == (0, 1)


def test_it_opens_a_session_that_has_no_name_yet(own: clients.Session) -> None:
    first = own.said("record_turns", turns=[TEA])["session"]
    record(own, TEA | {"key": "2"}, session=first["session"])
    assert Session.objects.get().turn_count == 2


def test_it_keeps_a_private_session_private(own: clients.Session) -> None:  # D2
    assert record(own, TEA, visibility="private")["session"]["visibility"] == "private"


@pytest.mark.parametrize("written", [json.dumps, lambda turns: turns[0], lambda turns: turns])
def test_it_reads_turns_however_they_are_written(
    own: clients.Session, written: Callable[[Any], Any]
) -> None:
    turns = [TEA | {"mood": "sunny", "ok": "null", "data": None, "duration_ms": ""}]
    assert own.said("record_turns", turns=written(turns), session="s1")["added"] == 1
    assert Turn.objects.get().content == TEA["content"]


@pytest.mark.parametrize(
    ("field", "value", "stored"),
    [
        ("data", '{"rows": 3}', {"rows": 3}),
        ("data", {"rows": 3}, {"rows": 3}),
        ("data", "not json", "not json"),
        ("data", "NaN", "NaN"),
        ("ok", "false", False),
        ("ok", True, True),
        ("duration_ms", "12", 12),
        ("happened_at", "2026-05-01T09:00:00Z", datetime(2026, 5, 1, 9, tzinfo=UTC)),
    ],
)
def test_it_reads_each_part_however_it_is_written(
    own: clients.Session, field: str, value: Any, stored: Any
) -> None:
    record(own, {"role": "tool", "type": "tool_result", "tool": "sql", field: value})
    assert getattr(Turn.objects.get(), field) == stored


@pytest.mark.parametrize("answer", ["None", "null", "no"])
def test_it_records_an_answer_that_reads_like_nothing(own: clients.Session, answer: str) -> None:
    record(own, {"role": "user", "content": answer})
    assert Turn.objects.get().content == answer


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        (None, "turns is required."),
        ([], "turns must be a list of at least one turn."),
        ("hello", "turns must be a list of objects."),
        ([TEA, "hello"], "turns must be a list of objects."),
        ([TEA, {"content": "x"}], "turns[1].role is required."),
        ([{"role": "robot", "content": "x"}], "turns[0].role must be one of:"),
        ([TEA | {"ok": "perhaps"}], "turns[0].ok must be true or false."),
        ([TEA | {"happened_at": "soon"}], "turns[0].happened_at must be an ISO 8601"),
        ([TEA, {"role": "user"}], "turns[1]: a message needs content"),
        ([TEA | {"content": "x" * 200_001}], "turns[0]: content has 200001 characters"),
        ([{"role": "tool", "type": "tool_result"}], "turns[0]: a tool_result needs tool"),
        ([{"role": "user", "content": "x"}] * 1001, "1001 turns are too many for one call"),
    ],
)
def test_it_says_which_turn_is_wrong_and_stores_none(
    own: clients.Session, turns: Any, said: str
) -> None:
    assert said in own.refused("record_turns", turns=turns, session="s1")
    assert not Turn.objects.exists()


def test_it_survives_endless_nesting(own: clients.Session) -> None:
    data = "[" * 90_000 + "]" * 90_000  # more than any Python's parser takes
    record(own, {"role": "tool", "type": "tool_result", "tool": "x", "data": data})
    assert Turn.objects.get().data == data


def test_it_records_while_redis_is_away_and_says_so(own: clients.Session, settings: Any) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    said = record(own, TEA)
    assert said["degraded"] == ["working_memory"]
    assert "Redis is away" in said["note"]
    assert Turn.objects.exists()


# --- Recalling ------------------------------------------------------------------------------------
def test_it_recalls_for_what_the_user_said_last(inner: clients.Session) -> None:  # H3
    written = inner.said("write_memory", content=PORT, source="user_input")["memory"]
    record(inner, {"role": "user", "content": "Which port does staging use?"})
    context = inner.said("recall_context", session="s1")
    assert "port 8080" in context["text"]
    assert "Which port does staging use?" in context["text"]
    assert [hit["id"] for hit in context["hits"]] == [written["id"]]
    assert context["note"] == ""


def test_it_says_that_nothing_is_known(inner: clients.Session) -> None:  # C7
    record(inner, TEA)
    assert inner.said("recall_context", session="s1")["note"] == "Nothing relevant is known."


def test_it_says_how_many_memories_did_not_fit(inner: clients.Session) -> None:
    for city in ("Paris", "Berlin", "Madrid"):
        content = f"The office in {city} has a printer, " + "and a scanner beside it, " * 12
        inner.said("write_memory", content=content, source="user_input")
    record(inner, TEA)
    context = inner.said("recall_context", session="s1", query="office printer", budget=200)
    assert context["left_out"] > 0
    assert "did not fit" in context["note"]


def test_it_asks_for_a_session_that_exists(own: clients.Session) -> None:
    assert "no such session" in own.refused("recall_context", session="other", query="tea")


def test_it_recalls_while_the_embedder_is_away(own: clients.Session, settings: Any) -> None:
    settings.EMBEDDER_URL = f"http://127.0.0.1:{free_port()}/v1"
    own.said("write_memory", content=PORT, source="user_input")
    record(own, TEA)
    context = own.said("recall_context", session="s1", query="staging server port 8080")
    assert context["degraded"] == ["embedder"]
    assert "port 8080" in context["text"]
    assert "only words were compared" in context["note"]


def test_it_keeps_a_context_under_3000_tokens(own: clients.Session) -> None:
    record(own, *({"role": "user", "content": "“部署”\n" * 5_000} for _ in range(20)))
    result = own.call("recall_context", session="s1", query="部署")
    assert structured(result)["text"]
    assert tokens(text_of(result)) <= USUAL_TOKENS


def test_it_keeps_the_widest_context_under_10000_tokens(own: clients.Session, actor: Actor) -> None:
    Policy.objects.create(
        space_id=actor.space_id, version=1, numbers={"sessions": {"context_tokens": 20_000}}
    )
    Agent.objects.update(working_turns=200)
    record(own, *({"role": "user", "content": "“部署”\n" * 50} for _ in range(100)))
    for more in ({}, {"budget": 8_000}):
        result = own.call("recall_context", session="s1", query="部署", **more)
        assert USUAL_TOKENS < tokens(text_of(result)) <= MOST_TOKENS
    assert "budget must be" in own.refused("recall_context", session="s1", budget=8_001)


# --- Ending ---------------------------------------------------------------------------------------
def test_it_ends_a_session_and_says_what_comes(own: clients.Session) -> None:
    record(own, TEA, TEA | {"key": "2"})
    ended = own.said("end_session", session="s1", outcome="Success")
    assert (ended["session"]["state"], ended["session"]["outcome"]) == ("ended", "success")
    assert ended["note"] == "2 turns will be looked back at, usually within a minute."
    assert own.said("end_session", session="s1") == ended


def test_it_says_that_an_empty_session_leaves_nothing(own: clients.Session) -> None:
    record(own, TEA)
    Turn.objects.all().delete()
    Session.objects.update(turn_count=0)
    assert "Nothing was recorded" in own.said("end_session", session="s1")["note"]


def test_it_ends_only_what_was_started(own: clients.Session) -> None:
    assert "no such session" in own.refused("end_session", session="s1")
    assert "session is required." in own.refused("end_session")
    assert "outcome must be one of:" in own.refused("end_session", session="s1", outcome="great")


# --- What was kept --------------------------------------------------------------------------------
def test_it_shows_what_was_kept_and_why(own: clients.Session, actor: Actor) -> None:  # B2
    record(own, TEA)
    own.said("end_session", session="s1")
    memory = Memory.objects.create(
        space_id=actor.space_id, agent_id=actor.id, content="The user prefers tea.", confidence=1.0
    )
    said = [("dropped", "greeting", "Hello!"), ("kept", "stored", "The user prefers tea.")]
    looked_back(Session.objects.get(), *said, memory=memory)
    status = own.said("distillation_status", session="s1")
    kept, dropped = status["candidates"]
    assert (kept["verdict"], kept["memory_id"]) == ("kept", str(memory.pk))
    assert (dropped["verdict"], dropped["reason"]) == ("dropped", "greeting")
    assert (status["runs"][0]["state"], status["runs"][0]["counts"]["kept"]) == ("done", 1)
    assert (status["session"]["state"], status["has_more"]) == ("distilled", False)
    assert status["note"] == "Every turn of it has been looked back at."


def test_it_says_that_a_session_is_still_open(own: clients.Session) -> None:
    record(own, TEA)
    status = own.said("distillation_status", session="s1")
    assert (status["runs"], status["candidates"]) == ([], [])
    assert "It is open" in status["note"]


def test_it_says_that_distilling_failed(own: clients.Session) -> None:
    record(own, TEA)
    own.said("end_session", session="s1")
    Session.objects.update(failures=1)
    assert "failed" in own.said("distillation_status", session="s1")["note"]


@pytest.fixture
def many(own: clients.Session) -> list[Candidate]:
    """A session with eight runs of ten long candidates in Chinese."""
    for number in range(8):
        record(own, {"role": "user", "content": str(number)})
        run = looked_back(
            Session.objects.get(), *[("dropped", "greeting", "你好。" * 400)] * 10, note="注" * 90
        )
    last = run.candidates.get(position=9)
    last.verdict = "kept"
    last.save()
    return list(Candidate.objects.all())


def test_it_shows_many_candidates_a_page_at_a_time(
    own: clients.Session, many: list[Candidate]
) -> None:
    seen, offset, more = [], 0, True
    while more:
        result = own.call("distillation_status", session="s1", offset=offset)
        status = structured(result)
        assert tokens(text_of(result)) <= USUAL_TOKENS
        seen += [one["id"] for one in status["candidates"]]
        offset, more = status["next_offset"], status["has_more"]
        assert "3 earlier runs are not shown" in status["note"]
        assert (f"offset {offset}" in status["note"]) == more
    assert len(seen) == len(set(seen)) == 80
    assert Candidate.objects.get(pk=seen[0]).verdict == "kept"


def test_it_shows_only_one_verdict(own: clients.Session, many: list[Candidate]) -> None:
    status = own.said("distillation_status", session="s1", verdict="kept")
    assert [one["verdict"] for one in status["candidates"]] == ["kept"]
    beyond = own.said("distillation_status", session="s1", verdict="kept", offset=50)
    assert (beyond["candidates"], beyond["has_more"]) == ([], False)


# --- Whose it is ----------------------------------------------------------------------------------
ON_ONE: list[tuple[str, dict[str, Any]]] = [
    ("recall_context", {"query": "tea"}),
    ("end_session", {"outcome": "failure"}),
    ("distillation_status", {}),
]


@contextmanager
def other(who: str, owner: Actor, teammate: Actor, stranger: Actor) -> Iterator[clients.Session]:
    with inside({"teammate": teammate, "stranger": stranger}.get(who, owner)) as opened:
        yield opened


@pytest.mark.parametrize(("tool", "arguments"), ON_ONE)
@pytest.mark.parametrize("who", ["teammate", "stranger", "bob", ""])
def test_it_answers_a_foreign_session_like_a_missing_one(
    own: clients.Session,
    actor: Actor,
    teammate: Actor,
    stranger: Actor,
    who: str,
    tool: str,
    arguments: dict[str, Any],
) -> None:  # D1
    record(own, TEA, user_id="alice")
    user = who if who in ("bob", "") else "alice"
    with other(who, actor, teammate, stranger) as opened:
        foreign = opened.refused(tool, session="s1", user_id=user, **arguments)
        missing = opened.refused(tool, session="none", user_id=user, **arguments)
    assert foreign == missing
    assert Session.objects.get().ended_at is None


@pytest.mark.parametrize("who", ["teammate", "stranger", "bob", ""])
def test_it_records_into_nobody_elses_session(
    own: clients.Session, actor: Actor, teammate: Actor, stranger: Actor, who: str
) -> None:  # D1
    mine = record(own, TEA, user_id="alice", task="Secret")["session"]
    user = who if who in ("bob", "") else "alice"
    with other(who, actor, teammate, stranger) as opened:
        said = record(opened, TEA, user_id=user)
    assert said["session"]["id"] != mine["id"]
    assert (said["added"], said["session"]["task"]) == (1, "")
    assert Session.objects.get(pk=mine["id"]).turn_count == 1


@pytest.mark.parametrize(
    ("tool", "arguments"), [*ON_ONE, ("record_turns", {"turns": [TEA]})], ids=lambda one: str(one)
)
def test_it_says_which_scope_a_key_lacks(
    committed: None, agent: Agent, tool: str, arguments: dict[str, Any]
) -> None:
    bare = actor_for_key(issue_key(agent, scopes=())[1])
    assert bare is not None
    with inside(bare) as session:
        assert "lacks the scope" in session.refused(tool, session="s1", **arguments)
