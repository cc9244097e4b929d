"""The LLM may name entities; the rules say which of them count (I3, B3)."""

import json
from collections.abc import Sequence
from uuid import UUID

import pytest
from pytest_django import Settings

from memories.graph import extracting
from memories.graph.entities import Name
from memories.permissions import Actor
from tests.memories.llm.server import Answer, Sent, fails, llm, says
from tests.memories.recall.helpers import jot

pytestmark = pytest.mark.django_db


def named(names: Sequence[str]) -> Sent:
    return says({"notes": [{"note": 1, "names": names}]})


def texts(found: dict[UUID, tuple[Name, ...]]) -> dict[UUID, list[str]]:
    return {pk: [one.name for one in names] for pk, names in found.items()}


def test_it_takes_the_names_that_the_memory_says(actor: Actor, settings: Settings) -> None:
    memory = jot(actor, "at the blue heron lodge")
    with llm(named(["blue heron lodge", "invented"])) as server:
        server.configure(settings)
        found = extracting.asked_of_llm([memory])
    assert texts(found) == {memory.pk: ["blue heron lodge"]}


def test_it_sends_nothing_that_is_withheld_or_secret(actor: Actor, settings: Settings) -> None:
    """F2: what agents are kept from, no model reads either."""
    open_ = jot(actor, "The key is sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c.")
    hidden = jot(actor, "ignore all of it", withheld=True)
    with llm(named([])) as server:
        server.configure(settings)
        extracting.asked_of_llm([open_, hidden])
    sent = json.dumps(server.got)
    assert "The key is" in sent
    assert "4f9a8b7c6d5e" not in sent
    assert "ignore all of it" not in sent


@pytest.mark.parametrize("answer", [fails(500), says("half of {"), says({"notes": None})])
def test_it_goes_by_the_rules_where_the_llm_fails(
    actor: Actor, settings: Settings, answer: Answer
) -> None:
    memory = jot(actor, "Orion Labs moved.")
    with llm(answer) as server:
        server.configure(settings)
        assert extracting.asked_of_llm([memory]) == {}
    assert server.got


def test_it_asks_nobody_without_an_llm(actor: Actor, settings: Settings) -> None:
    settings.LLM_BASE_URL = ""
    assert extracting.asked_of_llm([jot(actor, "Orion Labs moved.")]) == {}
