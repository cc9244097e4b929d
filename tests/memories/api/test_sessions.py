"""Sessions over REST: start, record, recall, end."""

import json
from typing import Any

import pytest

from memories.identity import issue_key
from memories.models import Agent, Session, Turn
from tests.memories.api.client import FAILED, HELLO, Caller, refusal, start, turns
from tests.services import free_port


# --- Starting -------------------------------------------------------------------------------------
def test_it_starts_a_session_once(record: Caller) -> None:
    said = {"session": "chat-7", "task": "Tea", "started_at": "2026-05-01T09:00:00Z"}
    first, again = record.post("/sessions", said), record.post("/sessions", said)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert first.json()["session"] == "chat-7"
    assert (first.json()["task"], first.json()["agent"]) == ("Tea", "coder")
    assert (first.json()["state"], first.json()["started_at"][:10]) == ("open", "2026-05-01")


def test_it_names_a_session_that_has_no_name(record: Caller) -> None:
    one, two = record.post("/sessions", {}).json(), record.post("/sessions", {}).json()
    assert one["session"]
    assert one["session"] != two["session"]


def test_it_lets_only_agents_record(curator: Caller) -> None:
    refusal(curator.post("/sessions", {}), 403, "not_allowed")
    assert not Session.objects.exists()


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"visibility": "public"}, "visibility"),
        ({"task": "x" * 501}, "task"),
        ({"task": 5}, "task"),
        ({"session": "x" * 201}, "session"),
        ({"started_at": "yesterday"}, "started_at"),
        ({"agent": "helper"}, "agent"),
    ],
)
def test_it_refuses_a_session_by_the_name_of_the_field(
    record: Caller, said: dict[str, Any], field: str
) -> None:
    assert refusal(record.post("/sessions", said), 400, "invalid")["field"] == field
    assert not Session.objects.exists()


# --- Recording ------------------------------------------------------------------------------------
def test_it_records_turns_as_they_are_told(record: Caller) -> None:  # A2
    path = start(record)
    call = {"type": "tool_call", "role": "assistant", "tool": "pytest", "data": {"k": None}}
    answer = turns(record, path, HELLO, call, FAILED | {"duration_ms": 900, "data": [1, "x"]})
    assert answer.status_code == 201
    assert (answer.json()["added"], answer.json()["repeated"]) == (3, 0)
    assert answer.json()["degraded"] == []
    assert answer.json()["session"]["turn_count"] == answer.json()["session"]["undistilled"] == 3
    said, called, result = record.get(f"{path}/turns").json()["items"]
    assert (said["number"], said["role"], said["content"]) == (1, "user", HELLO["content"])
    assert (called["type"], called["data"], called["ok"]) == ("tool_call", {"k": None}, None)
    assert (result["ok"], result["error"], result["duration_ms"]) == (False, "2 failed", 900)


def test_it_adds_nothing_when_a_call_is_repeated(record: Caller) -> None:  # B10
    path = start(record)
    turns(record, path, HELLO)
    again = turns(record, path, HELLO)
    assert (again.status_code, again.json()["added"], again.json()["repeated"]) == (200, 0, 1)
    assert Turn.objects.count() == 1


def test_it_records_a_thousand_turns_at_once_and_no_more(record: Caller) -> None:
    path = start(record)
    many = [{"content": f"Line {number}"} for number in range(1001)]
    refusal(turns(record, path, *many), 400, "invalid")
    assert turns(record, path, *many[:1000]).json()["added"] == 1000


def test_it_says_413_to_more_than_it_reads(record: Caller, settings: Any) -> None:
    path = start(record)
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    refusal(turns(record, path, {"content": "x" * 2000}), 413, "too_large")


@pytest.mark.parametrize(
    ("turn", "field"),
    [
        ({"content": ""}, "content"),
        ({"content": 5}, "content"),
        ({"content": "x" * 200_001}, "content"),
        ({"content": "x", "role": "robot"}, "role"),
        ({"content": "x", "mood": "sunny"}, "mood"),
        ({"type": "tool_result", "tool": "x", "ok": "yes"}, "ok"),
        ({"type": "tool_result", "tool": "x", "ok": 1}, "ok"),
        ({"content": "x", "ok": True}, "ok"),
        ({"content": "x", "duration_ms": -1}, "duration_ms"),
        ({"content": "x", "happened_at": "soon"}, "happened_at"),
        ({"type": "tool_call"}, "tool"),
        ({"tool": "x", "type": "tool_call", "data": {"n": [[]] * 3 + ["x" * 200_001]}}, "data"),
    ],
)
def test_it_stores_all_turns_or_none_and_says_which_is_wrong(
    record: Caller, turn: dict[str, Any], field: str
) -> None:
    path = start(record)
    said = refusal(turns(record, path, HELLO, turn), 400, "invalid")
    assert "1" in said["field"]
    assert said["field"].endswith(field)
    assert not Turn.objects.exists()


@pytest.mark.parametrize("given", [[], {}, "hello", [5], None])
def test_it_refuses_what_is_no_list_of_turns(record: Caller, given: Any) -> None:
    path = start(record)
    said = refusal(record.post(f"{path}/turns", {"turns": given}), 400, "invalid")
    assert said["field"].startswith("turns")


def test_it_keeps_odd_text(record: Caller) -> None:
    path = start(record)
    odd = {"turns": [{"content": "用 docker \x00 \ud800 👍", "data": {"raw\x00": "\ud800"}}]}
    address = f"/api/v1{path}/turns"
    answer = record.client.post(address, json.dumps(odd), content_type="application/json")
    assert answer.status_code == 201
    [turn] = record.get(f"{path}/turns").json()["items"]
    assert (turn["content"], turn["data"]) == ("用 docker � � 👍", {"raw�": "�"})


def test_it_lets_a_key_that_only_writes_record(agent: Agent) -> None:
    writer = Caller(issue_key(agent, scopes=("write",))[1])
    path = start(writer)
    assert turns(writer, path, HELLO).status_code == 201
    assert writer.post(f"{path}/end", {}).status_code == 200
    refusal(writer.get(f"{path}/turns"), 403, "not_allowed")
    refusal(writer.post(f"{path}/context", {"query": "tea"}), 403, "not_allowed")


def test_it_lets_a_key_that_only_reads_record_nothing(record: Caller, agent: Agent) -> None:
    path = start(record)
    reader = Caller(issue_key(agent, scopes=("read",))[1])
    refusal(reader.post("/sessions", {}), 403, "not_allowed")
    refusal(turns(reader, path, HELLO), 403, "not_allowed")
    refusal(reader.post(f"{path}/end", {}), 403, "not_allowed")


def test_it_records_while_redis_is_away_and_says_so(record: Caller, settings: Any) -> None:
    path = start(record)
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    answer = turns(record, path, HELLO)
    assert (answer.status_code, answer.json()["degraded"]) == (201, ["working_memory"])
    assert Turn.objects.count() == 1


# --- Recalling ------------------------------------------------------------------------------------
def test_it_recalls_for_a_turn(owner: Caller) -> None:  # H3
    known = owner.write("The staging server listens on port 8080.")["id"]
    path = start(owner)
    turns(owner, path, {"role": "user", "content": "Which port does staging use?"})
    context = owner.post(f"{path}/context", {}).json()
    assert "port 8080" in context["text"]
    assert "Which port does staging use?" in context["text"]
    assert [hit["id"] for hit in context["hits"]] == [known]
    assert (context["turns"], context["degraded"], context["left_out"]) == ([1], [], 0)
    assert 0 < context["tokens"] <= 1500


def test_it_keeps_a_context_within_its_budget(owner: Caller) -> None:
    path = start(owner)
    turns(owner, path, {"role": "user", "content": "tea " * 5_000})
    context = owner.post(f"{path}/context", {"query": "tea", "budget": 200}).json()
    assert 0 < context["tokens"] <= 200
    for budget in (99, 20_001, "200", 150.5):
        answer = owner.post(f"{path}/context", {"query": "tea", "budget": budget})
        assert refusal(answer, 400, "invalid")["field"] == "budget"


def test_it_takes_a_long_question(owner: Caller) -> None:
    query = "Which port does staging use? " * 500
    assert owner.post(f"{start(owner)}/context", {"query": query}).status_code == 200


def test_it_recalls_while_redis_and_embedder_are_away(owner: Caller, settings: Any) -> None:
    owner.write("The staging server listens on port 8080.")
    path = start(owner)
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    settings.EMBEDDER_URL = f"http://127.0.0.1:{free_port()}/v1"
    turns(owner, path, {"role": "user", "content": "staging server port?"})
    context = owner.post(f"{path}/context", {}).json()
    assert context["degraded"] == ["working_memory", "embedder"]
    assert "port 8080" in context["text"]
    assert "staging server port?" in context["text"]


def test_it_asks_for_a_question_when_there_is_none(record: Caller) -> None:
    answer = record.post(f"{start(record)}/context", {})
    assert refusal(answer, 400, "invalid")["field"] == "query"


# --- Ending ---------------------------------------------------------------------------------------
def test_it_ends_a_session_once(record: Caller) -> None:
    path = start(record)
    turns(record, path, HELLO)
    ended = record.post(f"{path}/end", {"outcome": "success"}).json()
    assert (ended["state"], ended["outcome"], ended["ended_by"]) == ("ended", "success", "host")
    assert record.post(f"{path}/end", {}).json() == ended
    refusal(record.post(f"{path}/end", {"outcome": "great"}), 400, "invalid")


def test_it_goes_on_after_its_end(record: Caller) -> None:
    path = start(record)
    record.post(f"{path}/end", {})
    turns(record, path, HELLO)
    assert record.get(path).json()["state"] == "open"


def test_it_lets_a_person_end_what_a_host_forgot(record: Caller, curator: Caller) -> None:
    path = start(record)
    ended = curator.post(f"{path}/end", {}).json()
    assert (ended["state"], ended["ended_by"]) == ("ended", "person")
    again = curator.post(f"{path}/end", {"outcome": "success"})
    assert refusal(again, 400, "invalid")["field"] == "outcome"
