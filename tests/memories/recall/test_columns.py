"""A scope as columns: orders, neighbours and scales, as pure functions of them (C1)."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.models import Memory
from memories.permissions import Actor
from memories.recall.arms import propose
from memories.recall.columns import (
    Columns,
    Flags,
    Said,
    Scales,
    microseconds,
    moment_of,
)
from memories.recall.question import asked
from memories.text.tokens import CODE, codes
from tests.memories.recall.helpers import NOW, jot

KEYS = ("deploy", "docker", "walk")


def columns(*rows: dict[str, Any]) -> Columns:
    """Columns of memories without words, told one after the other in no session."""
    plain = [
        {"id": place, "moment": place, "telling": 0, "same": True, "cosine": 0.8} | row
        for place, row in enumerate(rows)
    ]
    return Columns(
        b"".join(row["id"].to_bytes(16, "big") for row in plain),
        np.array([row["moment"] for row in plain], np.int64),
        np.array([row["telling"] for row in plain], np.int64),
        np.array([row["same"] for row in plain], np.bool_),
        np.array([row["cosine"] for row in plain], np.float64),
        np.ones(len(plain), np.int64),
        *np.zeros((3, 0), np.int64),
    )


def test_an_empty_scope_has_no_columns() -> None:
    found = Columns.of((None,) * 7, ["docker"])
    assert (len(found), found.having(1).tolist()) == (0, [0])
    assert Scales.of(found) == Scales(0, 1.0, math.log(2), 0.0, False, None, None)


def read(*texts: Sequence[str], asked: Sequence[str]) -> Columns:
    """Columns of memories with these words, as PostgreSQL sends them."""
    numbers = bytes(8 * len(texts))
    sizes = b"".join((CODE * len(text)).to_bytes(4, "big") for text in texts)
    words = b"".join(map(codes, texts))
    row = (2 * numbers, numbers, numbers, bytes(len(texts)), numbers, sizes, words)
    return Columns.of(row, asked)


def test_it_counts_how_often_a_memory_has_an_asked_word() -> None:
    found = read(["b", "a", "b"], [], ["x"], ["a"], asked=["a", "none", "b"])
    assert found.lengths.tolist() == [3, 0, 1, 1]
    pairs = zip(found.places, found.words, found.often, strict=True)
    assert [tuple(map(int, pair)) for pair in pairs] == [(0, 0, 1), (0, 2, 2), (3, 0, 1)]
    assert found.having(3).tolist() == [2, 0, 1]


def test_a_question_without_words_finds_none() -> None:
    found = read(["a"], ["b"], asked=[])
    assert (found.lengths.tolist(), found.having(0).tolist()) == ([1, 1], [])


@given(st.lists(st.lists(st.sampled_from("abcdef"))), st.sets(st.sampled_from("abcxyz")))
def test_it_counts_as_one_would_by_hand(texts: list[list[str]], asked: set[str]) -> None:
    wanted = sorted(asked)
    found = read(*texts, asked=wanted)
    counted = {
        (place, word): text.count(wanted[word])
        for place, text in enumerate(texts)
        for word in range(len(wanted))
        if wanted[word] in text
    }
    pairs = zip(found.places.tolist(), found.words.tolist(), strict=True)
    assert dict(zip(pairs, found.often.tolist(), strict=True)) == counted


def test_it_takes_the_greatest_first_and_equals_by_their_id() -> None:
    found = columns({"id": 7}, {"id": 2**127}, {"id": 3}, {"id": 1})
    keys = np.array([0.5, 0.9, 0.5, 0.1])
    assert found.first(keys, 3).tolist() == [1, 2, 0]
    assert found.first(keys, 3, keys < 0.9).tolist() == [2, 0, 3]


@given(st.lists(st.integers(0, 3), max_size=12), st.integers(0, 13))
def test_it_takes_as_many_as_sorting_all_would_give(keys: list[int], most: int) -> None:
    found = columns(*({"id": 99 - place} for place in range(len(keys))))
    by_hand = sorted(range(len(keys)), key=lambda place: (-keys[place], 99 - place))
    assert found.first(np.array(keys, np.int64), most).tolist() == by_hand[:most]


def test_it_finds_what_was_told_just_before_and_after() -> None:
    found = columns(
        {"moment": 3, "telling": 5},
        {"moment": 1, "telling": 5},
        {"moment": 2, "telling": -6},
        {"moment": 3, "telling": 5, "id": 99},
        {"moment": 2},
        {"moment": 3},
    )
    before, after = found.beside()
    assert before.tolist() == [1, -1, -1, 0, -1, -1]
    assert after.tolist() == [3, 0, -1, -1, -1, -1]


@given(
    near=st.lists(st.floats(0.7, 1.0), max_size=9), far=st.lists(st.floats(0.7, 1.0), max_size=9)
)
def test_every_lifted_cosine_lies_within_the_scale(near: list[float], far: list[float]) -> None:
    rows = [{"cosine": one} for one in near] + [{"cosine": one, "same": False} for one in far]
    found = columns(*rows)
    scales = Scales.of(found)
    lifted = scales.lifted(found)
    assert scales.familiar == bool(near)
    assert scales.gap >= 0.0
    if rows:
        assert (scales.low, scales.high) == (lifted.min(), lifted.max())


def test_a_sample_tells_the_size_of_the_whole() -> None:
    assert Scales.of(columns({}, {}, {}), share=1 / 4).size == 12


@given(st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_it_counts_time_as_postgresql_does(moment: datetime) -> None:
    assert moment_of(microseconds(moment)) == moment


@pytest.mark.django_db
def test_it_reads_moments_exactly(actor: Actor) -> None:
    """Two told a microsecond apart are in the order of telling."""
    late = jot(actor, "late", session="s", happened_at=NOW + timedelta(microseconds=1))
    jot(actor, "swim", session="s", happened_at=NOW)
    early = jot(actor, "early", session="s", happened_at=NOW - timedelta(microseconds=1))
    found = propose(
        Memory.objects.visible_to(actor),
        asked("swim", NOW),
        vector=None,
        model="",
        limit=5,
        recent=0,
    ).candidates
    sides = {one.id: (one.before is None, one.after is None) for one in found}
    assert sides[early.pk] == (True, False)
    assert sides[late.pk] == (False, True)


@pytest.mark.django_db
def test_it_reads_only_what_is_worth_it(actor: Actor) -> None:
    wanted, _other = jot(actor, "docker"), jot(actor, "docker and a walk in the park")
    seen = []

    def worth(said: Said, scales: Scales) -> Flags:
        seen.append((len(said.bm25), scales.size))
        best: Flags = said.coverage > 0.99 * said.coverage.max()
        return best

    found = _by_words(actor, worth)
    assert seen == [(2, 2)]
    assert [one.id for one in found.candidates] == [wanted.pk]
    assert found.size == 2


@pytest.mark.django_db
def test_it_leaves_out_what_has_gone_since_the_scope_was_read(actor: Actor) -> None:
    """It is not mixed up with another one either."""
    gone, *kept = (jot(actor, f"docker {key}") for key in KEYS)

    def worth(said: Said, _scales: Scales) -> Flags:
        Memory.objects.filter(pk=gone.pk).update(status="deleted")
        return np.ones(len(said.bm25), np.bool_)

    found = {one.id: one.text for one in _by_words(actor, worth).candidates}
    assert found == {one.pk: one.content for one in kept}


def _by_words(actor: Actor, worth: Any) -> Any:
    scope = Memory.objects.visible_to(actor).live()
    given: dict[str, Any] = {"vector": None, "model": "", "limit": 9, "recent": 9}
    return propose(scope, asked("docker", NOW), **given, worth=worth)
