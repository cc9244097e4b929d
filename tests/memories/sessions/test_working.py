"""Working memory on the real Valkey: caps, order, time, and many writers at once (A1)."""

import itertools
import json
import os
import threading
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings as configured
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from redis import Redis

from memories.errors import Invalid
from memories.models import Agent, Session, Turn
from memories.models.ids import new_id
from memories.models.policy import Policy
from memories.permissions import Actor
from memories.sessions.echo import CLOSING, OPENING
from memories.sessions.redis_link import configured_link
from memories.sessions.working import (
    MOST_BYTES,
    RESULT_CHARS,
    SCRATCH_BYTES,
    SCRATCH_VALUES,
    TURN_CHARS,
    WorkingMemory,
    working_memory_of,
)

WRITERS = 16


def turn(number: int, content: str = "hello", **said: Any) -> Turn:
    said.setdefault("happened_at", timezone.now())
    return Turn(number=number, content=content, **said)


def result(number: int, call_id: str, data: Any = None, **said: Any) -> Turn:
    said |= {"type": "tool_result", "role": "tool", "call_id": call_id, "data": data}
    return turn(number, said.pop("content", ""), **said)


def numbers(memory: WorkingMemory) -> list[int]:
    return [turn.number for turn in memory.recent()]


@pytest.fixture
def memory() -> WorkingMemory:
    return WorkingMemory(new_id(), turns=8, seconds=60)


@pytest.fixture
def redis() -> Redis:
    return Redis.from_url(configured.REDIS_URL)


def keys_of(redis: Redis, session_id: UUID) -> list[bytes]:
    return list(redis.scan_iter(f"hindsight:working:{session_id}:*"))


def together(work: Callable[[int], None]) -> None:
    """Run `work(i)` in 16 threads that begin at the same moment; what one raises is raised."""
    start = threading.Barrier(WRITERS)
    failed: list[BaseException] = []

    def run(i: int) -> None:
        start.wait()
        try:
            work(i)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def test_it_keeps_the_last_turns_in_order(memory: WorkingMemory) -> None:  # A1
    for number in range(1, 21):
        memory.push([turn(number)])
    assert numbers(memory) == list(range(13, 21))
    assert [turn.number for turn in memory.recent(3)] == [18, 19, 20]
    assert memory.recent(0) == []


def test_it_keeps_what_a_turn_said(memory: WorkingMemory) -> None:
    now = timezone.now()
    said = {"role": "user", "speaker": "安娜", "happened_at": now}
    memory.push([turn(1, "用 docker 部署 👩‍🔬 \x00 e\u0301 \ud83d", **said)])
    (kept,) = memory.recent()
    assert kept.text == "用 docker 部署 👩‍🔬 � é �"
    assert (kept.role, kept.speaker, kept.moment, kept.left_out) == ("user", "安娜", now, 0)


def test_it_puts_a_late_turn_in_its_place_and_a_repeated_one_nowhere(
    memory: WorkingMemory,
) -> None:
    memory.push([turn(1), turn(3)])
    memory.push([turn(2, "late")])
    memory.push([turn(2, "repeated")])
    assert [(kept.number, kept.text) for kept in memory.recent()] == [
        (1, "hello"),
        (2, "late"),
        (3, "hello"),
    ]


@settings(max_examples=40, deadline=None)
@given(
    batches=st.lists(st.lists(st.integers(1, 60), max_size=20), max_size=8),
    cap=st.integers(1, 12),
)
def test_it_holds_the_newest_numbers_however_they_come(batches: list[list[int]], cap: int) -> None:
    memory = WorkingMemory(new_id(), turns=cap, seconds=60)
    for batch in batches:
        memory.push([turn(number) for number in batch])
    assert numbers(memory) == sorted({number for batch in batches for number in batch})[-cap:]


def test_it_loses_no_turn_of_sixteen_writers() -> None:  # A1
    memory = WorkingMemory(new_id(), turns=200, seconds=60)
    numbered = iter(range(1, 161))

    def work(i: int) -> None:
        for _ in range(10):
            memory.push([turn(next(numbered), f"{i}")])

    together(work)
    assert numbers(memory) == list(range(1, 161))
    assert sorted(turn.text for turn in memory.recent()) == sorted(
        str(i) for i in range(WRITERS) for _ in range(10)
    )


def test_it_never_passes_its_cap_under_sixteen_writers(
    memory: WorkingMemory, redis: Redis
) -> None:  # A1
    numbered = itertools.count(1)
    seen: list[int] = []

    def work(i: int) -> None:
        for _ in range(20):
            memory.push([turn(next(numbered)), result(next(numbered), "c")])
            seen.extend(redis.zcard(key) for key in keys_of(redis, own))

    own = UUID(memory._turns.split(":")[2])
    together(work)
    assert numbers(memory) == list(range(633, 641))
    assert len(memory.results()) == 8
    assert max(seen) == 8


def test_it_shows_the_beginning_of_a_huge_turn_and_how_much_is_left(
    memory: WorkingMemory,
) -> None:
    memory.push([turn(1, "开始" + "a" * 199_998)])
    (kept,) = memory.recent()
    assert kept.text == "开始" + "a" * (TURN_CHARS - 2)
    assert kept.left_out == 200_000 - TURN_CHARS


def test_it_is_bounded_in_bytes_and_drops_the_oldest(redis: Redis) -> None:  # A1
    session_id = new_id()
    memory = WorkingMemory(session_id, turns=200, seconds=60)
    for number in range(1, 61, 2):
        memory.push([result(number, "c", content="大" * 200_000), turn(number + 1, "大" * 9_000)])
    for key in keys_of(redis, session_id):
        held = redis.zrange(key, 0, -1)
        assert MOST_BYTES / 2 < sum(map(len, held)) <= MOST_BYTES
    shown = numbers(memory)
    assert shown == list(range(shown[0], 61))
    assert 1 < shown[0] < 60


def test_it_keeps_tool_results_by_their_call(memory: WorkingMemory) -> None:  # A1
    memory.push([turn(1), result(2, "a", {"rows": [1, None]}, tool="sql", ok=True)])
    memory.push([result(3, "b", error="no such table", ok=False), turn(4)])
    assert [kept.call_id for kept in memory.results()] == ["a", "b"]
    (first,) = memory.results("a")
    assert (first.tool, first.ok, json.loads(first.text)) == ("sql", True, {"rows": [1, None]})
    (second,) = memory.results("b")
    assert (second.ok, second.text) == (False, "no such table")


def test_it_keeps_more_of_a_tool_result_than_of_a_turn(memory: WorkingMemory) -> None:
    memory.push([result(1, "a", content="x" * 30_000)])
    assert len(memory.recent()[0].text) == TURN_CHARS
    (kept,) = memory.results("a")
    assert (len(kept.text), kept.left_out) == (RESULT_CHARS, 30_000 - RESULT_CHARS)


def test_it_keeps_a_result_while_other_turns_pass(memory: WorkingMemory) -> None:
    memory.push([result(1, "a", content="found")])
    memory.push([turn(number) for number in range(2, 20)])
    assert [kept.text for kept in memory.results("a")] == ["found"]


def test_it_does_not_repeat_recalled_context(memory: WorkingMemory) -> None:  # B9
    memory.push([turn(1, f"{OPENING}\n- old news\n{CLOSING}\nWhat now?")])
    (kept,) = memory.recent()
    assert "old news" not in kept.text
    assert kept.text.startswith("[recalled context")
    assert kept.own == "What now?"


def test_it_vanishes_by_itself(redis: Redis) -> None:  # A1
    session_id = new_id()
    memory = WorkingMemory(session_id, turns=8, seconds=1)
    memory.push([turn(1), result(2, "c")])
    memory.set("plan", [1])
    deadline = time.monotonic() + 20
    while keys_of(redis, session_id) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (memory.recent(), memory.results(), memory.get("plan")) == ([], [], None)


@pytest.mark.parametrize("write", ["push", "set", "unset", "refused"])
def test_it_gives_everything_its_full_time_again_on_every_write(
    memory: WorkingMemory, redis: Redis, write: str
) -> None:  # A1
    memory.push([turn(1), result(2, "c")])
    memory.set("plan", "x")
    own = keys_of(redis, UUID(memory._turns.split(":")[2]))
    for key in own:
        redis.expire(key, 5)
    if write == "push":
        memory.push([turn(3)])
    elif write == "refused":
        with pytest.raises(Invalid):
            memory.set("more", "x" * SCRATCH_BYTES)
    else:
        memory.set("other", None if write == "unset" else 1)
    assert len(own) == 3
    assert all(5 < redis.ttl(key) <= 60 for key in own)


@pytest.mark.parametrize("value", [0, False, "", [], {"步骤": ["a", None, 1.5]}, "👩‍🔬\x00"])
def test_it_keeps_scratch_values(memory: WorkingMemory, value: Any) -> None:
    memory.set("计划", "before")
    memory.set("计划", value)
    assert memory.get("计划") == value
    memory.set("计划", None)
    assert memory.get("计划") is None


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, "\ud83d", {"a": object()}])
def test_it_refuses_what_is_not_plain_json(memory: WorkingMemory, value: Any) -> None:
    with pytest.raises(Invalid, match="must be plain JSON"):
        memory.set("plan", value)


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, 5])
def test_it_refuses_an_unusable_name(memory: WorkingMemory, name: Any) -> None:
    with pytest.raises(Invalid, match="name"):
        memory.set(name, 1)


def test_it_refuses_too_many_scratch_values_and_says_what_to_do(memory: WorkingMemory) -> None:
    for i in range(SCRATCH_VALUES):
        memory.set(f"n{i}", i)
    with pytest.raises(Invalid, match="remove one"):
        memory.set("one more", 1)
    memory.set("n0", "replaced")
    memory.set("n1", None)
    memory.set("one more", 1)
    assert (memory.get("n0"), memory.get("one more")) == ("replaced", 1)


def test_it_refuses_too_many_bytes_of_scratch_values(memory: WorkingMemory) -> None:
    memory.set("a", "大" * (SCRATCH_BYTES // 6))
    with pytest.raises(Invalid, match="remove one"):
        memory.set("b", "大" * (SCRATCH_BYTES // 6))
    memory.set("a", "small")
    memory.set("b", "大" * (SCRATCH_BYTES // 6))


def test_it_never_keeps_too_many_scratch_values_of_sixteen_writers(
    memory: WorkingMemory,
) -> None:  # A1
    refused = []

    def work(i: int) -> None:
        for k in range(10):
            try:
                memory.set(f"{i}-{k}", k)
            except Invalid:
                refused.append(1)

    together(work)
    kept = [memory.get(f"{i}-{k}") for i in range(WRITERS) for k in range(10)]
    assert sum(value is not None for value in kept) == SCRATCH_VALUES
    assert len(refused) == WRITERS * 10 - SCRATCH_VALUES


def test_it_knows_nothing_of_another_session(memory: WorkingMemory, redis: Redis) -> None:  # D1
    session_id = new_id()
    other = WorkingMemory(session_id, turns=8, seconds=60)
    for one, text in ((memory, "mine"), (other, "yours")):
        one.push([result(1, "c", content=text)])
        one.set("whose", text)
    other.clear()
    assert keys_of(redis, session_id) == []
    assert [kept.text for kept in (*memory.recent(), *memory.results("c"))] == ["mine", "mine"]
    assert memory.get("whose") == "mine"


def test_it_works_on_both_sides_of_a_fork(memory: WorkingMemory) -> None:
    memory.push([turn(1)])
    mine = configured_link()
    child = os.fork()
    if not child:
        try:
            memory.push([turn(2)])
            os._exit(0 if 2 in numbers(memory) and configured_link() is not mine else 1)
        finally:
            os._exit(2)
    memory.push([turn(3)])
    assert os.waitpid(child, 0)[1] == 0
    assert numbers(memory) == [1, 2, 3]


@pytest.mark.parametrize(
    ("given_agent", "numbers_", "expected"),
    [
        ({}, {}, (15, 3600)),
        ({"profile": "tools"}, {}, (8, 3600)),
        ({}, {"chat_turns": 4, "working_seconds": 20}, (4, 20)),
        ({"profile": "tools"}, {"chat_turns": 4, "tool_turns": 3}, (3, 3600)),
        ({"working_turns": 2, "working_seconds": 11}, {"chat_turns": 4}, (2, 11)),
    ],
)
def test_it_is_as_large_as_the_agent_or_else_the_space_says(
    actor: Actor,
    agent: Agent,
    given_agent: dict[str, Any],
    numbers_: dict[str, int],
    expected: tuple[int, int],
) -> None:  # A1
    Agent.objects.filter(pk=agent.pk).update(**given_agent)
    Policy.objects.create(space=agent.space, numbers={"sessions": numbers_})
    now = timezone.now()
    session = Session(
        space=agent.space, agent_id=agent.pk, started_at=now, last_turn_at=now, touched_at=now
    )
    memory = working_memory_of(session)
    assert (memory.turns, memory.seconds) == expected
