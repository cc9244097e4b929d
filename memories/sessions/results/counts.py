"""What test runners print: pytest, jest and vitest, cargo, unittest, go."""

import re
from dataclasses import dataclass

# The last line of pytest, the “Tests:” line of jest and vitest, the result line of cargo.
_SUMMARY = re.compile(
    r"^(?:=*[ \t]*(?=\d{1,9} \w+.* in [\d.]+ ?m?s)|[ \t]*Tests:?[ \t]+|test result: )"
    r"(.*\d{1,9} (?:passed|failed|error|skipped).*)$",
    re.MULTILINE,
)
_COUNT = re.compile(r"(\d{1,9}) (passed|failed|errors?|skipped)")
_UNITTEST = re.compile(r"^Ran (\d{1,9}) tests? in .*\n\n?(OK|FAILED)(?: \((.*)\))?", re.MULTILINE)
_UNITTEST_COUNT = re.compile(r"(failures|errors|skipped)=(\d{1,9})")
_GO = re.compile(r"^[ \t]*--- (PASS|FAIL|SKIP): \S+", re.MULTILINE)
_GO_END = re.compile(r"^(ok|FAIL)[ \t]+\S+[ \t]+(?:\(cached\)|[\d.]+s)", re.MULTILINE)
_NAMES = (
    re.compile(r"^(?:FAILED|ERROR) ([\w./\\-]+(?:::\S+)?)", re.MULTILINE),
    re.compile(r"^[ \t]*● (.+?)[ \t]*$", re.MULTILINE),
    re.compile(r"^(?:FAIL|ERROR): (\S+)", re.MULTILINE),
    re.compile(r"^[ \t]*--- FAIL: (\S+)", re.MULTILINE),
    re.compile(r"^test (\S+) \.\.\. FAILED$", re.MULTILINE),
)
_RAISED = re.compile(r"^(?:E[ \t]+|[ \t]*)([\w.]*(?:Error|Exception)\b.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Counts:
    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0

    @property
    def bad(self) -> int:
        return self.failed + self.errors

    def __str__(self) -> str:
        told = [f"{self.passed} passed", f"{self.failed} failed"]
        told += [f"{self.errors} errors"] if self.errors else []
        told += [f"{self.skipped} skipped"] if self.skipped else []
        return ", ".join(told)


def counts_in(text: str) -> Counts | None:
    """Return the counts that a runner's own summary states; None where there is none."""
    summaries = _SUMMARY.findall(text)
    if not summaries:
        return _of_unittest(text) or _of_go(text)
    found = {name: int(count) for count, name in _COUNT.findall(summaries[-1])}
    errors = found.get("errors", found.get("error", 0))
    return Counts(
        found.get("passed", 0), found.get("failed", 0), errors, found.get("skipped", 0)
    )  # fmt: skip


def names_in(text: str) -> list[str]:
    """Return the names of the failing tests, each once, at most 120 characters each."""
    return list(dict.fromkeys(name[:120] for names in _NAMES for name in names.findall(text)))


def raised_in(text: str) -> str:
    """Return the first exception that is named at the start of a line."""
    raised = _RAISED.search(text)
    return raised[1] if raised else ""


def _of_unittest(text: str) -> Counts | None:
    found = _UNITTEST.search(text)
    if found is None:
        return None
    told = {name: int(count) for name, count in _UNITTEST_COUNT.findall(found[3] or "")}
    failed, errors, skipped = (told.get(name, 0) for name in ("failures", "errors", "skipped"))
    if found[2] == "FAILED" and not failed + errors:
        failed = 1
    return Counts(max(int(found[1]) - failed - errors - skipped, 0), failed, errors, skipped)


def _of_go(text: str) -> Counts | None:
    ends = ["PASS" if end == "ok" else "FAIL" for end in _GO_END.findall(text)]
    if not ends:
        return None
    states = _GO.findall(text) or ends
    return Counts(states.count("PASS"), states.count("FAIL"), 0, states.count("SKIP"))
