"""A cross-encoder's judgement of the first hits, blended with the score (C1)."""

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as checking
from hypothesis import strategies as st
from pytest_django.fixtures import Settings

from memories.policies import RecallPolicy
from memories.recall import rerank
from memories.recall.ranking import Ranked
from memories.recall.rerank import CAP, reranked
from tests.memories.embedding.fakes import answering
from tests.memories.embedding.test_reranker import good
from tests.memories.recall.helpers import candidate
from tests.services import free_port

POLICY = RecallPolicy(rerank_weight=0.7)
SCORES = st.floats(0.0, 2.0)
JUDGEMENTS = st.floats(0.0, 1.0)


def hits(*scores: float) -> list[Ranked]:
    """Hits with these scores, each made of two parts, best first."""
    return [
        Ranked(candidate(), {"semantic": 0.5}, {"semantic": score - 0.1, "keyword": 0.1})
        for score in sorted(scores, reverse=True)
    ]


@pytest.fixture
def server(settings: Settings) -> Iterator[list[dict[str, Any]]]:
    """A reranker that judges a text by the number it holds; yields what it was asked."""
    with answering(good) as (url, got):
        settings.RERANK_MODEL, settings.RERANK_URL, settings.RERANK_SECONDS = "judge", url, 10.0
        yield got


def judge(
    best: Sequence[Ranked], *numbers: float, policy: RecallPolicy = POLICY
) -> Sequence[Ranked]:
    """Rerank hits whose memories say these numbers."""
    told = [
        replace(one, candidate=one.candidate._replace(text=str(number)))
        for one, number in zip(best, numbers, strict=True)
    ]
    return reranked("q", told, policy)


def places(best: Sequence[Ranked], now: Sequence[Ranked]) -> list[int]:
    """The former place of each hit."""
    before = [one.candidate.id for one in best]
    return [before.index(one.candidate.id) for one in now]


def test_it_moves_up_what_answers_better(server: list[dict[str, Any]]) -> None:  # C1
    best = hits(0.9, 0.8, 0.7)
    now = judge(best, 0.1, 0.2, 0.9)
    assert places(best, now) == [2, 1, 0]
    assert now[0].score == pytest.approx(0.3 * 0.7 + 0.7 * 0.9)
    assert server[0]["query"] == "q"


def test_it_says_what_the_judgement_was_and_did(server: list[dict[str, Any]]) -> None:  # C4
    (one,) = judge(hits(0.9), 0.25)
    assert one.arms == {"semantic": 0.5, "rerank": 0.25}
    assert one.parts["rerank"] == pytest.approx(0.7 * (0.25 - 0.9))
    assert one.parts["keyword"] == 0.1


def test_it_counts_a_score_as_one_at_most(server: list[dict[str, Any]]) -> None:
    (one,) = judge(hits(1.5), 0.5)
    assert one.score == pytest.approx(0.3 * 1.0 + 0.7 * 0.5)
    assert one.parts["ceiling"] == pytest.approx(-0.5)


def test_it_keeps_the_order_of_equals(server: list[dict[str, Any]]) -> None:
    """These two differ in what adding up leaves in the last bit."""
    best = [
        Ranked(candidate(), {}, {"semantic": 0.3, "keyword": 0.4, "time": 0.1}),
        Ranked(candidate(), {}, {"semantic": 0.1, "keyword": 0.4, "time": 0.3}),
    ]
    assert places(best, judge(best, 0.3, 0.3)) == [0, 1]


def test_it_asks_about_the_first_hits_only(server: list[dict[str, Any]]) -> None:
    best = hits(*[0.5] * (CAP + 5))
    now = judge(best, *[0.5] * (CAP + 5))
    assert len(server[0]["documents"]) == CAP
    assert [CAP + i for i in range(5)] == places(best, now)[CAP:]
    assert all("rerank" not in one.arms for one in now[CAP:])
    assert now[-1].score == pytest.approx(0.3 * 0.5)


def test_it_does_nothing_without_a_reranker(settings: Settings) -> None:
    settings.RERANK_MODEL = ""
    best = hits(0.9, 0.8)
    assert reranked("q", best, POLICY) == best


def test_it_does_nothing_where_the_judgement_has_no_weight(server: list[dict[str, Any]]) -> None:
    best = hits(0.9, 0.8)
    assert reranked("q", best, RecallPolicy(rerank_weight=0.0)) == best
    assert reranked("q", [], POLICY) == []
    assert server == []


def test_it_keeps_the_order_when_the_reranker_is_down(settings: Settings) -> None:
    settings.RERANK_MODEL, settings.RERANK_SECONDS = "judge", 10.0
    settings.RERANK_URL = f"http://127.0.0.1:{free_port()}/v1"
    best = hits(0.9, 1.8)
    assert places(best, judge(best, 0.1, 0.9)) == [0, 1]


def test_it_keeps_the_order_when_the_reranker_is_late(settings: Settings) -> None:
    release = threading.Event()

    def late(body: dict[str, Any]) -> tuple[int, bytes]:
        release.wait(10)
        return 200, json.dumps({"results": []}).encode()

    with answering(late) as (url, _):
        settings.RERANK_MODEL, settings.RERANK_URL, settings.RERANK_SECONDS = "judge", url, 0.05
        best = hits(0.9, 0.8)
        assert places(best, judge(best, 0.1, 0.9)) == [0, 1]
        release.set()


@given(
    pairs=st.lists(st.tuples(SCORES, JUDGEMENTS), min_size=1, max_size=CAP + 10),
    weight=st.floats(0.01, 1.0),
)
@checking(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_lets_nobody_overtake_whom_it_did_not_ask_about(
    pairs: list[tuple[float, float]], weight: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rerank, "reranking", lambda: True)
    monkeypatch.setattr(rerank, "rerank", lambda query, texts: [float(text) for text in texts])
    best = hits(*[score for score, _judgement in pairs])
    now = judge(
        best,
        *[judgement for _score, judgement in pairs],
        policy=RecallPolicy(rerank_weight=weight),
    )
    assert sorted(places(best, now)) == list(range(len(best)))
    assert places(best, now)[CAP:] == list(range(CAP, len(best)))
    for former, latter in pairwise(now):
        assert former.score >= latter.score - 1e-9
    for place, one in zip(places(best, now), now, strict=True):
        asked = pairs[place][1] if place < CAP else 0.0
        fused = min(1.0, best[place].score)
        assert one.score == sum(one.parts.values())
        assert one.score == pytest.approx((1 - weight) * fused + weight * asked)
        assert 0.0 <= one.score <= 1.0 + 1e-9
