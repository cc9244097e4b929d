"""A caller that calls too often is told when to come back."""

import pytest
from django.core.cache.backends.redis import RedisCache

from memories.api.throttling import ActorThrottle
from memories.identity import issue_key
from memories.models import Agent
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
