"""Turns as a readable trace: calls and results together, long texts folded, quotes marked."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.distillation.rules.quotes import quote_from
from memories.models import Turn
from memories.pages.session_trace import (
    ASKED,
    BEGIN,
    FOLDED,
    MOST,
    Entry,
    Mark,
    Passage,
    Run,
    excerpt_of,
    marked,
    passage,
    trace_of,
)
from memories.pages.session_words import VERDICTS


def turn(number: int, type_: str = "message", day: int = 1, **more: Any) -> Turn:
    moment = datetime(2026, 5, day, 12, tzinfo=UTC)
    return Turn(number=number, type=type_, happened_at=moment, **more)


def call(number: int, tool: str = "shell", **more: Any) -> Turn:
    return turn(number, "tool_call", tool=tool, **more)


def result(number: int, tool: str = "shell", **more: Any) -> Turn:
    return turn(number, "tool_result", tool=tool, **more)


def pairs(*turns: Turn) -> list[tuple[int, int | None]]:
    return [
        (one.turn.number, one.result.turn.number if one.result else None) for one in trace_of(turns)
    ]


def text_of(part: Passage) -> str:
    return "".join(run.text for one in part.parts for run in one.runs)


def quoted(part: Passage) -> list[str]:
    """What is marked and in sight."""
    return [run.text for one in part.parts if not one.folded for run in one.runs if run.verdict]


def test_it_puts_a_result_to_its_call() -> None:
    calls = [call(1, call_id="a"), call(2, call_id="b")]
    assert pairs(*calls, result(3, call_id="a"), result(4, call_id="b")) == [(1, 3), (2, 4)]


def test_it_puts_results_without_id_to_calls_of_the_same_tool_in_order() -> None:
    turns = [call(1), call(2, "web"), call(3), result(4, "web"), result(5), result(6)]
    assert pairs(*turns) == [(1, 5), (2, 4), (3, 6)]


def test_it_leaves_what_belongs_to_no_call_alone() -> None:
    assert pairs(call(1, call_id="a"), result(2, call_id="b"), result(3, "web")) == [
        (1, None),
        (2, None),
        (3, None),
    ]


@pytest.mark.parametrize(
    ("answer", "went"),
    [
        ({"ok": True}, "ok"),
        ({"ok": False}, "failed"),
        ({"data": {"exit_code": 1}}, "failed"),
        ({"data": {"exit_code": 0}}, "ok"),
        ({"content": "Some page."}, "unknown"),
    ],
)
def test_it_tells_how_a_call_went_by_its_structured_result(  # B8
    answer: dict[str, Any], went: str
) -> None:
    [entry] = trace_of([call(1), result(2, **answer)])
    assert entry.went == went


def test_it_says_that_a_call_was_not_answered() -> None:
    assert trace_of([call(1)])[0].went == "unanswered"


def test_it_shows_in_one_line_what_was_asked_of_a_tool() -> None:
    arguments = {"command": "ls", "deep": {"x": 1}, "none": None, "n": 3}
    assert trace_of([call(1, data=arguments)])[0].asked == "ls 3"
    assert len(trace_of([call(1, data="x" * 500)])[0].asked) == ASKED
    assert trace_of([call(1)])[0].asked == trace_of([turn(1, content="Hi.")])[0].asked == ""


def test_it_takes_the_duration_from_whoever_knows_it() -> None:
    assert trace_of([call(1, duration_ms=70_000), result(2)])[0].took == "1 min 10 s"
    assert trace_of([call(1), result(2, duration_ms=250)])[0].took == "0.2 s"
    assert trace_of([call(1), result(2)])[0].took == ""


def test_it_marks_where_a_new_day_begins() -> None:
    trace = trace_of([turn(1), turn(2), turn(3, day=2)])
    assert [entry.new_day for entry in trace] == [True, False, True]


def test_it_marks_quotes_by_the_best_that_was_made_of_them() -> None:
    quotes = [("two three", "dropped"), ("three four", "kept"), ("nowhere", "kept"), ("", "kept")]
    runs = marked("one two three four five", quotes)
    assert [(run.text, run.verdict) for run in runs] == [
        ("one ", ""),
        ("two ", "dropped"),
        ("three four", "kept"),
        (" five", ""),
    ]
    assert marked("one two", [("one ", "kept"), ("two", "kept")]) == [Run("one two", "kept")]
    assert marked("", [("one", "kept")]) == []


def test_it_folds_a_long_text_without_losing_a_letter() -> None:
    text = "word " * 1000
    folded = passage(text, [("word word", "kept")])
    begin, rest = folded.parts
    assert text_of(folded) == text
    assert (begin.folded, rest.folded, folded.cut) == (False, True, 0)
    assert BEGIN - 60 <= begin.size <= BEGIN


def test_it_shows_a_short_text_whole() -> None:
    assert [part.folded for part in passage("x" * FOLDED).parts] == [False]


def test_it_leaves_a_quote_in_sight_however_deep_it_stands() -> None:
    text = "word " * 300 + "the quote" + " word" * 300
    folded = passage(text, [("the quote", "kept")])
    assert [part.folded for part in folded.parts] == [False, True, False, True]
    assert quoted(folded) == ["the quote"]
    assert text_of(folded) == text


def test_it_folds_nothing_that_is_hardly_longer() -> None:
    text = "x" * (BEGIN + 50) + "the quote" + "y" * 300
    assert len(passage(text, [("the quote", "kept")]).parts) == 1


@given(
    st.text(alphabet="ab \n", min_size=FOLDED, max_size=3000),
    st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 400), st.sampled_from(VERDICTS))),
)
def test_it_never_loses_a_letter(text: str, places: list[tuple[int, int, str]]) -> None:
    quotes = [(text[start : start + size], verdict) for start, size, verdict in places]
    assert text_of(passage(text, quotes)) == text


def test_it_cuts_what_is_endless_and_says_how_much() -> None:
    assert passage("x" * (MOST + 7)).cut == 7
    assert passage("x" * (MOST + 7), most=None).cut == 0


def test_it_shows_of_evidence_what_lies_around_the_quote() -> None:
    said = turn(1, content="a" * 5000 + "the quote" + "b" * 5000)
    text = excerpt_of(said, ("the quote", "kept"), 200).text
    assert text_of(text).startswith("… a")
    assert (quoted(text), len(text_of(text)), text.cut) == (["the quote"], 202, 4859)


def test_it_shows_the_beginning_of_a_turn_without_the_quote() -> None:
    text = excerpt_of(turn(1, content="abc" * 100), ("the quote", "kept"), 30).text
    assert (text_of(text), text.cut) == ("abc" * 10, 270)


def test_it_marks_a_quote_in_the_result_of_a_tool() -> None:
    quotes = {2: [("12 rows", "kept")]}
    [entry] = trace_of([call(1), result(2, data={"note": "12 rows", "n": None})], quotes)
    assert entry.result is not None
    assert entry.result.data is not None
    assert quoted(entry.result.data) == ["12 rows"]


def test_it_marks_a_quote_as_the_rules_take_it_from_data() -> None:
    answer = result(1, data={"rows": [{"count": 42}], "名": "表"})
    quote = quote_from(answer)
    assert quote
    for entry in (
        trace_of([answer], {1: [(quote, "kept")]})[0],
        excerpt_of(answer, (quote, "kept"), 900),
    ):
        assert entry.data is not None
        assert quoted(entry.data) == [quote]


def test_it_names_each_candidate_of_a_call_once() -> None:
    mark = Mark("kept", "It works.", "#candidate-1")
    [entry] = trace_of([call(1), result(2)], marks={1: [mark], 2: [mark]})
    assert isinstance(entry, Entry)
    assert entry.all_marks == [mark]
