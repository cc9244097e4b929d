"""What changed between two texts, word by word. Pure; Chinese goes by character, Latin by word."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Side = Literal["both", "old", "new"]
Pair = tuple[int, int]

# A word with its inner marks (`max_size`, `3.5`, `don't`), a run of spaces, or one character.
_WORD = re.compile(r"[0-9A-Za-zÀ-ɏ]+(?:[_.'’-][0-9A-Za-zÀ-ɏ]+)*|\s+|.", re.DOTALL)
_SENTENCE = re.compile(r".*?(?:[。！？；!?;\n]\s*|\.\s+|\Z)", re.DOTALL)
# Texts further apart are compared sentence by sentence first: the search below costs edits².
MAX_EDITS = 400


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text that is in both texts, or only in the old or the new one."""

    side: Side
    text: str


def words(text: str) -> list[str]:
    """Return the units of comparison; joined they are the text again."""
    return _WORD.findall(text)


def sentences(text: str) -> list[str]:
    """Return the sentences with their marks and spaces; joined they are the text again."""
    return [part for part in _SENTENCE.findall(text) if part]


def word_diff(old: str, new: str) -> list[Piece]:
    """Return the pieces in reading order: both + old ones are `old`, both + new ones are `new`."""
    return _smoothed(list(_pieces(old, new, words, _whole_sentences)))


def _whole_sentences(old: str, new: str) -> Iterator[Piece]:
    """Too different word by word: match equal sentences, then look into what lies between."""
    return _pieces(old, new, sentences, _replaced, inside=_words_only)


def _words_only(old: str, new: str) -> Iterator[Piece]:
    return _pieces(old, new, words, _replaced)


def _replaced(old: str, new: str) -> Iterator[Piece]:
    if old:
        yield Piece("old", old)
    if new:
        yield Piece("new", new)


def _pieces(
    old: str,
    new: str,
    split: Callable[[str], list[str]],
    far_apart: Callable[[str, str], Iterator[Piece]],
    inside: Callable[[str, str], Iterator[Piece]] = _replaced,
) -> Iterator[Piece]:
    before, after = split(old), split(new)
    pairs = _common(before, after)
    if pairs is None:
        yield from far_apart(old, new)
        return
    i = j = 0
    for x, y in [*pairs, (len(before), len(after))]:
        if x > i or y > j:
            yield from inside("".join(before[i:x]), "".join(after[j:y]))
        if x < len(before):
            yield Piece("both", before[x])
        i, j = x + 1, y + 1


def _common(old: Sequence[str], new: Sequence[str]) -> list[Pair] | None:
    """Return the pairs of positions that stay on a shortest edit path, or None past MAX_EDITS."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = _shortest(old[head : len(old) - tail], new[head : len(new) - tail])
    if middle is None:
        return None
    ends = [(len(old) - tail + k, len(new) - tail + k) for k in range(tail)]
    return [(k, k) for k in range(head)] + [(head + x, head + y) for x, y in middle] + ends


def _shortest(old: Sequence[str], new: Sequence[str]) -> list[Pair] | None:
    """Myers' greedy search: `reach[k]` is how far diagonal k (old − new position) was followed."""
    reach, trail = {1: 0}, []
    for edits in range(min(MAX_EDITS, len(old) + len(new)) + 1):
        trail.append(reach.copy())
        for k in range(-edits, edits + 1, 2):
            x = _step(reach, k, edits)
            while x < len(old) and x - k < len(new) and old[x] == new[x - k]:
                x += 1
            reach[k] = x
            if x >= len(old) and x - k >= len(new):
                return _walked_back(trail, len(old), len(new))
    return None


def _step(reach: dict[int, int], k: int, edits: int) -> int:
    """Return where diagonal k starts: one added unit after k+1, or one removed after k-1."""
    if k == -edits or (k != edits and reach[k - 1] < reach[k + 1]):
        return reach[k + 1]
    return reach[k - 1] + 1


def _walked_back(trail: list[dict[int, int]], x: int, y: int) -> list[Pair]:
    pairs: list[Pair] = []
    for edits in range(len(trail) - 1, -1, -1):
        reach, k = trail[edits], x - y
        start = _step(reach, k, edits)
        while x > max(start, 0) and y > max(start - k, 0):
            x, y = x - 1, y - 1
            pairs.append((x, y))
        came_from_added = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
        x, y = (x, y - 1) if came_from_added else (x - 1, y)
    return pairs[::-1]


def _smoothed(pieces: list[Piece]) -> list[Piece]:
    """Join neighbours; a lone space or mark between two changes counts as changed with them."""
    runs: list[Piece] = []
    removed = added = ""
    for place, piece in enumerate(pieces):
        if piece.side == "both" and not (
            (removed or added) and _lonely(piece.text) and _changes_at(pieces, place + 1)
        ):
            runs += _replaced(removed, added)
            removed = added = ""
            if runs and runs[-1].side == "both":
                runs[-1] = Piece("both", runs[-1].text + piece.text)
            else:
                runs.append(piece)
            continue
        removed += piece.text if piece.side != "new" else ""
        added += piece.text if piece.side != "old" else ""
    return [*runs, *_replaced(removed, added)]


def _lonely(text: str) -> bool:
    return not any(character.isalnum() for character in text)


def _changes_at(pieces: list[Piece], place: int) -> bool:
    return place < len(pieces) and pieces[place].side != "both"
