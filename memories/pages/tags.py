"""Template tags of all pages; settings.py makes them available as `hindsight`."""

import json
import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django import template
from django.utils import formats, timezone
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from memories.models.memory import Kind, Memory, Source, Status
from memories.pages import words
from memories.text.clean import visible
from memories.text.diff import Piece, Side

register = template.Library()

# What visible() makes of a character that cannot be seen.
_INVISIBLE = re.compile("⟦U\\+[0-9A-F]+⟧")
_MARKS = {"old": "<del>{}</del>", "new": "<ins>{}</ins>"}
_LABELS: dict[str, dict[str, Any]] = {
    "kind": dict(Kind.choices),
    "source": dict(Source.choices),
    "status": dict(Status.choices),
}
_FIELDS = {field.name: field.verbose_name for field in Memory._meta.fields}
register.filter("verb", words.verb)


@register.filter
def shown(text: str) -> SafeString:
    """Escape a memory's text and spell out each invisible character in it."""
    spelt = visible(str(escape(text)))
    return mark_safe(_INVISIBLE.sub(r'<span class="invisible">\g<0></span>', spelt))  # noqa: S308 (escaped)


@register.simple_tag
def diff_side(pieces: Iterable[Piece], side: Side) -> SafeString:
    """Render one text of a diff: what it shares, and what only it says."""
    return format_html_join("", "{}", ((_piece(p),) for p in pieces if p.side in ("both", side)))


@register.simple_tag
def diff_inline(pieces: Iterable[Piece]) -> SafeString:
    """Render both texts of a diff in one line of reading."""
    return format_html_join("", "{}", ((_piece(piece),) for piece in pieces))


def _piece(piece: Piece) -> SafeString:
    if piece.side == "both":
        return shown(piece.text)
    return format_html(_MARKS[piece.side], shown(piece.text))


@register.simple_tag
def ago(moment: datetime) -> SafeString:
    """Render a moment as its age, with the exact time for whoever points at it."""
    local = timezone.localtime(moment)
    exact = formats.date_format(local, "DATETIME_FORMAT")
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', local.isoformat(), exact, words.ago(moment)
    )


@register.simple_tag
def label(field: str, code: Any) -> str:
    """Return the word for a field's value: of a kind, source or status; of the rest, the value."""
    if isinstance(code, bool):
        return _("yes") if code else _("no")
    if isinstance(code, datetime):
        return formats.date_format(timezone.localtime(code), "DATETIME_FORMAT")
    if isinstance(code, list):
        return ", ".join(code) or "–"
    if isinstance(code, dict):
        return json.dumps(code, ensure_ascii=False) if code else "–"
    return str(_LABELS.get(field, {}).get(code, "–" if code in ("", None) else code))


@register.simple_tag
def field(name: str) -> str:
    """Return the word for a field of a memory."""
    return str(_FIELDS.get(name, name))


@register.simple_tag
def arm(name: str) -> str:
    """Return the word for an arm or a rule of recall, or for a score of the comparison."""
    return words.arm(name)


@register.filter
def percent(share: float) -> str:
    """Render a share of 0–1 as a whole percentage."""
    return f"{share:.0%}"


@register.simple_tag
def bar(share: float) -> SafeString:
    """Render a share of 0–1 as a small bar with its number beside it."""
    width = max(0.0, min(share, 1.0)) * 60
    return format_html(
        '<span class="bar"><svg viewBox="0 0 60 6" width="60" height="6" aria-hidden="true">'
        '<rect class="rail" width="60" height="6" rx="3"/>'
        '<rect class="fill" width="{}" height="6" rx="3"/></svg> {}</span>',
        f"{width:.1f}",
        f"{share:.2f}",
    )
