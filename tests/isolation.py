"""What the test of isolation plays with: agents, what it knows, an embedder without sense."""

import hashlib
import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.conf import settings

from mcp_bridge.server import Server, make_server
from memories.embedding.client import Embeddings
from memories.identity import actor_for_key, issue_key
from memories.models import Agent, Space
from memories.permissions import Actor


@dataclass
class Known:
    """What the model remembers of a written memory."""

    space_id: uuid.UUID
    agent_id: uuid.UUID | None
    visibility: str
    user_id: str
    id: str
    tokens: set[str] = field(default_factory=set)
    withheld: bool = False


@dataclass
class Spoken:
    """What the model remembers of a recorded turn."""

    agent_id: uuid.UUID | None
    user_id: str
    token: str


class EverythingIsAlike:
    """An embedder whose vectors all point the same way but for a little, whatever the model."""

    def __init__(self, model: str = "") -> None:
        """Takes the name of a model, as configured_client() does."""

    def embed(self, texts: Sequence[str]) -> Embeddings:
        return Embeddings([_vector(text) for text in texts], settings.EMBEDDING_MODEL)


def _vector(text: str) -> list[float]:
    noise = [(byte - 128) / 600 for byte in hashlib.sha256(text.encode()).digest()[:7]]
    vector = [1.0, *noise]
    length = math.hypot(*vector)
    return [value / length for value in vector]


def agent(space: Space, name: str, user_id: str = "") -> Actor:
    agent = Agent.objects.create(space=space, name=name, user_id=user_id)
    actor = actor_for_key(issue_key(agent)[1])
    assert actor is not None
    return actor


def server(actor: Actor) -> Server:
    async def identity() -> Actor:
        return actor

    return make_server(identity)
