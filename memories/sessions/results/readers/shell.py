"""A shell command: its exit code, the last lines that say something, and its error stream."""

import re

from memories.sessions.results.given import Given
from memories.sessions.results.meaning import Reader, Reading, bounded, telling_lines
from memories.sessions.results.outcome import EXIT_CODES, by_text

SHELL = re.compile(
    r"\b(?:bash|sh|zsh|shell|exec|execute|run command|command|terminal|powershell)\b"
)
_LAST_LINES = 6
_CODE = re.compile(r"\bexit(?:ed)?(?: with)? (?:code|status)[:=]? ?(-?\d{1,6})\b", re.IGNORECASE)
# What a shell itself says when a command did not run.
_REFUSED = re.compile(
    r"^\S*sh: .*: (?:(?:command )?not found|No such file or directory|Permission denied)$"
    r"|^\S+: command not found$"
)


def _read(given: Given) -> Reading | None:
    code = given.number(*EXIT_CODES)
    if code is None and not SHELL.search(given.tool) and not {"stdout", "stderr"} & given.names:
        return None
    out = given.words("stdout", "output", "result", "text") or given.text
    ok, error = _told(code, out, given.words("stderr"))
    return Reading(_summary(code, out, given.words("stderr")), ok, error)


def _summary(code: int | None, out: str, stderr: str) -> str:
    parts = [f"exit code {code}"] if code is not None else []
    parts += [_end(out)] if out.strip() else []
    parts += [f"stderr: {_end(stderr)}"] if stderr else []
    return bounded("; ".join(part for part in parts if part))


def _end(text: str) -> str:
    lines = telling_lines(text)
    left_out = len(lines) - _LAST_LINES
    note = f"[{left_out} lines left out] … " if left_out > 0 else ""
    return note + " | ".join(line[:160] for line in lines[-_LAST_LINES:])


def _told(code: int | None, out: str, stderr: str) -> tuple[bool | None, str]:
    """Return what code and output tell: where no code is given, one in words or a refusal."""
    last = next(reversed([*telling_lines(out), *telling_lines(stderr)]), "")
    traced, raised = by_text(stderr)
    if traced is False:
        return False, raised
    if code is not None:
        return code == 0, last or f"exit code {code}"
    said = _CODE.search(out[:200]) or _CODE.search(out[-200:])
    if said and int(said[1]) != 0:
        return False, last
    return (False, last) if _REFUSED.match(last) else (None, "")


READER = Reader(shape="shell", rank=50, read=_read)
