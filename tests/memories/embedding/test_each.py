"""One text that the embedder refuses costs the others nothing."""

import json
from collections.abc import Iterator

import pytest
from pytest_django.fixtures import Settings

from memories.embedding.client import EmbedderDown, TextsRefused, embed, embed_each, identity
from tests.memories.embedding.fakes import DIMENSIONS, NEW, OLD, TwoModels, answering

TEXTS = [f"text {number}" for number in range(9)]


@pytest.fixture
def models(settings: Settings) -> Iterator[TwoModels]:
    answers = TwoModels()
    with answering(answers) as (url, _got):
        settings.EMBEDDER_URL = url
        yield answers


@pytest.mark.parametrize("model", [OLD, NEW])
def test_it_asks_for_a_model_by_name(models: TwoModels, model: str) -> None:
    found = embed(["a"], model)
    assert (found.model, len(found.vectors[0])) == (f"{model}@1", DIMENSIONS[model])
    assert identity(model) == f"{model}@1"


def test_it_gives_none_for_the_refused_text_alone(models: TwoModels) -> None:
    models.refused = "poison"
    vectors, model = embed_each([*TEXTS[:4], "poison", *TEXTS[4:]], NEW)
    assert model == f"{NEW}@1"
    assert [vector is None for vector in vectors] == [place == 4 for place in range(10)]


def test_it_asks_once_when_nothing_is_refused(models: TwoModels) -> None:
    embed_each(TEXTS, NEW)
    assert len(models.asked) == 1


def test_an_embedder_that_refuses_every_text_is_away(models: TwoModels) -> None:
    models.refused = ""
    models.away = {NEW}
    with pytest.raises(EmbedderDown) as caught:
        embed_each(TEXTS, NEW)
    assert not isinstance(caught.value, TextsRefused)


def test_it_does_not_try_each_text_of_a_broken_embedder(settings: Settings) -> None:
    with answering(lambda body: (500, json.dumps({}).encode())) as (url, got):
        settings.EMBEDDER_URL = url
        with pytest.raises(EmbedderDown):
            embed_each(TEXTS, NEW)
    assert len(got) == 2
