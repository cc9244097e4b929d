"""The three doors, with one face: the services in this process, REST and MCP in their own."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any, Protocol

from django.db import OperationalError, close_old_connections
from django.utils.translation import gettext as _

from memories.errors import Invalid, ServiceError
from memories.evaluation import clients, serving
from memories.evaluation.material import Line
from memories.models.memory import Source
from memories.permissions import Actor
from memories.recall import recall
from memories.writing import Draft, Said, write_memories, write_memory


class Door(Protocol):
    """A way in, for one caller."""

    def search(self, query: str, user_id: str) -> Mapping[str, Any]: ...

    def write(self, content: str, user_id: str) -> object: ...

    def write_many(self, batch: Sequence[Line]) -> object: ...


class Service:
    """The services in this process, called as doors call them: a pooled connection each time."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor

    def search(self, query: str, user_id: str) -> Mapping[str, Any]:
        """Recall. Raises CallFailed when no connection was to be had for so many callers."""
        try:
            found = recall(actor=self._actor, query=query, user_id=user_id)
        except OperationalError as error:
            raise clients.CallFailed(f"service: {error}") from error
        finally:
            close_old_connections()
        return {"degraded": found.degraded}

    def write(self, content: str, user_id: str) -> None:
        write_memory(
            actor=self._actor, content=content, user_id=user_id, source=Source.USER_INPUT.value
        )
        close_old_connections()

    def write_many(self, batch: Sequence[Line]) -> None:
        """Write as write() does, in one transaction. Raises what a rule refuses."""
        told = (
            Said(Draft(content=line.text, source=Source.USER_INPUT.value), line.user_id)
            for line in batch
        )
        for answers in write_memories(actor=self._actor, said=told):
            for answer in answers:
                if isinstance(answer, ServiceError):
                    raise answer
        close_old_connections()


Opened = Callable[[], AbstractContextManager[Door]]


@contextmanager
def doors(service: Service, key: str) -> Iterator[Mapping[str, Opened]]:
    """Serve REST and MCP, and give each door's name with what opens it."""
    with serving.web() as web, serving.bridge() as bridge:
        yield {
            "service": lambda: nullcontext(service),
            "REST": partial(clients.rest, web, key),
            "MCP": partial(clients.mcp, bridge, key),
        }


def asked(door: Door, line: Line) -> None:
    """Ask one question; raise Invalid when no embedder helped to answer it."""
    if door.search(line.text, line.user_id)["degraded"]:
        raise Invalid(_("The embedder went away: these figures would say nothing."))
