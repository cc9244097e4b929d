"""`manage.py check` names settings that would otherwise do nothing, without a word."""

import pytest
from pytest_django.fixtures import Settings

from hindsight_site.checks import reranker_can_be_asked


@pytest.fixture
def on(settings: Settings) -> Settings:
    settings.RERANK_MODEL = "team/judge"
    settings.RERANK_URL, settings.RERANK_SECONDS = "http://127.0.0.1:8001/v1", 1.0
    return settings


def test_it_finds_nothing_wrong_with_good_settings(on: Settings) -> None:
    assert reranker_can_be_asked(None) == []


@pytest.mark.parametrize("seconds", [0.0, -1.0, 10.5, float("nan"), float("inf")])
def test_it_wants_a_time_that_a_recall_may_wait(on: Settings, seconds: float) -> None:
    on.RERANK_SECONDS = seconds
    (error,) = reranker_can_be_asked(None)
    assert error.id == "hindsight.E002"
    assert error.hint == "Set it to the seconds a recall may wait, more than 0 and at most 10."


@pytest.mark.parametrize("url", ["embedder:8001/v1", "ftp://embedder/v1", "embedder"])
def test_it_wants_an_address_for_the_reranker(on: Settings, url: str) -> None:
    on.RERANK_URL = url
    (error,) = reranker_can_be_asked(None)
    assert error.id == "hindsight.E003"
    assert url in error.msg


def test_it_leaves_the_settings_alone_that_nobody_uses(on: Settings) -> None:
    on.RERANK_MODEL, on.RERANK_URL, on.RERANK_SECONDS = "", "nowhere", 0.0
    assert reranker_can_be_asked(None) == []
