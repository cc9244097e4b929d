"""What clients and providers break on must not be in tools/list."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from mcp.types import Tool

from mcp_bridge.server import NAME, make_server
from memories.permissions import Actor
from memories.sessions import TurnGiven
from tests.mcp_bridge.sessions import connected

ON_MEMORIES = {
    "write_memory",
    "write_memories",
    "search_memory",
    "get_memory",
    "update_memory",
    "delete_memory",
    "give_feedback",
    "memory_update_status",
    "memory_audit",
    "consolidate",
}
ON_SESSIONS = {"record_turns", "recall_context", "end_session", "distillation_status"}
FORBIDDEN = {"anyOf", "oneOf", "allOf", "not", "$ref", "$defs", "format", "const", "title"}
TYPES = {"string", "integer", "number", "boolean", "array", "object"}


async def nobody() -> Actor:
    raise AssertionError("listing tools needs no identity")


@pytest.fixture(scope="module")
def listed() -> list[Tool]:
    with connected(make_server(nobody)) as session:
        return session.tools().tools


def schemas(tools: list[Tool]) -> Iterator[dict[str, Any]]:
    for tool in tools:
        assert tool.output_schema is not None
        yield from (tool.input_schema, tool.output_schema)


def keywords(schema: Any) -> Iterator[str]:
    """Yield every schema keyword at any depth; names of properties are not keywords."""
    if not isinstance(schema, dict):
        return
    for name, value in schema.items():
        yield name
        parts = value.values() if name == "properties" else [value]
        for part in parts:
            yield from keywords(part)


def test_it_lists_the_tools(listed: list[Tool]) -> None:  # H1
    assert {tool.name for tool in listed} == ON_MEMORIES | ON_SESSIONS


def test_it_describes_every_tool_and_argument(listed: list[Tool]) -> None:
    for tool in listed:
        assert len(tool.description or "") > 100
        for argument in tool.input_schema["properties"].values():
            assert argument["description"]


def test_it_has_objects_at_the_root(listed: list[Tool]) -> None:
    assert {schema["type"] for schema in schemas(listed)} == {"object"}


def test_it_gives_each_property_one_plain_type(listed: list[Tool]) -> None:
    for schema in schemas(listed):
        for name, part in schema["properties"].items():
            assert part["type"] in TYPES, name


def test_it_uses_no_keyword_that_providers_refuse(listed: list[Tool]) -> None:
    for schema in schemas(listed):
        assert not FORBIDDEN & set(keywords(schema))


def test_it_has_no_defaults(listed: list[Tool]) -> None:
    for schema in schemas(listed):
        assert "default" not in set(keywords(schema))


def test_it_says_what_lists_hold(listed: list[Tool]) -> None:
    for schema in schemas(listed):
        for part in schema["properties"].values():
            assert part["type"] != "array" or part["items"]["type"] in TYPES


def test_it_says_what_objects_in_lists_are_made_of(listed: list[Tool]) -> None:
    [record] = [tool for tool in listed if tool.name == "record_turns"]
    turn = record.input_schema["properties"]["turns"]["items"]
    assert turn["required"] == ["role"]
    assert turn["properties"].keys() == set(TurnGiven.__annotations__)
    for part in turn["properties"].values():
        assert part["type"] in {"string", "boolean", "integer"}
        assert part["description"]


def test_it_takes_in_a_list_what_it_takes_alone(listed: list[Tool]) -> None:
    [alone] = [tool for tool in listed if tool.name == "write_memory"]
    [together] = [tool for tool in listed if tool.name == "write_memories"]
    one = together.input_schema["properties"]["memories"]["items"]
    assert one["required"] == alone.input_schema["required"]
    assert one["properties"].keys() == alone.input_schema["properties"].keys()
    for name, part in alone.input_schema["properties"].items():
        assert one["properties"][name] == part or name == "user_id"


def test_it_names_everything_plainly(listed: list[Tool]) -> None:
    names = [tool.name for tool in listed]
    names += [name for tool in listed for name in tool.input_schema["properties"]]
    assert all(re.fullmatch("[a-z][a-z0-9_]{0,39}", name) for name in names)


def test_it_has_a_short_server_name() -> None:
    assert len(NAME) <= 15


@pytest.mark.parametrize(
    ("tool", "required"),
    [
        ("write_memory", ["content"]),
        ("write_memories", ["memories"]),
        ("search_memory", ["query"]),
        ("get_memory", ["memory_id"]),
        ("update_memory", ["memory_id", "expected_version"]),
        ("delete_memory", ["memory_id"]),
        ("give_feedback", ["memory_id", "verdict"]),
        ("memory_update_status", ["memory_id", "status"]),
        ("memory_audit", ["memory_id"]),
        ("consolidate", ["memory_ids"]),
        ("record_turns", ["turns"]),
        ("recall_context", ["session"]),
        ("end_session", ["session"]),
        ("distillation_status", ["session"]),
    ],
)
def test_it_requires_only_what_it_cannot_do_without(
    listed: list[Tool], tool: str, required: list[str]
) -> None:
    [found] = [one for one in listed if one.name == tool]
    assert found.input_schema["required"] == required


def test_it_offers_agents_no_source_that_is_for_people(listed: list[Tool]) -> None:  # F5
    [write] = [tool for tool in listed if tool.name == "write_memory"]
    assert "person" not in write.input_schema["properties"]["source"]["enum"]
    [together] = [tool for tool in listed if tool.name == "write_memories"]
    one = together.input_schema["properties"]["memories"]["items"]
    assert "person" not in one["properties"]["source"]["enum"]


def test_it_says_which_tools_only_read(listed: list[Tool]) -> None:
    reading = {tool.name for tool in listed if tool.annotations and tool.annotations.read_only_hint}
    assert reading == {
        "search_memory",
        "get_memory",
        "memory_audit",
        "recall_context",
        "distillation_status",
    }
