"""What the pages show of a flag, made ready for the templates."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from memories.models.flag import Flag, FlagSource
from memories.models.memory import Memory
from memories.permissions import Actor
from memories.policies import ReviewPolicy
from memories.reading import memories_of
from memories.text.clean import unhidden
from memories.text.diff import Piece, sentences, word_diff
from memories.writing.screen import hidden
from review.kinds import reason_sentence, short_reason
from review.pages.background import Past, pasts_of


@dataclass(frozen=True, slots=True)
class Text:
    """One of a flag's texts. `side` is "new", "old", "proposal", "source" or "only"; `flagged` is
    the version that was compared; `pieces` are its text against the other one's."""

    side: str
    memory: Memory
    flagged: int | None
    pieces: Sequence[Piece]
    past: Past

    @property
    def changed(self) -> bool:
        """Whether it is no longer the text that was flagged."""
        return self.flagged != self.memory.version


@dataclass(frozen=True, slots=True)
class Item:
    """A flag with its texts, in the order in which decide() wants their versions."""

    flag: Flag
    sentence: str
    reason: str
    texts: Sequence[Text]
    scores: Sequence[tuple[str, float]]
    draft: str

    @property
    def new(self) -> Text:
        """The text that the flag was opened for."""
        return self.texts[0]

    @property
    def others(self) -> Sequence[Text]:
        """What it stands against: the old one, or the sources of a proposal."""
        return self.texts[1:]

    @property
    def versions(self) -> str:
        """The versions on the page, as its form sends them back."""
        return " ".join(str(text.memory.version) for text in self.texts)


def item_of(flag: Flag, actor: Actor, policy: ReviewPolicy) -> Item:
    """Return a flag of review.queue with its texts and their past: a fixed number of queries."""
    sources = _sources(flag, actor) if flag.kind == Flag.Kind.MERGE else []
    others = [(flag.counterpart, flag.counterpart_version)] if flag.counterpart else sources
    memories = [flag.memory, *(memory for memory, _version in others)]
    pasts = pasts_of(actor, memories, policy.credibility)
    new = flag.memory.content
    first, other = ("proposal", "source") if sources else ("new" if others else "only", "old")
    texts = [
        Text(other, memory, version, word_diff(memory.content, new), pasts[memory.pk])
        for memory, version in others
    ]
    # A proposal stands against many: each of them shows what it leaves out.
    pieces = texts[0].pieces if flag.counterpart else []
    texts.insert(0, Text(first, flag.memory, flag.memory_version, pieces, pasts[flag.memory_id]))
    return Item(
        flag=flag,
        sentence=reason_sentence(flag),
        reason=short_reason(flag),
        texts=texts,
        scores=sorted((name, float(value)) for name, value in flag.scores.items()),
        draft=_draft(merge_draft(flag.counterpart.content, new) if flag.counterpart else new),
    )


def _draft(text: str) -> str:
    """Return where a person's own text starts: what hides in it is not approved by oversight."""
    return unhidden(text) if hidden(text) else text


def _sources(flag: Flag, actor: Actor) -> list[tuple[Memory, int]]:
    """Return what a proposal would stand in for, with the versions that were proposed about."""
    rows = FlagSource.objects.filter(flag=flag).values_list("memory_id", "memory_version")
    versions: dict[UUID, int] = dict(rows)
    found = memories_of(actor).filter(pk__in=versions).order_by("pk")
    return [(memory, versions[memory.pk]) for memory in found]


def merge_draft(old: str, new: str) -> str:
    """Return where a merge starts: the new text, then the old sentences that it does not have."""
    have = {sentence.strip() for sentence in sentences(new)}
    missing = [part.strip() for part in sentences(old) if part.strip() not in have]
    return "\n".join([new.strip(), *(part for part in missing if part)])
