"""A tool result as its readers get it: envelopes opened, nulls dropped, never trusted."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from memories.models.session import Turn

MOST_PARSED = 1_000_000
"""Characters of a text that are tried as JSON."""
DEEPEST = 20
"""Levels of nesting that are read; what lies deeper is dropped."""
_LARGEST = 10**12
_NULL_WORDS = frozenset(("", "null", "NaN", "None", "undefined"))
# Fields whose own fields say what the outer ones would.
_WRAPPERS = ("result", "response", "output", "structuredContent", "summary")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_NAME = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Given:
    """`tool` in small letters and single spaces (“run command”); `data` without nulls.

    `facts` are the fields of `data` and of its wrappers by their bare names: exitCode, exit_code
    and EXIT-CODE are all “exitcode”. `names` holds also the bare names of fields that were null.
    """

    tool: str = ""
    text: str = ""
    data: object = None
    facts: Mapping[str, object] = field(default_factory=dict)
    names: frozenset[str] = frozenset()

    def words(self, *names: str) -> str:
        """Return the first of these facts that is text."""
        return next((fact for name in names if isinstance(fact := self.facts.get(name), str)), "")

    def number(self, *names: str) -> int | None:
        """Return the first of these facts that is a whole number."""
        numbers = (whole(self.facts.get(name)) for name in names)
        return next((number for number in numbers if number is not None), None)


def given_of(turn: Turn, tool: str = "") -> Given:
    """Open what a turn holds; `tool` names it where the result itself does not."""
    raw, text = turn.data, turn.content
    if raw is None or isinstance(raw, str):
        raw, text = _parsed(text if raw is None else raw)
    envelope, raw, text = _opened(raw, text)
    data = normalised(raw)
    return Given(
        tool=tool_name(turn.tool or tool),
        text=text,
        data=data,
        facts={**_facts(data), **_facts(normalised(envelope))},
        names=_names(raw),
    )


def tool_name(name: str) -> str:
    """Return a tool's name in small letters and single spaces: runCommand → run command."""
    return _NOT_NAME.sub(" ", _CAMEL.sub(" ", name[:200]).lower()).strip()


def normalised(value: object, depth: int = 0) -> object:
    """Return JSON without nulls: None, NaN, "", "null", [] and {} and what holds only those."""
    if isinstance(value, str):
        return None if value.strip() in _NULL_WORDS else value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict | list):
        return _container(value, depth) if depth < DEEPEST else None
    return value if isinstance(value, bool | int | float) else None


def whole(value: object) -> int | None:
    """Return a field as a whole number: 1, "1", 1.0; None for anything else and for huge ones."""
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?[0-9]{1,9}\s*", value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if -_LARGEST < value < _LARGEST and value == int(value) else None


def as_text(value: object) -> str:
    """Return a value as compact JSON, or as itself if it is text."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except ValueError:  # a number of more digits than Python writes
        return "[a number too long to show]"


def _container(value: dict[str, object] | list[object], depth: int) -> object:
    if isinstance(value, dict):
        pairs = ((key, normalised(item, depth + 1)) for key, item in value.items())
        return {key: item for key, item in pairs if item is not None} or None
    return [kept for item in value if (kept := normalised(item, depth + 1)) is not None] or None


def _parsed(text: str) -> tuple[object, str]:
    """Return (the JSON that the text is, "") or (None, the text)."""
    if text.lstrip()[:1] not in ("{", "[") or len(text) > MOST_PARSED:
        return None, text
    try:
        return json.loads(text), ""
    except (ValueError, RecursionError):
        return None, text


def _opened(raw: object, text: str) -> tuple[object, object, str]:
    """Open MCP's {"isError", "content": [{"type": "text", "text"}], "structuredContent"}.

    Returns (what the envelope itself says, its payload, its text).
    """
    if not isinstance(raw, dict) or not isinstance(raw.get("content"), list):
        return None, raw, text
    parts = [part.get("text") for part in raw["content"] if isinstance(part, dict)]
    said = [part for part in parts if isinstance(part, str)]
    if not said and parts != [None] * len(parts):
        return None, raw, text
    inner, rest = _parsed("\n".join(said))
    envelope = {key: value for key, value in raw.items() if key != "content"}
    return envelope, envelope.pop("structuredContent", None) or inner, rest or text


def _names(raw: object) -> frozenset[str]:
    """Return the bare names of all fields; an empty list says: no rows."""
    if raw == []:
        return frozenset(("rows",))
    return frozenset(map(_bare, raw)) if isinstance(raw, dict) else frozenset()


def _facts(data: object, depth: int = 0) -> dict[str, object]:
    if not isinstance(data, dict) or depth > 2:
        return {}
    inner: dict[str, object] = {}
    for wrapper in _WRAPPERS:
        inner |= _facts(data.get(wrapper), depth + 1)
    return inner | {_bare(key): value for key, value in data.items()}


def _bare(name: str) -> str:
    return _NOT_NAME.sub("", name[:60].lower())
