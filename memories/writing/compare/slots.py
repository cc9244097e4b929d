"""A slot: the contiguous words of a statement that another one fills differently."""

from itertools import pairwise

from memories.writing.compare.parse import Parsed

MAX_SLOT = 6


def slot_of(positions: list[int], parsed: Parsed) -> list[int] | None:
    """The positions as one contiguous slot (function words may stand between), or None."""
    if not positions or len(positions) > MAX_SLOT:
        return None
    for here, following in pairwise(positions):
        if any(parsed.tokens[p].is_content for p in range(here + 1, following)):
            return None
    same = parsed.tokens[positions[0]].clause == parsed.tokens[positions[-1]].clause
    return positions if same else None
