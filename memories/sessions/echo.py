"""Where recalled memories stand inside a context, so that they are not distilled again (B9)."""

import re

OPENING, CLOSING = "<hindsight-memories>", "</hindsight-memories>"
TURNS_OPENING, TURNS_CLOSING = "<hindsight-turns>", "</hindsight-turns>"
_INJECTED = re.compile(r"<(hindsight-(?:memories|turns))>.*?(?:</\1>|\Z)", re.DOTALL)
# Also as a model would read it, not only as we write it.
_MARK = re.compile(r"<(\s*/?\s*hindsight-(?:memories|turns)\s*)>", re.IGNORECASE)


def without_injected(text: str) -> str:
    """Return the text without what recall_context() put into it; an open block ends with it."""
    return _INJECTED.sub("", text)


def fenced(text: str) -> str:
    """Return text that cannot end its own block, nor begin one: its marks get other brackets."""
    return _MARK.sub(r"‹\1›", text)
