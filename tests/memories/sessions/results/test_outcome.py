"""Failure and success come from the structured result, never from prose (B8, F1)."""

from typing import Any

import pytest

from memories.sessions.results import meaning_of
from tests.memories.sessions.results.results import result


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ({"exit_code": 1, "stdout": "building\nld: symbol not found"}, "ld: symbol not found"),
        ({"exitCode": "2", "stderr": "bad flag"}, "bad flag"),
        ({"isError": True, "content": [{"type": "text", "text": "no such key"}]}, "no such key"),
        ({"content": [{"type": "text", "text": '{"exit_code": 3}'}]}, "exit code 3"),
        ({"error": {"code": 7, "message": "quota exceeded"}}, "quota exceeded"),
        ({"errors": ["first", "second"]}, "first"),
        ({"status": 404}, "HTTP 404"),
        ({"statusCode": 503, "body": "busy"}, "HTTP 503"),
        ({"status": "failed", "reason": "x"}, ""),
        ({"success": False, "message": "余额不足"}, ""),
        ({"result": {"exit_code": 1}}, "exit code 1"),
        ({"passed": 4, "failed": 1}, "1 failed"),
        ({"timed_out": True}, "timed out"),
        ({"exit_code": 0, "stderr": "Traceback (most recent call last):\n  x\nKeyError: 'a'"},
         "KeyError: 'a'"),
        # One bad sign outweighs every good one.
        ({"status": 200, "success": True, "error": "partial write"}, "partial write"),
    ],
)  # fmt: skip
def test_it_reads_a_failure_from_the_fields(data: Any, error: str) -> None:
    meaning = meaning_of(result(data=data))
    assert (meaning.ok, meaning.error) == (False, error)


@pytest.mark.parametrize(
    "data",
    [
        {"exit_code": 0, "stdout": "done"},
        {"isError": False, "content": [{"type": "text", "text": "saved"}]},
        {"status": 200, "body": "hello"},
        {"success": True, "error": None},
        {"ok": True, "errors": []},
        {"passed": 4, "failed": 0},
        {"rows": [{"id": 1}], "error": "null"},
        {"rows": []},
    ],
)
def test_it_reads_a_success_from_the_fields(data: Any) -> None:
    meaning = meaning_of(result(data=data))
    assert (meaning.ok, meaning.error) == (True, "")


@pytest.mark.parametrize(
    "prose", ["It works now, all tests passed!", "已经修好了，测试全部通过。", "success", "ok", ""]
)
def test_it_never_guesses_success_from_prose(prose: str) -> None:
    assert meaning_of(result(prose, tool="bash")).ok is None
    assert meaning_of(result(data={"message": prose, "id": 1})).ok is None


def test_it_believes_the_host_before_the_fields() -> None:
    assert meaning_of(result(data={"exit_code": 1}, ok=True)).ok is True
    failed = meaning_of(result("all 5 passed", ok=False))
    assert (failed.ok, failed.error) == (False, "all 5 passed")


def test_it_takes_the_hosts_error_for_a_failure() -> None:
    trace = "Traceback (most recent call last):\n  File x\nValueError: bad date"
    meaning = meaning_of(result(data={"exit_code": 0}, error=trace))
    assert (meaning.ok, meaning.error) == (False, "ValueError: bad date")


def test_it_reads_a_traceback_at_the_end_of_a_text_but_not_one_that_is_quoted() -> None:
    trace = "Traceback (most recent call last):\n  File x\nmodule.MyError: bad"
    assert meaning_of(result(trace)).error == "module.MyError: bad"
    assert meaning_of(result(f"The log said:\n{trace}\nThat was last week.")).ok is None


@pytest.mark.parametrize("text", ["Error: no such file", "错误：找不到文件"])
def test_it_takes_a_text_that_begins_with_error_for_a_failure(text: str) -> None:
    assert (meaning_of(result(text)).ok, meaning_of(result(text)).error) == (False, text)


def test_it_does_not_take_a_code_of_its_own_kind_for_an_http_status() -> None:
    assert meaning_of(result(data={"status": 3, "name": "x"})).ok is None


def test_it_does_not_take_a_column_of_a_row_for_an_error() -> None:
    assert meaning_of(result(data={"rows": [{"error": "late", "exit_code": 9}]})).ok is True
