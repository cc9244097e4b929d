"""Who calls: an agent's key and nothing else, neither an argument nor a header besides it."""

import hashlib
import time
from collections.abc import Awaitable, Callable

from django.utils.translation import gettext as _
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken

from mcp_bridge.database import ANSWER, ATTEMPT, PAUSE, Unavailable, run
from memories.errors import NotAllowed
from memories.identity import actor_for_key
from memories.permissions import Actor

Identity = Callable[[], Awaitable[Actor]]

KEPT = 15.0  # seconds a revoked key may go on working
MOST_KEPT = 1_000


class Keys:
    """Keys and the actors they stand for, remembered for a few seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._known: dict[bytes, tuple[float, Actor]] = {}

    async def actor(self, key: str, *, seconds: float = ANSWER) -> Actor | None:
        """Return the agent that holds `key`, else None, within `seconds`. Raises Unavailable."""
        digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
        until, known = self._known.get(digest, (0.0, None))
        if self._now() < until:
            return known
        self._known.pop(digest, None)
        found = await run(lambda: actor_for_key(key), seconds=seconds)
        if found is not None:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[digest] = (self._now() + KEPT, found)
        return found


class KeyVerifier:
    """The SDK's TokenVerifier for the HTTP transport."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the token when it is a valid key; anything else becomes a 401.

        While the database is away nobody can be told apart: the request is let through to the
        tools, which ask for the actor themselves and answer with a sentence instead of a 500.
        """
        try:
            actor = await self._keys.actor(token, seconds=ATTEMPT + PAUSE)
        except Unavailable:
            return AccessToken(token=token, client_id="", scopes=[])
        if actor is None:
            return None
        return AccessToken(token=token, client_id=str(actor.id), scopes=sorted(actor.verbs))


def bearer(keys: Keys) -> Identity:
    """Return the identity of each HTTP request: the key it carries."""

    async def identity() -> Actor:
        token = get_access_token()
        return await known(keys, token.token if token else "")

    return identity


def held(keys: Keys, key: str) -> Identity:
    """Return the identity of a stdio session: the one key it was started with."""

    async def identity() -> Actor:
        return await known(keys, key)

    return identity


async def known(keys: Keys, key: str) -> Actor:
    """Return the actor of a key, or raise NotAllowed saying what to do."""
    actor = await keys.actor(key)
    if actor is None:
        raise NotAllowed(
            _("This key is unknown, expired or revoked. Ask a space admin for a new one.")
        )
    return actor
