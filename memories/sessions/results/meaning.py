"""The answer of every reader, and how its text is kept short."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memories.sessions.results.given import Given
from memories.text.secrets import masked

SUMMARY_CHARS = 400
"""A summary becomes one embedding and one line of a trace: a short paragraph."""
ERROR_CHARS = 200
# Secrets are masked before anything is cut, so that no half of one is left unrecognised.
_WINDOW = 20_000
_RULER = re.compile(r"^[\W_]*$")


@dataclass(frozen=True, slots=True)
class ToolMeaning:
    """What a tool's result says.

    `ok` is None where nothing structured tells; `summary` is the one meaningful field as text
    (at most SUMMARY_CHARS and a note of what is left out), `error` one line why it failed.
    """

    ok: bool | None
    summary: str
    error: str
    shape: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reader found: `ok` only where its own fields decide it."""

    summary: str
    ok: bool | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Reader:
    """`read` returns None for what is not its shape; readers are asked by ascending `rank`."""

    shape: str
    rank: int
    read: Callable[[Given], Reading | None]


def bounded(text: str, most: int = SUMMARY_CHARS) -> str:
    """Return text with single spaces, without secrets, cut at `most` with a note of the rest."""
    clean = " ".join(masked(text[:_WINDOW]).split())
    left_out = len(clean) - most + max(len(text) - _WINDOW, 0)
    if left_out <= 0:
        return clean
    return f"{clean[:most].rstrip()}… [{left_out} characters left out]"


def one_line(text: str, most: int = ERROR_CHARS) -> str:
    """Return text as one line without secrets, cut at `most` with an ellipsis."""
    clean = " ".join(masked(text[:_WINDOW]).split())
    return clean if len(clean) <= most else f"{clean[:most].rstrip()}…"


def telling_lines(text: str) -> Sequence[str]:
    """Return the lines that hold a word, of the end of a long text."""
    return [line.strip() for line in text[-_WINDOW:].splitlines() if not _RULER.match(line)]


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return the first names and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
