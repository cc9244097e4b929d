"""A test run: how many passed and failed, and which."""

import re
from collections.abc import Mapping

from memories.sessions.results.counts import Counts, counts_in, names_in, raised_in
from memories.sessions.results.given import Given, whole
from memories.sessions.results.meaning import Reader, Reading, bounded, listed
from memories.sessions.results.readers.shell import SHELL

TESTS = re.compile(r"\b(?:\w*tests?|pytest|jest|vitest|mocha|unittest|rspec)\b")
_FIELDS = {
    "passed": ("passed", "passes", "numpassedtests"),
    "failed": ("failed", "failures", "numfailedtests"),
    "errors": ("errors",),
    "skipped": ("skipped", "numpendingtests", "pending"),
}
_MOST = 100_000


def _read(given: Given) -> Reading | None:
    text = (given.words("stdout", "output", "result") or given.text)[-_MOST:]
    counts = _of_fields(given.facts) or (counts_in(text) if _may_be(given.tool) else None)
    if counts is None:
        return None
    if not counts.bad:
        # No test at all is no success.
        return Reading(bounded(str(counts)), ok=True if counts.passed else None)
    names = _named(given.facts) or names_in(text)
    which = f": {listed(names)}" if names else ""
    why = raised_in(text) or f"{counts.bad} failed{which}"
    return Reading(bounded(f"{counts}{which}"), ok=False, error=why)


def _may_be(tool: str) -> bool:
    """A page about tests is no test run: only such tools, shells, and tools without a name."""
    return not tool or bool(TESTS.search(tool) or SHELL.search(tool))


def _of_fields(facts: Mapping[str, object]) -> Counts | None:
    found = {name: _number(facts, names) for name, names in _FIELDS.items()}
    if found["passed"] is None or (found["failed"] is None and "total" not in facts):
        return _of_cases(facts)
    return Counts(**{name: count or 0 for name, count in found.items()})


def _number(facts: Mapping[str, object], names: tuple[str, ...]) -> int | None:
    values = (facts[name] for name in names if name in facts)
    counts = (len(value) if isinstance(value, list) else whole(value) for value in values)
    return next((count for count in counts if count is not None and count >= 0), None)


def _cases(facts: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return (name, outcome) of every test in a list of them, as reports in JSON have."""
    cases = facts.get("tests")
    return [
        (str(case.get("nodeid") or case.get("name") or case.get("fullName") or "")[:120], outcome)
        for case in (cases if isinstance(cases, list) else [])
        if isinstance(case, dict)
        and isinstance(outcome := case.get("outcome", case.get("status")), str)
    ]


def _of_cases(facts: Mapping[str, object]) -> Counts | None:
    outcomes = [outcome for _, outcome in _cases(facts)]
    if not {"passed", "failed"} & set(outcomes):
        return None
    return Counts(*map(outcomes.count, ("passed", "failed", "error", "skipped")))


def _named(facts: Mapping[str, object]) -> list[str]:
    named = [name for name, outcome in _cases(facts) if outcome in ("failed", "error") and name]
    others = facts.get("failures") or facts.get("failed")
    if named or not isinstance(others, list):
        return named
    found = (it.get("name", it.get("nodeid")) if isinstance(it, dict) else it for it in others)
    return [name[:120] for name in found if isinstance(name, str)]


READER = Reader(shape="test_run", rank=10, read=_read)
