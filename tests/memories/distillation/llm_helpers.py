"""Turns, what a model finds in them, and a distiller whose model says what a test wants."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pytest_django import Settings

from memories.distillation.llm import propose
from memories.distillation.proposal import Proposal, Scene
from memories.models.session import Turn
from tests.memories.llm.server import Answer, FakeLlm, llm, says

START = datetime(2026, 5, 7, 9, tzinfo=UTC)
SCENE = Scene(agent="coder", user_id="ann", task="Move the service")
NOTHING: dict[str, Any] = {"memories": []}


def said(text: str, role: str = "user", **fields: Any) -> Turn:
    return Turn(role=role, content=text, **fields)


def result(ok: bool | None, text: str = "", **fields: Any) -> Turn:
    return Turn(type="tool_result", role="tool", tool="shell", ok=ok, content=text, **fields)


def numbered(turns: Sequence[Turn]) -> list[Turn]:
    for number, turn in enumerate(turns, 1):
        turn.number, turn.happened_at = number, START + timedelta(minutes=number)
    return list(turns)


def memory(quote: str, content: str = "", **fields: Any) -> dict[str, Any]:
    return {
        "content": content or quote,
        "kind": "fact",
        "turns": [1],
        "quote": quote,
        "subject": "",
        "owner": "Ann",
        "question": "What about Ann?",
        "value": "It decides what to cook.",
        "worth": 0.8,
        "confidence": 0.9,
        "happened_at": "",
    } | fields


@dataclass
class Distiller:
    server: FakeLlm

    def propose(self, *turns: Turn) -> list[Proposal]:
        return propose(numbered(turns), SCENE)

    @property
    def read(self) -> list[str]:
        """What the model was given to read, a text a request."""
        return [body["messages"][-1]["content"] for body in self.server.got]


@contextmanager
def distilling(settings: Settings, *answers: Answer) -> Iterator[Distiller]:
    with llm(*answers) as server:
        server.configure(settings)
        yield Distiller(server)


@contextmanager
def finding(settings: Settings, *memories: dict[str, Any]) -> Iterator[Distiller]:
    """A model that finds these memories in every window."""
    with distilling(settings, says({"memories": list(memories)})) as distiller:
        yield distiller


def only(settings: Settings, found: dict[str, Any], *turns: Turn) -> Proposal:
    """The proposal that becomes of one memory that the model finds in these turns."""
    with finding(settings, found) as distiller:
        [proposal] = distiller.propose(*turns)
    return proposal
