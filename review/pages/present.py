"""What the pages show of a flag, made ready for the templates."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.text import Truncator

from memories.models.flag import Flag
from memories.models.memory import Memory
from memories.permissions import Actor
from memories.text.diff import Piece, sentences, word_diff
from review.claims import claimed_by_other
from review.models import Claim
from review.pages.reasons import reason_sentence, short_reason

# How much of a text the queue shows.
SHORT = 160


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the queue: the beginnings of both texts compared. `claim` is someone else's."""

    flag: Flag
    reason: str
    sentence: str
    pieces: Sequence[Piece]
    claim: Claim | None


@dataclass(frozen=True, slots=True)
class Text:
    """One of the two texts of a flag. `flagged` is the version that was compared."""

    side: str
    memory: Memory
    flagged: int | None

    @property
    def changed(self) -> bool:
        """Whether it is no longer the text that was flagged."""
        return self.flagged != self.memory.version


@dataclass(frozen=True, slots=True)
class Item:
    """A flag with everything a person needs in order to decide."""

    flag: Flag
    sentence: str
    reason: str
    texts: Sequence[Text]
    pieces: Sequence[Piece]
    scores: Sequence[tuple[str, float]]
    draft: str


def rows_of(flags: Iterable[Flag], actor: Actor) -> list[Row]:
    """Return the queue's lines for flags that were loaded with their claims."""
    return [_row(flag, actor) for flag in flags]


def _row(flag: Flag, actor: Actor) -> Row:
    new = _beginning(flag.memory)
    old = _beginning(flag.counterpart) if flag.counterpart else new
    return Row(
        flag=flag,
        reason=short_reason(flag),
        sentence=reason_sentence(flag),
        pieces=word_diff(old, new),
        claim=claimed_by_other(flag, actor),
    )


def _beginning(memory: Memory) -> str:
    return Truncator(memory.content).chars(SHORT)


def item_of(flag: Flag) -> Item:
    """Return a flag's page; one about a single memory has one text and no differences."""
    new, old = flag.memory, flag.counterpart
    texts = [Text("new", new, flag.memory_version)]
    if old is not None:
        texts.insert(0, Text("old", old, flag.counterpart_version))
    before = old.content if old else new.content
    return Item(
        flag=flag,
        sentence=reason_sentence(flag),
        reason=short_reason(flag),
        texts=texts,
        pieces=word_diff(before, new.content),
        scores=sorted((name, float(value)) for name, value in flag.scores.items()),
        draft=merge_draft(before, new.content),
    )


def merge_draft(old: str, new: str) -> str:
    """Return where a merge starts: the new text, then the old sentences that it does not have."""
    have = {sentence.strip() for sentence in sentences(new)}
    missing = [part.strip() for part in sentences(old) if part.strip() not in have]
    return "\n".join([new.strip(), *(part for part in missing if part)])
