"""Fusing and the policy's rules, as pure functions (C1–C3, C7)."""

from dataclasses import replace
from datetime import date
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.models.memory import Source
from memories.pages.words import ARMS
from memories.policies import RecallPolicy, believable, importance, recency
from memories.recall.arms import Candidate, Proposed
from memories.recall.dates import Span
from memories.recall.explain import explained
from memories.recall.graph import Ties
from memories.recall.payload import PLACES, rounded
from memories.recall.ranking import Ranked, Setting, ranked
from tests.memories.recall.helpers import NOW, candidate, days_ago

POLICY = RecallPolicy()
SETTING = Setting(now=NOW, unrelated=0.75)
AGES = st.floats(0, 10_000)


def proposed(*candidates: Candidate) -> Proposed:
    """The candidates as if their scope reached from unrelated to a cosine of 0.95."""
    return Proposed(candidates, 10.0, 0.7, 0.95)


def order(*candidates: Candidate, **setting: Any) -> list[Candidate]:
    return [
        one.candidate for one in ranked(proposed(*candidates), POLICY, replace(SETTING, **setting))
    ]


def only(one: Candidate, policy: RecallPolicy = POLICY, **setting: Any) -> Ranked:
    return ranked(proposed(one), policy, replace(SETTING, **setting))[0]


def test_it_weighs_meaning_and_words() -> None:  # C1
    assert only(candidate(cosine=0.95, bm25=0.0)).score == pytest.approx(0.6)
    assert only(candidate(cosine=0.95, bm25=10.0)).score == pytest.approx(1.0)


def test_it_answers_nothing_when_nothing_is_near() -> None:  # C7
    assert order(candidate(cosine=0.80), candidate(cosine=0.81)) == []
    assert order() == []


def test_it_drops_the_least_bad_beside_a_good_one() -> None:  # C7
    good, bad = candidate(cosine=0.9), candidate(cosine=0.74)
    assert order(bad, good) == [good]


def test_it_lets_rare_words_make_up_for_meaning() -> None:
    assert order(candidate(cosine=0.80, coverage=0.3))
    assert not order(candidate(cosine=0.80, coverage=0.1))


def test_it_asks_of_a_memory_without_embedding_that_words_fit() -> None:
    assert order(candidate(cosine=None, coverage=0.5, bm25=5.0))
    assert not order(candidate(cosine=None, coverage=0.01, bm25=0.1))


def test_it_adds_the_same_session_bonus() -> None:  # C2
    one = candidate(session="s")
    assert only(one, session="s").score - only(one).score == pytest.approx(0.2)
    assert only(candidate(), session="s").score == only(candidate()).score


def test_it_boosts_the_named_time_without_filtering() -> None:  # C3
    inside, outside = candidate(cosine=0.88, moment=days_ago(100)), candidate(cosine=0.9)
    assert order(inside, outside) == [outside, inside]
    day = inside.moment.date()
    assert order(inside, outside, times=(Span(day, day),)) == [inside, outside]


def test_it_counts_a_named_time_as_relevance() -> None:
    one = candidate(cosine=0.82)
    assert not order(one)
    assert order(one, times=(Span(date(2026, 6, 1), date(2026, 6, 30)),))


def test_it_lets_context_of_a_session_count() -> None:
    lone = candidate(cosine=0.86)
    beside, hit = candidate(cosine=0.85, session="s"), candidate(cosine=0.95, session="s")
    assert order(lone, beside, hit) == [hit, beside, lone]


def test_it_gives_no_context_to_memories_without_session() -> None:
    hits = ranked(proposed(candidate(), candidate()), POLICY, SETTING)
    assert [hit.arms["context"] for hit in hits] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("confidence", "factor"), [(0.3, 0.7), (0.59, 0.7), (0.6, 1.0), (1.0, 1.0)]
)
def test_it_discounts_doubtful_memories(confidence: float, factor: float) -> None:  # C2
    certain = only(candidate()).score
    assert only(candidate(confidence=confidence)).score == pytest.approx(factor * certain)


def test_it_lets_an_old_exact_answer_win() -> None:  # C2
    old = candidate(cosine=0.95, bm25=10.0, moment=days_ago(3_000))
    assert order(candidate(cosine=0.90), old)[0] == old


def test_it_prefers_the_newer_of_equals() -> None:  # C2
    old, new = candidate(moment=days_ago(60)), candidate()
    assert order(old, new) == [new, old]


def test_it_has_the_decay_of_the_mission() -> None:  # C2
    assert recency(10, POLICY) == pytest.approx(1 / (1 + 0.1 * 10))
    assert recency(10, POLICY.model_copy(update={"decay_curve": "none"})) == 1.0


@given(younger=AGES, older=AGES, curve=st.sampled_from(["hyperbolic", "exponential", "none"]))
def test_it_never_gains_with_age(younger: float, older: float, curve: str) -> None:
    policy = POLICY.model_copy(update={"decay_curve": curve})
    younger, older = sorted((younger, older))
    assert 1.0 >= recency(younger, policy) >= recency(older, policy) >= 0.0
    new, old = (only(candidate(moment=days_ago(age)), policy) for age in (younger, older))
    assert new.score >= old.score


@given(lower=st.floats(0, 1e6), higher=st.floats(0, 1e6))
def test_it_never_loses_with_heat(lower: float, higher: float) -> None:
    lower, higher = sorted((lower, higher))
    assert 0.0 <= importance(lower) <= importance(higher) <= 1.0


@given(lower=st.floats(0, 1), higher=st.floats(0, 1), source=st.sampled_from(Source.values))
def test_it_never_trusts_less_for_more_confidence(lower: float, higher: float, source: str) -> None:
    lower, higher = sorted((lower, higher))
    less, more = (
        only(candidate(confidence=confidence, source=source)) for confidence in (lower, higher)
    )
    assert 0.0 < less.score <= more.score
    assert 0.0 < believable(source, POLICY) <= 1.0


@given(useful=st.integers(0, 10_000), wrong=st.integers(0, 10_000))
def test_it_lets_voices_move_a_score_within_bounds(useful: int, wrong: int) -> None:  # C6
    plain, judged = only(candidate()), only(candidate(useful=useful, wrong=wrong))
    assert abs(judged.score / plain.score - 1) <= POLICY.feedback_weight + 1e-9
    one_more = only(candidate(useful=useful + 1, wrong=wrong))
    assert judged.score < one_more.score or useful > 5_000
    assert one_more.score - judged.score <= plain.score * 0.02 + 1e-9


SHARES = st.floats(0, 1)
POLICIES = st.builds(
    RecallPolicy,
    **{
        name: SHARES
        for name, field in RecallPolicy.model_fields.items()
        if name.endswith(("weight", "bonus", "boost", "factor"))
    },
)
CANDIDATES = st.builds(
    candidate,
    bm25=st.floats(0, 30),
    coverage=SHARES,
    cosine=st.none() | st.floats(0.6, 1),
    session=st.sampled_from(["", "s", "t"]),
    source=st.sampled_from(Source.values),
    confidence=SHARES,
    heat=st.floats(0, 1e4),
    moment=st.floats(0, 4_000).map(days_ago),
    upheld=st.integers(0, 99),
    refuted=st.integers(0, 99),
    useful=st.integers(0, 99),
    wrong=st.integers(0, 99),
)


@given(policy=POLICIES, found=st.lists(CANDIDATES, min_size=1, max_size=6), said=st.data())
def test_it_shows_parts_that_add_up_to_the_score(
    policy: RecallPolicy, found: list[Candidate], said: st.DataObject
) -> None:  # C4
    keys: list[UUID | None] = [None, *(one.id for one in found)]
    leads = st.dictionaries(st.sampled_from(keys), SHARES)
    ties = Ties((), {one.id: said.draw(leads) for one in found})
    setting = replace(SETTING, session="s", times=(Span(NOW.date(), NOW.date()),))
    for one in ranked(proposed(*found), policy, setting, ties):
        shown = min(1.0, one.score)
        assert sum(one.shown().values()) == pytest.approx(shown, abs=1e-12)
        parts = rounded(one.shown(), round(shown, PLACES))
        assert sum(parts.values()) == pytest.approx(round(shown, PLACES), abs=1e-9)
        assert parts.keys() <= {*ARMS}


@given(lower=st.floats(0.85, 0.95), higher=st.floats(0.85, 0.95), bm25=st.floats(0, 10))
def test_it_never_ranks_better_meaning_lower(lower: float, higher: float, bm25: float) -> None:
    lower, higher = sorted((lower, higher))
    low, high = (only(candidate(cosine=cosine, bm25=bm25)).score for cosine in (lower, higher))
    assert low <= high


def test_it_explains_a_hit_in_one_sentence() -> None:  # C4
    one = candidate(cosine=0.95, session="s", confidence=0.4)
    hit = only(one, session="s", times=(Span(NOW.date(), NOW.date()),))
    assert explained(hit) == (
        "Meaning 100%, words 0% of the best match; from the time asked about; from this session; "
        "counts less, for little confidence or its source."
    )


def test_it_explains_a_hit_found_by_words_alone() -> None:
    hit = ranked(Proposed((candidate(cosine=None, coverage=0.5, bm25=5.0),), 5.0), POLICY, SETTING)[
        0
    ]
    assert explained(hit) == "Words 100% of the best match."
