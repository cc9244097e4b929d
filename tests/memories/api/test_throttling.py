"""A caller that calls too often is told when to come back."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from django.core.cache.backends.redis import RedisCache

from memories.api.throttling import ActorThrottle
from memories.identity import issue_key
from memories.models import Agent
from memories.permissions import Actor
from tests.memories.api.client import Caller, refusal


@pytest.fixture(autouse=True)
def _two_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ActorThrottle, "rate", "2/min", raising=False)


def test_it_says_429_and_when_to_come_back(owner: Caller) -> None:
    assert [owner.get("/memories").status_code for _ in range(2)] == [200, 200]
    answer = owner.get("/memories")
    error = refusal(answer, 429, "throttled")
    assert 0 < int(answer["Retry-After"]) <= 60
    assert error["details"] == {"retry_after": int(answer["Retry-After"])}


def test_it_counts_every_agent_for_itself(owner: Caller, mate: Caller, curator: Caller) -> None:
    for caller in (owner, mate, curator):
        assert [caller.get("/memories").status_code for _ in range(3)] == [200, 200, 429]


def test_it_counts_an_agents_keys_together(owner: Caller, agent: Agent) -> None:
    second = Caller(issue_key(agent)[1])
    answers = [caller.get("/memories").status_code for caller in (owner, second, owner)]
    assert answers == [200, 200, 429]


def test_it_lets_everyone_through_while_redis_is_away(
    owner: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:  # rule 9: degrade, never fail
    monkeypatch.setattr(ActorThrottle, "cache", RedisCache("redis://127.0.0.1:1/0", {}))
    assert [owner.get("/memories").status_code for _ in range(3)] == [200, 200, 200]


# --- A call that stands for many ------------------------------------------------------------------
@dataclass
class Clock:
    """A throttle's own time."""

    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(ActorThrottle, "timer", staticmethod(clock))
    return clock


def asked(actor: Actor, calls: int) -> float:
    """Ask once for so many calls; return 0 when that is granted, else how long to wait."""
    throttle = ActorThrottle()
    request = SimpleNamespace(auth=actor)
    granted = throttle.allow_request(request, SimpleNamespace(calls=calls))  # type: ignore[arg-type]
    return 0.0 if granted else throttle.wait()


def test_it_has_room_for_all_or_says_how_long_until_then(
    actor: Actor, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ActorThrottle, "rate", "10/min", raising=False)
    assert asked(actor, 6) == 0
    clock.now += 20
    assert asked(actor, 3) == 0
    assert asked(actor, 2) == 40  # the first six have gone then
    assert asked(actor, 8) == 60  # and then the other three
    assert asked(actor, 1) == 0
    assert asked(actor, 1) == 40
    clock.now += 40
    assert asked(actor, 6) == 0


@pytest.mark.parametrize(("calls", "seconds"), [(100, 10), (95, 10), (11, 2), (10, 1)])
def test_what_is_larger_than_the_rate_fills_the_windows_after_it(
    actor: Actor, clock: Clock, monkeypatch: pytest.MonkeyPatch, calls: int, seconds: int
) -> None:
    monkeypatch.setattr(ActorThrottle, "rate", "10/second", raising=False)
    assert asked(actor, calls) == 0
    left = -calls % 10
    clock.now += seconds - 1
    assert [asked(actor, 1) for _ in range(left)] == [0.0] * left
    assert asked(actor, 1) == 1
    clock.now += 1
    assert asked(actor, calls) == 0
