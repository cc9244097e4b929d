"""What tests of several rooms stand on."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.memories.embedding.fakes import NEW, OLD, TwoModels, answering


@pytest.fixture
def models(settings: Settings) -> Iterator[TwoModels]:
    """An embedder with two models of different dimensions; spaces use the old one."""
    settings.EMBEDDING_MODEL, settings.EMBEDDING_MODELS = OLD, [OLD, NEW]
    answers = TwoModels()
    with answering(answers) as (url, _got):
        settings.EMBEDDER_URL = url
        yield answers
