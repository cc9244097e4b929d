"""Whatever a tool returns, there is an answer, and it is short."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.sessions.results import ToolMeaning, meaning_of
from memories.sessions.results.meaning import ERROR_CHARS, SUMMARY_CHARS
from tests.memories.sessions.results.results import result

TELLING = [
    *("content", "error", "errors", "rows", "columns", "exit_code", "status", "passed", "failed"),
    *("tests", "isError", "result", "stdout", "stderr", "text", "links", "url", "html"),
]
TOOLS = st.sampled_from(["", "bash", "pytest", "sql", "fetch", "x" * 300]) | st.text(max_size=20)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(TELLING) | st.text(), inner),
    max_leaves=30,
)
PIECES = st.sampled_from([
    *("<html>", "<![", "<!--", "</", "<title>", "&#x110000;", "KeyError", "1 failed in 1s"),
    *("Traceback (most recent call last):\n", "Ran 1 test in 1s\n", "FAILED", "{", "[", '"', "\n"),
    *("\x00", "\ud800"),
])  # fmt: skip


def short(meaning: ToolMeaning) -> bool:
    return len(meaning.summary) <= SUMMARY_CHARS + 300 and len(meaning.error) <= ERROR_CHARS + 1


@settings(deadline=None)
@given(TOOLS, JSON)
def test_it_answers_any_json(tool: str, data: Any) -> None:
    assert short(meaning_of(result(data=data, tool=tool)))


@settings(deadline=None)
@given(TOOLS, st.text() | st.lists(PIECES).map("".join), st.text(max_size=5))
def test_it_answers_any_text(tool: str, text: str, error: str) -> None:
    assert short(meaning_of(result(text, tool=tool, error=error)))


HOSTILE = [
    *("[" * 200_000, '{"a":' * 100_000, "\n" * 200_000, "1" * 200_000, "[" + "9" * 5_000 + "]"),
    *("<html>" + part * 50_000 for part in ("<a ", "<!--", "</", "<div>", "<![", "<a b='", "<p>x")),
    *(part * 60_000 for part in ("token", "=", "-", "ERROR: ", "Tests: 1 ", "--- ", "E\t")),
    *(" " * 200_000 + "x", "1 a" + "1" * 100_000 + " in 1s", "eyJ" + "a" * 100_000),
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
@pytest.mark.parametrize("tool", ["", "bash", "sql", "fetch"])
@pytest.mark.timeout(20)
def test_it_answers_huge_and_hostile_texts(text: str, tool: str) -> None:
    assert short(meaning_of(result(text, tool=tool)))


def test_it_answers_json_nested_too_deeply_to_be_read() -> None:
    data: Any = "deep"
    for _ in range(500):
        data = {"result": [data]}
    assert meaning_of(result(data=data)).summary == ""


def test_it_answers_numbers_too_long_to_be_written() -> None:
    assert "too long" in meaning_of(result(data={"n": 10**6000})).summary
    assert meaning_of(result(data={"exit_code": 10**6000})).ok is None
