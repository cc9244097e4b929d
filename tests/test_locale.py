"""The Chinese catalogue: complete, compiled, in step with the sources. No gettext tools needed."""

import ast
import gettext
import re
from collections.abc import Iterator
from pathlib import Path

from django.utils.translation.template import templatize

PROJECT = Path(__file__).resolve().parent.parent
FOLDER = PROJECT / "locale" / "zh_Hans" / "LC_MESSAGES"
ROOMS = ("hindsight_site", "mcp_bridge", "memories", "review")
MARKS = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "gettext_noop"}
STATUSES = {  # E2
    "pending": "待验证",
    "active": "有效",
    "superseded": "被取代",
    "overturned": "已推翻",
    "archived": "冷存储",
    "deleted": "软删除",
}


def entries() -> dict[str, str]:
    """The catalogue as gettext keys it: `context\\4text` → translation."""
    return {key: chinese for key, _most, chinese in _rows()}


def _rows() -> Iterator[tuple[str, str, str]]:
    """Each entry's key, its fullest text (the plural, if there is one) and its translation."""
    for block in (FOLDER / "django.po").read_text().split("\n\n")[1:]:
        fields: dict[str, str] = {}
        last = ""
        for name, text in re.findall(r'^(?:(msg\S+) )?(".*")$', block, re.MULTILINE):
            last = name or last
            fields[last] = fields.get(last, "") + ast.literal_eval(text)
        context = f"{fields['msgctxt']}\4" if "msgctxt" in fields else ""
        chinese = fields.get("msgstr") or fields.get("msgstr[0]", "")
        yield context + fields["msgid"], fields.get("msgid_plural", fields["msgid"]), chinese


def spoken() -> Iterator[str]:
    """Every text that the sources pass to gettext, without its context."""
    for room in ROOMS:
        for path in (PROJECT / room).rglob("*.py"):
            if "migrations" not in path.parts:
                yield from _marked(path.read_text())
    for path in (PROJECT / "templates").rglob("*.html"):
        yield from _marked_in_template(path.read_text())


def _marked(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MARKS:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def _marked_in_template(source: str) -> Iterator[str]:
    # What Django hands to xgettext: calls among the noise that keeps line numbers.
    calls = r"""(?:\b_|gettext)\(u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
    contexts = r"""pgettext\(u?(?:'[^']*'|"[^"]*"), u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
    code = templatize(source)
    for text in re.findall(contexts, code) + re.findall(rf"(?<!p){calls}", code):
        yield ast.literal_eval(text)


def test_it_translates_everything() -> None:
    assert not [text for text, chinese in entries().items() if not chinese]
    assert "#, fuzzy" not in (FOLDER / "django.po").read_text()


def test_it_knows_every_text_of_the_sources() -> None:
    known = {key.rpartition("\4")[2] for key in entries()}
    assert not set(spoken()) - known


def test_it_is_compiled() -> None:
    with (FOLDER / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    wrong = [
        key
        for key, chinese in entries().items()
        if compiled._catalog.get(key, compiled._catalog.get((key, 0))) != chinese  # type: ignore[attr-defined]
    ]
    assert not wrong


def test_it_names_the_statuses_as_the_team_does() -> None:
    known = entries()
    assert {status: known[status] for status in STATUSES} == STATUSES


def test_it_keeps_every_placeholder() -> None:
    holes = re.compile(r"%\(\w+\)\.?\d*[sdf]")
    assert not [
        text
        for _key, text, chinese in _rows()
        if sorted(holes.findall(text)) != sorted(holes.findall(chinese))
    ]
