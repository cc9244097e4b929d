"""Any JSON: the field that answers, or all of it without its nulls."""

from memories.sessions.results.given import Given, as_text
from memories.sessions.results.meaning import Reader, Reading, bounded

# Fields that hold the answer by custom, the most telling first.
_ANSWERS = ("answer", "result", "output", "summary", "message", "text", "content", "value")


def _read(given: Given) -> Reading | None:
    if given.data is None:
        return None
    return Reading(bounded(given.words(*_ANSWERS) or as_text(given.data)))


READER = Reader(shape="json", rank=80, read=_read)
