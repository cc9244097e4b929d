"""Each shape is read for the one field that means something (B8)."""

import json
from typing import Any

import pytest

from memories.sessions.results import meaning_of
from memories.sessions.results.meaning import SUMMARY_CHARS
from tests.memories.sessions.results.results import result

PAGE = """<!DOCTYPE html><html><head><title>发布说明 &amp; News</title><style>p{color:red}</style>
<script>var hidden = "script text";</script></head><body><nav><a href="/home">Home</a></nav>
<main><h1>Version 2</h1><p>Needs <b>Python 3.11</b>.</p><a href="/install">Install</a>
<a href="#top">Top</a></main><footer>Imprint</footer></body></html>"""


def test_it_reads_title_main_text_and_links_of_a_page() -> None:
    meaning = meaning_of(result(PAGE, tool="fetch_url"))
    assert meaning.shape == "web_page"
    assert meaning.summary == (
        "发布说明 & News — Version 2 Needs Python 3.11 . Install Top [links: /install]"
    )


def test_it_reads_a_page_that_came_as_fields() -> None:
    page = {"url": "https://x.org", "title": "T", "markdown": "Text", "links": ["/a", None]}
    assert meaning_of(result(data=page)).summary == "T — Text [links: /a]"


def test_it_knows_a_page_by_its_tool() -> None:
    assert meaning_of(result("Just text.", tool="webBrowse")).shape == "web_page"


def test_it_reads_a_broken_page_as_far_as_it_goes() -> None:
    assert meaning_of(result("<html><p>kept</p><![broken <p>lost")).summary == "kept"


PYTEST = """collected 3 items
tests/test_a.py F.s
E   ModuleNotFoundError: No module named 'foo'
=========================== short test summary info ============================
FAILED tests/test_a.py::test_login - ModuleNotFoundError: No module named 'foo'
=============== 1 failed, 1 passed, 1 skipped in 0.12s ================
"""
UNITTEST = """FAIL: test_total (cart.CartTest)
AssertionError: 3 != 4
Ran 5 tests in 0.010s

FAILED (failures=1, errors=1, skipped=1)
"""
GO = "--- FAIL: TestAdd (0.00s)\n--- PASS: TestSub (0.00s)\nFAIL\nFAIL\texample.org/calc\t0.003s\n"
JEST = "  ● Cart › adds\n\nTests:       1 failed, 2 passed, 3 total\nTime: 1 s\n"


@pytest.mark.parametrize(
    ("text", "summary", "error"),
    [
        (PYTEST, "1 passed, 1 failed, 1 skipped: tests/test_a.py::test_login",
         "ModuleNotFoundError: No module named 'foo'"),
        (UNITTEST, "2 passed, 1 failed, 1 errors, 1 skipped: test_total", "AssertionError: 3 != 4"),
        (GO, "1 passed, 1 failed: TestAdd", "1 failed: TestAdd"),
        (JEST, "2 passed, 1 failed: Cart › adds", "1 failed: Cart › adds"),
    ],
)  # fmt: skip
def test_it_reads_what_test_runners_print(text: str, summary: str, error: str) -> None:
    for turn in (result(text, tool="run_tests"), result(data={"exit_code": 1, "stdout": text})):
        meaning = meaning_of(turn)
        assert (meaning.shape, meaning.ok) == ("test_run", False)
        assert (meaning.summary, meaning.error) == (summary, error)


@pytest.mark.parametrize(
    "text",
    ["== 5 passed in 0.12s ==", "5 passed, 1 warning in 2s", "ok  \texample.org/calc\t0.003s",
     "Ran 5 tests in 0.1s\n\nOK", "test result: ok. 5 passed; 0 failed; 0 ignored"],
)  # fmt: skip
def test_it_believes_a_test_runners_own_count(text: str) -> None:
    assert meaning_of(result(text, tool="bash")).ok is True


def test_it_takes_no_test_for_no_success() -> None:
    assert meaning_of(result(data={"passed": 0, "failed": 0}, tool="pytest")).ok is None


def test_it_does_not_take_a_page_about_tests_for_a_test_run() -> None:
    assert meaning_of(result(PYTEST, tool="web_fetch")).shape == "web_page"


def test_it_reads_reports_in_json() -> None:
    report = {
        "summary": {"passed": 1, "failed": 1, "total": 2},
        "tests": [{"nodeid": "t::a", "outcome": "passed"}, {"nodeid": "t::b", "outcome": "failed"}],
    }
    assert meaning_of(result(json.dumps(report))).summary == "1 passed, 1 failed: t::b"


@pytest.mark.parametrize(
    ("turn", "summary"),
    [
        (result(data={"rows": [{"id": 1, "名": "安"}, {"id": 2}, {"id": 3}]}),
         "3 rows (id, 名): id=1, 名=安; id=2; … 1 more"),
        (result(data={"rows": [[1, "a"]], "columns": ["id", "n"]}), '1 row (id, n): [1, "a"]'),
        (result(data={"rows": [], "rowCount": 0}), "0 rows"),
        (result("[]", tool="run_sql"), "0 rows"),
        (result(data={"rowsAffected": 7}, tool="db"), "7 rows"),
        (result(" id \n----\n  1\n(1 row)", tool="query"), "1 rows: id ---- 1 (1 row)"),
    ],
)  # fmt: skip
def test_it_reads_rows_and_columns(turn: Any, summary: str) -> None:
    meaning = meaning_of(turn)
    assert (meaning.shape, meaning.ok, meaning.summary) == ("sql", True, summary)


def test_it_reads_a_databases_error() -> None:
    text = 'ERROR:  column "nmae" does not exist\nLINE 1: SELECT nmae'
    meaning = meaning_of(result(f"psql: {text}", tool="sql_query"))
    assert (meaning.shape, meaning.ok) == ("sql", False)
    assert meaning.error == 'ERROR: column "nmae" does not exist'


def test_it_reads_a_shells_code_last_lines_and_errors() -> None:
    out = "\n".join(f"line {n}" for n in range(20))
    meaning = meaning_of(result(data={"stdout": out, "stderr": "warn: old", "returncode": 0}))
    assert meaning.shape == "shell"
    assert meaning.summary.startswith("exit code 0; [14 lines left out] … line 14 | ")
    assert meaning.summary.endswith("stderr: warn: old")


@pytest.mark.parametrize(
    "text", ["Exit code 2\nmake: *** failed", "bash: line 1: foo: command not found"]
)
def test_it_reads_a_shells_failure_in_text(text: str) -> None:
    assert meaning_of(result(text, tool="execute_command")).ok is False


def test_it_drops_nulls_of_any_json() -> None:
    data = {"a": None, "b": "null", "c": [], "d": {"e": float("nan")}, "f": 0, "g": [None, "x"]}
    meaning = meaning_of(result(data=data))
    assert (meaning.shape, meaning.summary) == ("json", '{"f": 0, "g": ["x"]}')


def test_it_keeps_only_the_field_that_answers() -> None:
    data = {"answer": "北京今天 21 度", "request_id": "81723", "took": 0.2}
    assert meaning_of(result(data=data)).summary == "北京今天 21 度"


def test_it_names_the_shape_of_plain_text() -> None:
    assert meaning_of(result("hello", tool="notes")).shape == "text"


def test_it_says_what_it_left_out() -> None:
    meaning = meaning_of(result("word " * 10_000))
    assert meaning.summary.endswith(" characters left out]")
    assert len(meaning.summary) < SUMMARY_CHARS + 40


def test_it_reads_a_result_by_the_tool_of_its_call() -> None:
    assert meaning_of(result("plain"), tool="browse").shape == "web_page"
