"""Template tags that speak of review items; settings.py makes them available as `review`."""

import re

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from memories.pages.tags import shown
from review import kinds
from review.pages.closed import closed

register = template.Library()
register.filter("resolution", closed)
register.filter("kind_label", kinds.labelled)
register.filter("short_reason", kinds.short_reason)

# What the texts of an item are called beside one another.
_SIDES = {"new": _("new"), "old": _("old"), "proposal": _("proposal"), "source": _("source")}


@register.filter
def side_label(side: str) -> str:
    """Return what a text of an item is called, "" for the only one."""
    return str(_SIDES.get(side, ""))


@register.filter
def marked(text: str, found: str) -> SafeString:
    """Render a memory's text as `shown` does, with every place marked that says what was found.

    Upper and lower case and the spaces between the words may differ.
    """
    words = [re.escape(word) for word in str(found).split()]
    if not words:
        return shown(text)
    pattern = r"\s+".join(words)
    parts = re.split(f"({pattern})", text, flags=re.IGNORECASE)
    runs = ((_run(part, hit=place % 2 == 1),) for place, part in enumerate(parts))
    return format_html_join("", "{}", runs)


def _run(text: str, *, hit: bool) -> SafeString:
    return format_html("<mark>{}</mark>", shown(text)) if hit else shown(text)
