"""A client keeps its session while connections are killed, the bridge and the server restart."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from memories.models import Memory, Space
from tests.mcp_bridge.bridges import Bridge
from tests.mcp_bridge.sessions import BRIDGE, Session, bridge_environment, inside, over_http


@pytest.fixture
def operator(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    """A database connection of somebody who kills others and holds locks."""
    with psycopg.connect(database_url, autocommit=True) as operating:
        yield operating


def kill_others(operator: psycopg.Connection[Any], *, waiting: bool = False) -> int:
    """Kill the backends of the bridge (only those that wait for a lock); return how many."""
    rows = operator.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
        " AND application_name = %s AND (wait_event_type = 'Lock' OR NOT %s)",
        [BRIDGE, waiting],
    ).fetchall()
    return len(rows)


def until_true(happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + 8
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


@contextmanager
def killed_while_waiting(operator: psycopg.Connection[Any], lock: str) -> Iterator[None]:
    """Make a call inside the block wait for `lock`, kill its backend, and let the lock go."""
    operator.execute("BEGIN")
    operator.execute(lock)
    killed: list[int] = []

    def kill() -> None:
        until_true(lambda: kill_others(operator, waiting=True))
        killed.append(1)
        operator.execute("ROLLBACK")

    thread = threading.Thread(target=kill)
    thread.start()
    yield
    thread.join()
    assert killed


def write(session: Session, content: str = "The office cat is called Miso.") -> dict[str, Any]:
    return session.said("write_memory", content=content, source="user_input")


def test_it_survives_killed_connections_between_calls(
    session: Session, operator: psycopg.Connection[Any]
) -> None:
    written = write(session)["memory"]
    for _attempt in range(3):
        assert kill_others(operator)
        assert session.said("get_memory", memory_id=written["id"])["memory"]["id"] == written["id"]


def test_it_repeats_a_read_that_was_interrupted(
    session: Session, operator: psycopg.Connection[Any]
) -> None:
    written = write(session)["memory"]
    with killed_while_waiting(operator, "LOCK TABLE memories_memory IN ACCESS EXCLUSIVE MODE"):
        read = session.said("get_memory", memory_id=written["id"])
    assert read["memory"] == written


def test_it_repeats_a_write_that_was_interrupted(
    session: Session, operator: psycopg.Connection[Any]
) -> None:
    write(session, "The printer is on the second floor.")
    owner = f"SELECT pg_advisory_xact_lock(hashtextextended('{Space.objects.get().pk}/', 0))"
    with killed_while_waiting(operator, owner):
        assert write(session)["outcome"] == "created"
    assert Memory.objects.count() == 2


def test_it_repeats_a_change_that_was_interrupted(
    session: Session, operator: psycopg.Connection[Any]
) -> None:
    written = write(session)["memory"]
    row = f"SELECT 1 FROM memories_memory WHERE id = '{written['id']}' FOR UPDATE"  # noqa: S608
    with killed_while_waiting(operator, row):
        changed = session.said(
            "update_memory", memory_id=written["id"], expected_version=1, kind="discovery"
        )
    assert changed["memory"]["version"] == 2


def test_it_keeps_the_session_when_the_bridge_restarts(
    database_url: str, embedder: str, key: str, tmp_path: Any
) -> None:
    bridge = Bridge(bridge_environment(database_url), tmp_path / "log").start()
    try:
        for mode in ("auto", "legacy"):
            with over_http(bridge.url, key, mode) as session:
                written = write(session)["memory"]
                bridge.kill()
                bridge.start()
                read = session.said("get_memory", memory_id=written["id"])
                assert read["memory"]["id"] == written["id"]
    finally:
        bridge.stop()


def test_it_does_not_wait_for_ever(
    inner: Session,
    actor: Any,
    operator: psycopg.Connection[Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = write(inner)["memory"]
    monkeypatch.setattr("mcp_bridge.calling.ANSWER", 0.5)
    operator.execute("BEGIN")
    operator.execute("LOCK TABLE memories_memory IN ACCESS EXCLUSIVE MODE")
    try:
        said = inner.refused("get_memory", memory_id=written["id"])
    finally:
        operator.execute("ROLLBACK")
    assert "took too long" in said
    monkeypatch.undo()
    with inside(actor) as session:
        assert session.said("get_memory", memory_id=written["id"])
