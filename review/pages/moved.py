"""What changed under a person's hands: from the versions they saw to the present ones (G3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from memories.models.memory import MemoryVersion
from memories.text.diff import Piece, word_diff
from review.pages.present import Text

_TOLD = ("status", "confidence", "reflection", "subject", "kind", "source")


@dataclass(frozen=True, slots=True)
class Moved:
    """A text that is no longer the version that was seen: what it said then, against now."""

    text: Text
    seen: int
    by: str
    pieces: Sequence[Piece]
    altered: Sequence[tuple[str, Any, Any]]

    @property
    def reworded(self) -> bool:
        """Whether it says something else, not only counts as something else."""
        return any(piece.side != "both" for piece in self.pieces)


def moved_since(texts: Sequence[Text], versions: Sequence[int]) -> list[Moved]:
    """Return the texts whose versions are no longer those: one query, none when nothing moved."""
    if len(texts) != len(versions):
        return []
    gone = [(text, seen) for text, seen in zip(texts, versions, strict=True) if _moved(text, seen)]
    if not gone:
        return []
    wanted = Q()
    for text, seen in gone:
        wanted |= Q(memory=text.memory, number__in=(seen, text.memory.version))
    rows = MemoryVersion.objects.filter(wanted)
    found = {(row.memory_id, row.number): row for row in rows}
    return [
        _difference(text, was, found.get((text.memory.pk, text.memory.version)))
        for text, seen in gone
        if (was := found.get((text.memory.pk, seen)))
    ]


def _moved(text: Text, seen: int) -> bool:
    return text.memory.version != seen


def _difference(text: Text, was: MemoryVersion, now: MemoryVersion | None) -> Moved:
    memory = text.memory
    altered = [
        (name, getattr(was, name), getattr(memory, name))
        for name in _TOLD
        if getattr(was, name) != getattr(memory, name)
    ]
    by = now.actor_name if now else ""
    return Moved(text, was.number, by, word_diff(was.content, memory.content), altered)
