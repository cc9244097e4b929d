"""The words of a turn that stand for it: always a part of it as it is, never a secret."""

import json

from memories.models.session import Turn
from memories.text.secrets import masked

_MOST = 200


def said_in(turn: Turn) -> str:
    """Return what a turn can be quoted from: content, else its data as JSON, else its error.

    The JSON has its fields in their order and every character as itself (ensure_ascii=False).
    """
    if turn.content.strip():
        return turn.content
    if turn.data is None:
        return turn.error
    try:
        return json.dumps(turn.data, ensure_ascii=False)
    except ValueError:  # a number of more digits than Python writes
        return turn.error


def quote_from(turn: Turn, wanted: str = "") -> str:
    """Return `wanted` if the turn says it, else its last line that says anything; "" for none.

    A line that holds a secret is passed over; at most 200 characters.
    """
    said = said_in(turn)
    if wanted and wanted in said and masked(wanted) == wanted:
        return wanted[:_MOST]
    end = said[-20_000:]
    # What stays as it is when all of it is masked: a key may span lines.
    clean = {line.strip() for line in masked(end).splitlines()}
    lines = (line.strip() for line in reversed(end.splitlines()))
    return next((line[:_MOST] for line in lines if line and line in clean), "")
