"""The sizes and habits that keep the house liveable; CONTRIBUTING.md states them."""

import ast
import re
import subprocess
from pathlib import Path
from statistics import median, quantiles

import pytest

PROJECT = Path(__file__).resolve().parent.parent
ROOMS = ("hindsight_site", "mcp_bridge", "memories", "review")
PRODUCT = [
    path
    for room in ROOMS
    for path in sorted((PROJECT / room).rglob("*.py"))
    if "migrations" not in path.parts
]
TESTS = sorted((PROJECT / "tests").rglob("*.py"))
TEMPLATES = sorted((PROJECT / "templates").rglob("*.html"))
SOURCES = [*PRODUCT, *TESTS, *TEMPLATES, *(PROJECT / "static").rglob("*.[cj]s*")]


def lengths() -> dict[str, int]:
    """The lines of every function of the product, from `def` to its last line."""
    found = {}
    for path in PRODUCT:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
                place = f"{path.relative_to(PROJECT)}:{node.lineno} {node.name}"
                found[place] = node.end_lineno - node.lineno + 1
    return found


def test_it_has_short_functions() -> None:
    found = lengths()
    assert not [place for place, lines in found.items() if lines > 60]
    assert median(found.values()) <= 10
    assert quantiles(found.values(), n=10)[-1] <= 32


def test_it_has_short_files() -> None:
    long = {
        str(path.relative_to(PROJECT)): lines
        for path in SOURCES
        if (lines := path.read_text().count("\n")) > 400
    }
    assert not long


INLINE = re.compile(
    r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)|javascript:", re.IGNORECASE
)


def test_it_has_no_script_or_style_inside_a_template() -> None:
    assert not [found for path in TEMPLATES for found in places(path, INLINE)]


# Words between tags that are neither inside {% … %}, {{ … }} nor a comment.
LITERAL = re.compile(r">([^<>{}]*[A-Za-z]{3}[^<>{}]*)<")
HIDDEN = re.compile(
    r"{%\s*blocktrans(?:late)?\b.*?{%\s*endblocktrans(?:late)?\s*%}|{%\s*comment\b.*?{%\s*endcomment\s*%}"
    r"|{%.*?%}|{{.*?}}|{#.*?#}|<!--.*?-->|<(code|kbd|pre|script)\b.*?</\1>",
    re.DOTALL,
)
# What is the same in every language.
NAMES = {"Hindsight", "English", "REST", "MCP", "JSON"}


def test_it_translates_every_text_of_a_template() -> None:
    untranslated = {
        f"{path.relative_to(PROJECT)}: {text.strip()}"
        for path in TEMPLATES
        for text in LITERAL.findall(HIDDEN.sub("", path.read_text()))
        if text.strip(" ·\n") not in NAMES
    }
    assert not untranslated


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_it_pins_every_requirement(name: str) -> None:
    lines = (line.partition("#")[0].strip() for line in (PROJECT / name).read_text().splitlines())
    pinned = re.compile(r"^[a-z0-9-]+(\[[a-z,-]+\])?==[^*]+$")
    assert not [
        line for line in lines if line and not line.startswith("-r ") and not pinned.match(line)
    ]


LEFT_OVER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|(?<![\w.])/(root|home/\w+|Users/\w+|work)/")


def test_it_leaves_nothing_unfinished_and_names_no_machine() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = {PROJECT / name for name in listed.stdout.splitlines()} - {Path(__file__).resolve()}
    assert not [found for path in sorted(files) for found in places(path, LEFT_OVER)]


def places(path: Path, pattern: re.Pattern[str]) -> list[str]:
    """Where a pattern occurs in a text file, as `file:line`; a binary or removed file has none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (UnicodeDecodeError, FileNotFoundError):
        return []
    name = path.relative_to(PROJECT)
    return [f"{name}:{n} {line.strip()}" for n, line in enumerate(lines, 1) if pattern.search(line)]
