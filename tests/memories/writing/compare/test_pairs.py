"""How well the rules do on written pairs (B7, E3): precision first."""

import pytest

from .pairs import Pair, figures, load


def of(name: str, lang: str) -> list[Pair]:
    return [pair for pair in load(name) if pair.lang == lang]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("name", "recall"), [("held_out", 0.85), ("tuning", 0.92)])
def test_it_finds_conflicts_without_crying_wolf(name: str, recall: float, lang: str) -> None:
    precision, found = figures(of(name, lang), "conflict")
    assert precision >= 0.97
    assert found >= recall


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["held_out", "tuning"])
def test_it_finds_repetitions_and_loses_nothing(name: str, lang: str) -> None:
    sure = [pair for pair in of(name, lang) if pair.expect != "compatible"]
    precision, found = figures(sure, "duplicate")
    assert precision >= 0.95
    assert found >= 0.85


def test_it_never_calls_a_conflict_a_repetition() -> None:
    pairs = [pair for name in ("held_out", "tuning") for pair in load(name)]
    lost = [p for p in pairs if p.expect == "conflict" and p.judged().kind == "duplicate"]
    assert lost == []


def test_it_has_enough_pairs_of_each_language() -> None:
    for lang in ("en", "zh"):
        assert len(of("held_out", lang)) >= 75
        assert len(of("held_out", lang) + of("tuning", lang)) >= 150
