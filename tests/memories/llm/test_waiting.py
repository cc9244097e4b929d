"""While a model thinks: the deadline holds, and nobody's database connection is held."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection, transaction
from pydantic import BaseModel
from pytest_django import Settings

from memories.llm import LlmDown, ask
from memories.llm.client import LlmClient
from tests.memories.llm.server import Sent, llm, says

QUESTION = [{"role": "user", "content": "Where?"}]


class Place(BaseModel):
    name: str


LISBON = says({"name": "Lisbon"})


@pytest.fixture
def held() -> Iterator[Callable[[dict[str, Any]], Sent]]:
    """A model that thinks until the test is over."""
    over = threading.Event()

    def answer(_body: dict[str, Any]) -> Sent:
        over.wait(60)
        return LISBON

    yield answer
    over.set()


def test_it_does_not_wait_for_ever(held: Callable[[dict[str, Any]], Sent]) -> None:
    with llm(held) as server:
        client = LlmClient(server.url, api_key="", model="fake")
        with pytest.raises(LlmDown, match="did not answer in time"):
            client.ask(QUESTION, Place, seconds=0.4)
        client.close()


def test_it_tries_again_after_a_time_out(held: Callable[[dict[str, Any]], Sent]) -> None:
    with llm(held, LISBON) as server:
        client = LlmClient(server.url, api_key="", model="fake", sleep=lambda _seconds: None)
        assert client.ask(QUESTION, Place, seconds=3).name == "Lisbon"
        client.close()


def test_it_does_not_wait_for_an_answer_that_drips() -> None:
    with llm(replace(LISBON, drip=0.02)) as server:
        client = LlmClient(server.url, api_key="", model="fake")
        with pytest.raises(LlmDown, match="did not answer in time"):
            client.ask(QUESTION, Place, seconds=0.4)
        client.close()


def connections() -> int:
    """How many connections of the pool somebody holds."""
    wrapper: Any = connection
    stats = wrapper.pool.get_stats()
    return int(stats["pool_size"] - stats["pool_available"])


@pytest.mark.django_db(transaction=True)
def test_it_holds_no_database_connection_meanwhile(settings: Settings) -> None:
    held: list[int] = []

    def answer(_body: dict[str, Any]) -> Sent:
        held.append(connections())
        return LISBON

    with llm(answer) as server:
        server.configure(settings)
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        before = connections()
        ask(QUESTION, Place)
    assert held == [before - 1]


@pytest.mark.django_db
def test_it_leaves_a_transaction_alone(settings: Settings) -> None:
    with llm(LISBON) as server, transaction.atomic():
        server.configure(settings)
        ask(QUESTION, Place)
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            assert cursor.fetchone() == (1,)
