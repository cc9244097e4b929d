"""Which version said this: since when each sentence of a text has been there. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memories.text.diff import sentences


@dataclass(frozen=True, slots=True)
class Blamed:
    """A sentence as it stands in the newest text, and the place of the text that brought it."""

    text: str
    since: int


def blame(texts: Sequence[str]) -> list[Blamed]:
    """Return the sentences of the newest text, each with the place in `texts` since which every
    text has had it; `texts` go from the oldest to the newest.

    A sentence that only moved was there all along; of one said twice the second time counts for
    itself. Joined, the sentences are the newest text again.
    """
    if not texts:
        return []
    since: dict[tuple[str, int], int] = {}
    for place, text in enumerate(texts):
        if place and text == texts[place - 1]:
            continue
        said = Counter(_bare(sentence) for sentence in sentences(text))
        turns = {(bare, turn) for bare, count in said.items() for turn in range(count)}
        since = {one: since.get(one, place) for one in turns}
    return _named(texts[-1], since)


def _named(text: str, since: dict[tuple[str, int], int]) -> list[Blamed]:
    met: Counter[str] = Counter()
    found = []
    for sentence in sentences(text):
        bare = _bare(sentence)
        found.append(Blamed(sentence, since[bare, met[bare]]))
        met[bare] += 1
    return found


def _bare(sentence: str) -> str:
    """A sentence is the same at the end of a text, where no space follows it."""
    return sentence.strip()
