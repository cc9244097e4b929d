"""D1 through the real bridge: three agents, two spaces, private memories and end users."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from memories.identity import issue_key
from memories.models import Agent, Space
from tests.mcp_bridge.bridges import Bridge
from tests.mcp_bridge.sessions import Session, over_http

CODE = "The door code of the office is 4711."


@dataclass
class Agents:
    coder: Session
    helper: Session
    stranger: Session


@pytest.fixture
def agents(bridge: Bridge, committed: None) -> Iterator[Agents]:
    team = Space.objects.create(slug="team", name="Team")
    elsewhere = Space.objects.create(slug="elsewhere", name="Elsewhere")
    with ExitStack() as stack:
        yield Agents(
            *(
                stack.enter_context(
                    over_http(
                        bridge.url, issue_key(Agent.objects.create(space=space, name=name))[1]
                    )
                )
                for space, name in ((team, "coder"), (team, "helper"), (elsewhere, "stranger"))
            )
        )


def write(session: Session, **more: str) -> str:
    said = session.said("write_memory", **{"content": CODE, "source": "user_input"} | more)
    return str(said["memory"]["id"])


def finds(session: Session, **more: str) -> bool:
    return bool(session.said("search_memory", query="door code", top_k=50, **more)["hits"])


def test_it_shares_within_a_space_and_not_beyond(agents: Agents) -> None:  # D2
    write(agents.coder)
    assert finds(agents.helper)
    assert not finds(agents.stranger)


def test_it_keeps_private_memories_private(agents: Agents) -> None:  # D2
    known = write(agents.coder, visibility="private")
    assert finds(agents.coder)
    assert not finds(agents.helper)
    assert "no such memory" in agents.helper.refused("get_memory", memory_id=known)


def test_it_keeps_end_users_apart(agents: Agents) -> None:
    known = write(agents.coder, user_id="alice")
    assert finds(agents.coder, user_id="alice")
    assert not finds(agents.coder, user_id="bob")
    assert not finds(agents.coder)
    assert "no such memory" in agents.coder.refused("get_memory", memory_id=known, user_id="bob")
    assert agents.coder.said("get_memory", memory_id=known, user_id="alice")


def test_it_shows_what_is_about_nobody_to_every_user(agents: Agents) -> None:
    write(agents.coder)
    assert finds(agents.helper, user_id="bob")


@pytest.mark.parametrize("tool", ["get_memory", "update_memory", "delete_memory"])
def test_it_answers_a_foreign_id_like_a_missing_one(agents: Agents, tool: str) -> None:
    known = write(agents.coder)
    more = {"expected_version": 1, "kind": "lesson"} if tool == "update_memory" else {}
    foreign = agents.stranger.refused(tool, memory_id=known, **more)
    missing = agents.stranger.refused(tool, memory_id=known[:-4] + "0000", **more)
    assert foreign == missing
    assert "4711" not in foreign


def test_it_tells_nobody_that_others_know_the_same(agents: Agents) -> None:
    write(agents.coder, visibility="private")
    said = agents.helper.said("write_memory", content=CODE, source="user_input")
    assert said["outcome"] == "created"
    said = agents.stranger.said("write_memory", content=CODE, source="user_input")
    assert said["outcome"] == "created"


def test_it_keeps_a_list_apart_as_it_keeps_one(agents: Agents) -> None:
    told = [
        {"content": CODE, "visibility": "private"},
        {"content": CODE, "user_id": "alice"},
        {"content": CODE, "user_id": "bob", "visibility": "private"},
    ]
    answers = [
        each.said("write_memories", memories=told)
        for each in (agents.coder, agents.helper, agents.stranger)
    ]
    outcomes = [[one["outcome"] for one in answer["results"]] for answer in answers]
    assert outcomes == [["created"] * 3, ["created", "duplicate", "created"], ["created"] * 3]
    ids = {one["memory"]["id"] for answer in answers for one in answer["results"]}
    assert len(ids) == 8
    assert "4711" not in str(answers)


def test_it_remembers_one_key_an_agent(agents: Agents) -> None:  # B10
    first = write(agents.coder, idempotency_key="k")
    second = write(agents.helper, idempotency_key="k", visibility="private")
    assert first != second
