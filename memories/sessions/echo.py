"""Where recalled memories stand inside a context, so that they are not distilled again (B9)."""

import re

OPENING, CLOSING = "<hindsight-memories>", "</hindsight-memories>"
_INJECTED = re.compile(rf"{OPENING}.*?(?:{CLOSING}|\Z)", re.DOTALL)


def without_injected(text: str) -> str:
    """Return the text without what recall_context() put into it; an open block ends with it."""
    return _INJECTED.sub("", text)


def fenced(text: str) -> str:
    """Return recalled text that cannot end its own block."""
    return text.replace(OPENING, "").replace(CLOSING, "")
