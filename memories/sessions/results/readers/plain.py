"""Plain text: what everything else is."""

from memories.sessions.results.given import Given
from memories.sessions.results.meaning import Reader, Reading, bounded


def _read(given: Given) -> Reading:
    return Reading(bounded(given.text))


READER = Reader(shape="text", rank=90, read=_read)
