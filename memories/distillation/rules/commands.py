"""What a call does: its command as one line, its family, and whether it only looks."""

import json
import re
from collections.abc import Mapping

from memories.models.session import Turn
from memories.sessions.results.given import tool_name
from memories.text.secrets import MASK, masked, names_secret

_WINDOW = 4000
_COMMAND_FIELDS = ("command", "cmd", "script", "code", "query", "sql", "input")
_SPLIT = re.compile(r"&&|\|\||[;\n|]")
_ASSIGNED = re.compile(r"^\w+=\S*$")
# What stands before the programme that is meant, and what only prepares for it.
_PREFIXES = frozenset(("sudo", "env", "time", "nohup", "npx", "exec"))
_RUNNERS = {
    ("uv", "run"),
    ("poetry", "run"),
    ("python", "-m"),
    ("python3", "-m"),
    ("bundle", "exec"),
}
_PREPARES = frozenset(("cd", "export", "set", "source", ".", "pushd", "popd", "mkdir", "true"))
# Programmes whose first word after the name says what is done.
_VERBS = """
apt apt-get aws brew cargo conda docker gcloud git go helm kubectl make npm pip pip3 pnpm poetry
systemctl terraform uv yarn
"""
_WITH_VERB = frozenset(_VERBS.split())
_LOOKING = """
awk cat date df du echo env file find grep head less ls man printenv ps pwd rg sort stat tail tree
type uniq wc which whoami
"""
_LOOKS = frozenset(_LOOKING.split()) | {
    *("git status", "git diff", "git log", "git show", "git branch", "pip list", "pip show"),
    *("docker ps", "docker logs", "kubectl get", "kubectl describe", "kubectl logs", "npm ls"),
}
_READING = re.compile(
    r"^(?:\w+ )*(?:read|search|list|get|fetch|browse|view|grep|glob|find|look ?up|recall|query|open"
    r"|web|show|describe)\b"
)
_EDITING = re.compile(r"\b(?:edit|write|patch|replace|create|insert|save|update)\b")


def command_of(turn: Turn) -> str:
    """Return a call as one line without secrets: its command, or “tool name=value …”."""
    data = turn.data
    if isinstance(data, dict) and (line := _line(data)):
        return _clean(line)
    if isinstance(data, dict) and data:
        return _clean(f"{turn.tool} {_arguments(data)}")
    said = data if isinstance(data, str) and data else turn.content
    return _clean(said if has_shell(turn) and said else f"{turn.tool} {said}")


def has_shell(turn: Turn) -> bool:
    """Whether the call runs a command line: by its tool or its arguments."""
    names = {"bash", "sh", "shell", "exec", "execute", "command", "terminal", "run"}
    return not names.isdisjoint(tool_name(turn.tool).split()) or (
        isinstance(turn.data, dict) and bool({"command", "cmd"} & turn.data.keys())
    )


def families_of(turn: Turn) -> frozenset[str]:
    """Return what is tried: the programmes of a command line (“pytest”, “git push”), or the tool.

    Looking is no family of its own in a line that does more.
    """
    if not has_shell(turn):
        return frozenset((tool_name(turn.tool) or "tool",))
    found = [
        programme for part in _SPLIT.split(command_of(turn)) if (programme := _programme(part))
    ]
    return frozenset([name for name in found if not _only_looks(name)] or found)


def looks(turn: Turn) -> bool:
    """Whether the call only looks at something and changes and checks nothing."""
    families = families_of(turn)
    if has_shell(turn):
        return not re.search(r"(?<!2)>", command_of(turn)) and all(map(_only_looks, families))
    return all(_READING.match(name) and not _EDITING.search(name) for name in families)


def edits(turn: Turn) -> bool:
    """Whether the call writes a file: that it succeeded says nothing about what was written."""
    if has_shell(turn):
        return families_of(turn) <= {"sed", "tee", "cat", "echo", "cp", "mv", "touch", "chmod"}
    return any(_EDITING.search(name) for name in families_of(turn))


def _line(data: Mapping[str, object]) -> str:
    for name in _COMMAND_FIELDS:
        found = data.get(name)
        if isinstance(found, list):
            found = " ".join(part for part in found if isinstance(part, str))
        if isinstance(found, str) and found.strip():
            return found
    return ""


def _arguments(data: Mapping[str, object]) -> str:
    return " ".join(
        f"{name}={MASK if names_secret(name) else _value(value)}"
        for name, value in list(data.items())[:12]
    )


def _value(value: object) -> str:
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except ValueError:  # a number of more digits than Python writes
        text = "…"
    return masked(text[:_WINDOW])


def _clean(text: str) -> str:
    return " ".join(masked(text[:_WINDOW]).replace("`", "'").split())


def _programme(part: str) -> str:
    words = [word for word in part.split() if not _ASSIGNED.match(word)]
    while words and words[0] in _PREFIXES:
        words = words[1:]
    if tuple(words[:2]) in _RUNNERS:
        words = words[2:]
    if not words or words[0] in _PREPARES:
        return ""
    name = words[0].rsplit("/", 1)[-1]
    verb = next((word for word in words[1:] if re.fullmatch(r"[a-z][a-z:_-]*", word)), "")
    return f"{name} {verb}" if name in _WITH_VERB and verb else name


def _only_looks(programme: str) -> bool:
    return programme in _LOOKS
