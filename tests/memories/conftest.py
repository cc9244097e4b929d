"""What tests of several rooms stand on."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.memories.embedding.fakes import NEW, OLD, TwoModels, answering
from tests.memories.writing.embedders import ByWords
from tests.services import free_port


@pytest.fixture
def models(settings: Settings) -> Iterator[TwoModels]:
    """An embedder with two models of different dimensions; spaces use the old one."""
    settings.EMBEDDING_MODEL, settings.EMBEDDING_MODELS = OLD, [OLD, NEW]
    answers = TwoModels()
    with answering(answers) as (url, _got):
        settings.EMBEDDER_URL = url
        yield answers


@pytest.fixture
def words(settings: Settings) -> Iterator[ByWords]:
    """An embedder that knows words only."""
    server = ByWords()
    with answering(server) as (url, _got):
        settings.EMBEDDER_URL = url
        yield server


@pytest.fixture
def away(settings: Settings) -> None:
    """Nothing listens where the embedder should be."""
    settings.EMBEDDER_URL = f"http://127.0.0.1:{free_port()}/v1"
