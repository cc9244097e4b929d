"""One turn as a host tells it: stored as it is, or refused with its place and what to do (A2)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.errors import Invalid
from memories.sessions.turns import MAX_DEPTH, cleaned_turn, cleaned_turns


def message(content: Any = "hello", **said: Any) -> dict[str, Any]:
    return {"content": content, **said}


def result(**said: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool": "run", **said}


def nested(depth: int) -> Any:
    value: Any = 1
    for _level in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("given", "role"),
    [
        (message(), "user"),
        (message(role="assistant"), "assistant"),
        ({"type": "tool_call", "tool": "run"}, "assistant"),
        ({"type": "tool_result", "call_id": "c1"}, "tool"),
    ],
)
def test_it_knows_who_speaks_by_the_type(given: dict[str, Any], role: str) -> None:
    assert cleaned_turn(given).role == role


def test_it_replaces_what_cannot_be_stored() -> None:  # A2, binary junk
    turn = cleaned_turn(result(content="a\x00b\ud800c", data={"k\x00": [" x\x00 ", "\udfff"]}))
    assert turn.content == "a�b�c"
    assert turn.data == {"k�": [" x� ", "�"]}


def test_it_takes_null_as_left_out() -> None:
    turn = cleaned_turn(result(content=None, data=None, ok=None, duration_ms=None, error=None))
    assert (turn.content, turn.data, turn.ok, turn.error) == ("", None, None, "")


def test_it_keeps_200_kilobytes_whole_and_refuses_more() -> None:
    assert cleaned_turn(message("x" * 200_000)).content == "x" * 200_000
    with pytest.raises(Invalid, match=r"200001 characters, .*split it") as refusal:
        cleaned_turns([message()] * 3 + [message("x" * 200_001)])
    assert refusal.value.field == "turns[3].content"


def test_it_bounds_data_by_size_and_depth() -> None:
    assert cleaned_turn(result(data=nested(MAX_DEPTH))).data == nested(MAX_DEPTH)
    for data, why in (
        (nested(MAX_DEPTH + 1), "deep"),
        (nested(50_000), "deep"),
        ("x" * 200_000, "characters of JSON"),
        ({"a": float("nan")}, "NaN"),
        ({"a": b"bytes"}, "plain JSON"),
    ):
        with pytest.raises(Invalid, match=why) as refusal:
            cleaned_turn(result(data=data))
        assert refusal.value.field == "data"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (message(b"bytes"), "content"),
        (message([{"type": "text"}]), "content"),
        (message("  \n"), "content"),
        ({}, "content"),
        (message(type="picture"), "type"),
        (message(type=["message"]), "type"),
        (message(role="robot"), "role"),
        (message(speaker=7), "speaker"),
        (message(key="k" * 201), "key"),
        (message(ok=True), "ok"),
        ({"type": "tool_call", "tool": "run", "ok": False}, "ok"),
        (result(ok="yes"), "ok"),
        (result(ok=1), "ok"),
        (result(error="x" * 200_001), "error"),
        ({"type": "tool_result", "content": "done"}, "tool"),
        ({"type": "tool_call"}, "tool"),
        (result(duration_ms=-1), "duration_ms"),
        (result(duration_ms=2**31), "duration_ms"),
        (result(duration_ms=1.5), "duration_ms"),
        (result(duration_ms=True), "duration_ms"),
        (message(happened_at="yesterday"), "happened_at"),
        (message(happened_at=datetime(999, 1, 1, tzinfo=UTC)), "happened_at"),
        (message(happened_at=datetime.max), "happened_at"),  # noqa: DTZ901
        (message(mood="good"), "mood"),
        (message(**{"�" * 100: 1}), "�" * 60),
    ],
)
def test_it_names_the_field_it_cannot_use(given: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refusal:
        cleaned_turns([message(), given])
    assert refusal.value.field == f"turns[1].{field}"
    assert refusal.value.message.startswith("turns[1]: ")


@pytest.mark.parametrize("turns", [[], {}, "hello", b"hello", None, message()])
def test_it_wants_a_list_of_turns(turns: Any) -> None:
    with pytest.raises(Invalid, match="list of at least one turn"):
        cleaned_turns(turns)


@pytest.mark.parametrize("turn", ["hello", None, 7, [message()]])
def test_it_wants_each_turn_to_be_an_object(turn: Any) -> None:
    with pytest.raises(Invalid, match="must be an object") as refusal:
        cleaned_turns([turn])
    assert refusal.value.field == "turns[0]"


def test_it_takes_1000_turns_a_call() -> None:
    assert len(cleaned_turns([message()] * 1_000)) == 1_000
    with pytest.raises(Invalid, match=r"1001 turns are too many.*batches of 1000"):
        cleaned_turns([message()] * 1_001)


def test_it_takes_a_time_without_zone_in_the_servers() -> None:
    given = datetime(2026, 5, 1, 9, 30)  # noqa: DTZ001
    assert cleaned_turn(message(happened_at=given)).happened_at == given.replace(
        tzinfo=timezone.get_current_timezone()
    )


def test_a_turn_without_time_happened_now() -> None:
    assert timezone.now() - cleaned_turn(message()).happened_at < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("said", "ok"),
    [
        ({}, None),
        ({"ok": True}, True),
        ({"ok": False}, False),
        ({"error": "no such file"}, False),
        ({"error": "a warning", "ok": True}, True),
        ({"data": {"exit_code": 1, "stdout": "all good"}}, False),
        ({"data": {"exit_code": 0}}, None),
        ({"data": {"isError": True, "content": []}}, False),
        ({"data": {"exit_code": 1}, "ok": True}, True),
        ({"content": "It worked."}, None),
    ],
)
def test_a_result_that_tells_of_a_failure_failed_unless_the_host_says_otherwise(
    said: dict[str, Any], ok: bool | None
) -> None:  # B8
    assert cleaned_turn(result(**said)).ok is ok
