"""Whether a call failed, told by fields alone: any sign of failure outweighs every good one."""

import re
from collections.abc import Callable, Mapping

from memories.sessions.results.given import as_text, whole

Verdict = tuple[bool | None, str]
UNKNOWN: Verdict = (None, "")
EXIT_CODES = ("exitcode", "returncode", "exitstatus", "rc")

_BAD = frozenset(("error", "failed", "failure", "fail", "timeout", "crashed", "aborted", "denied"))
_GOOD = frozenset(("ok", "success", "succeeded", "successful", "passed", "pass"))
_TRACEBACK = "Traceback (most recent call last)"
_RAISED = re.compile(r"^(?:[\w.]*(?:Error|Exception|Interrupt|Exit))(?::\s.*)?$")
_ERROR_FIRST = re.compile(r"^\s*(?:error|fatal|错误|失败)\s*[:：]\s*\S", re.IGNORECASE)


def by_fields(facts: Mapping[str, object]) -> Verdict:
    """Return (failed? False: worked? True: not told? None, why it failed).

    The reason is the error's own words where there are any, else the code that says so.
    """
    verdicts = [rule(facts) for rule in _RULES]
    reasons = [why for ok, why in verdicts if ok is False]
    if reasons:
        return False, next(filter(None, reasons), "")
    return (True if any(ok for ok, _ in verdicts) else None), ""


def by_text(text: str) -> Verdict:
    """A text fails if it ends in a Python traceback or begins with “Error:”; it never succeeds."""
    lines = text[-20_000:].strip().splitlines()
    if lines and _TRACEBACK in text and _RAISED.match(lines[-1]):
        return False, lines[-1]
    if _ERROR_FIRST.match(text[:200]):
        return False, text.strip().splitlines()[0]
    return UNKNOWN


def reason_of(error: object) -> str:
    """Return the words of an error field: text, {"message": …} or a list of either."""
    if isinstance(error, dict):
        named = (error.get(name) for name in ("message", "detail", "error", "reason", "type"))
        return next((word for word in named if isinstance(word, str)), as_text(error)[:1000])
    if isinstance(error, list):
        return reason_of(error[0]) if error else ""
    return error if isinstance(error, str) else ""


def _error(facts: Mapping[str, object]) -> Verdict:
    for name in ("error", "errors", "exception", "errormessage", "err"):
        found = facts.get(name)
        if found is not None and found is not False and whole(found) != 0:
            return False, reason_of(found)
    return UNKNOWN


def _is_error(facts: Mapping[str, object]) -> Verdict:
    flag = facts.get("iserror")
    return (not flag, "") if isinstance(flag, bool) else UNKNOWN


def _exit_code(facts: Mapping[str, object]) -> Verdict:
    for name in EXIT_CODES:
        code = whole(facts.get(name))
        if code is not None:
            return code == 0, f"exit code {code}"
    return UNKNOWN


def _failed(facts: Mapping[str, object]) -> Verdict:
    for name in ("failed", "failures", "numfailedtests"):
        found = facts.get(name)
        count = len(found) if isinstance(found, list) else whole(found)
        if found is True or (count is not None and count > 0):
            return False, ""
    return UNKNOWN


def _status(facts: Mapping[str, object]) -> Verdict:
    for name in ("statuscode", "httpstatus", "status", "outcome"):
        found = facts.get(name)
        code = whole(found)
        if code is not None and 100 <= code <= 599:
            return code < 400, f"HTTP {code}"
        if isinstance(found, str) and found.lower() in _BAD | _GOOD:
            return found.lower() in _GOOD, ""
    return UNKNOWN


def _flag(facts: Mapping[str, object]) -> Verdict:
    flags = [facts[name] for name in ("ok", "success", "succeeded", "passed") if name in facts]
    told = [flag for flag in flags if isinstance(flag, bool)]
    return (all(told), "") if told else UNKNOWN


def _stopped(facts: Mapping[str, object]) -> Verdict:
    words = {"timedout": "timed out", "timeout": "timed out", "interrupted": "interrupted"}
    return next(((False, word) for name, word in words.items() if facts.get(name) is True), UNKNOWN)


_RULES: tuple[Callable[[Mapping[str, object]], Verdict], ...] = (
    _error, _is_error, _failed, _status, _flag, _stopped, _exit_code,
)  # fmt: skip
