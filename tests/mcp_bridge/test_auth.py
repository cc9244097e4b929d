"""Keys are remembered for seconds only, and nobody is let in while they cannot be checked."""

import asyncio
from typing import Any

import pytest
from django.utils import timezone

from mcp_bridge.auth import KEPT, Keys, KeyVerifier, held
from mcp_bridge.database import Unavailable
from memories.errors import NotAllowed
from memories.models import AgentKey
from memories.permissions import Actor


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_it_knows_the_holder_of_a_key(key: str) -> None:
    actor = asyncio.run(Keys().actor(key))
    assert actor is not None
    assert actor.name == "coder"


def test_it_forgets_a_revoked_key_within_half_a_minute(key: str) -> None:
    clock = Clock()
    keys = Keys(now=clock)
    asyncio.run(keys.actor(key))
    AgentKey.objects.update(revoked_at=timezone.now())
    assert asyncio.run(keys.actor(key)) is not None
    assert KEPT <= 30
    clock.now += KEPT
    assert asyncio.run(keys.actor(key)) is None


def test_it_does_not_remember_what_is_no_key(key: str) -> None:
    keys = Keys()
    assert asyncio.run(keys.actor("hs_wrong")) is None
    assert keys._known == {}


def test_it_does_not_grow_without_end(
    committed: None, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_bridge.auth.actor_for_key", lambda key: actor)
    monkeypatch.setattr("mcp_bridge.auth.MOST_KEPT", 3)
    keys = Keys()
    for number in range(10):
        asyncio.run(keys.actor(str(number)))
    assert len(keys._known) <= 3


async def caller(keys: Keys, key: str) -> Actor:
    return await held(keys, key)()


def test_it_says_that_a_session_lost_its_key(key: str) -> None:
    AgentKey.objects.all().delete()
    with pytest.raises(NotAllowed, match="unknown, expired or revoked"):
        asyncio.run(caller(Keys(), key))


def test_it_leaves_the_check_to_the_tools_while_the_database_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def away(*arguments: Any, **more: Any) -> None:
        raise Unavailable("away")

    monkeypatch.setattr("mcp_bridge.auth.run", away)
    keys = Keys()
    token = asyncio.run(KeyVerifier(keys).verify_token("hs_any"))
    assert token is not None
    assert token.scopes == []
    with pytest.raises(Unavailable):
        asyncio.run(caller(keys, "hs_any"))
