"""Two versions side by side, and restore_version(): what was said once is said again (E1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, Value, Window
from django.db.models.functions import Lag
from django.utils.translation import gettext as _

from memories.errors import Invalid, NotFound
from memories.inputs import short_text
from memories.lifecycle.updating import restated
from memories.models.memory import STATED_FIELDS, Memory, MemoryVersion
from memories.permissions import Actor
from memories.reading import get_memory, seen_by, told_of
from memories.text.blame import blame
from memories.text.diff import Piece, word_diff

# What a version said. How far it was believed and what became of it is no part of that: both
# follow from who said it and what was decided since.
SAID = ("content", "kind", "subject", "reflection", "tags", "metadata", "happened_at")
# Texts are compared word by word, the rest as a whole.
_TEXTS = ("content", "reflection")
COMPARED = tuple(name for name in (*STATED_FIELDS, "pinned", "withheld") if name not in _TEXTS)


@dataclass(frozen=True, slots=True)
class Altered:
    """A field that differs between two versions."""

    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions of a memory: what became of its texts, and which other fields differ."""

    older: MemoryVersion
    newer: MemoryVersion
    content: Sequence[Piece]
    reflection: Sequence[Piece]
    altered: Sequence[Altered]


def compare_versions(*, actor: Actor, memory_id: UUID, older: int, newer: int) -> Comparison:
    """Compare any two versions by number, in the order given; raises NotFound."""
    memory = get_memory(actor=actor, memory_id=memory_id)
    return compared(version_of(actor, memory, older), version_of(actor, memory, newer))


def compared(older: MemoryVersion, newer: MemoryVersion) -> Comparison:
    """Return what became of one version by the time of the other."""
    return Comparison(
        older=older,
        newer=newer,
        content=word_diff(older.content, newer.content),
        reflection=word_diff(older.reflection, newer.reflection),
        altered=[
            Altered(name, getattr(older, name), getattr(newer, name))
            for name in COMPARED
            if getattr(older, name) != getattr(newer, name)
        ],
    )


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence of a memory's present text, and the version since which it has been there."""

    text: str
    version: MemoryVersion


def blame_of(*, actor: Actor, memory: Memory) -> list[Told]:
    """Return who said each sentence of a memory that the actor sees, in reading order."""
    before = Window(Lag("content", default=Value("")), order_by="number")
    # Most versions change something else: only those that changed the text are read.
    rows = told_of(actor, memory).annotate(before=before).exclude(content=F("before"))
    versions = list(rows.order_by("number"))
    found = blame([version.content for version in versions])
    return [Told(one.text, versions[one.since]) for one in found]


def restore_version(
    *, actor: Actor, memory_id: UUID, number: int, expected_version: int, reason: str = ""
) -> Memory:
    """Say again what version `number` said, as a new version, and return the memory.

    It is screened, embedded and compared like any other change. Agents restore only their own.

    Raises Invalid (also when nothing would change, or the memory is deleted), NotFound, NotAllowed,
    or Stale when `expected_version` is no longer current.
    """
    actor.require("write")
    reason = short_text(reason, "reason", 300)
    seen = seen_by(actor, memory_id)
    version = version_of(actor, seen, number)
    fields = {name: getattr(version, name) for name in SAID}
    fields = {name: value for name, value in fields.items() if value != getattr(seen, name)}
    if not fields and seen.version == expected_version:
        raise Invalid(_("The memory says exactly this already."), field="number")
    return restated(
        seen,
        fields,
        actor=actor,
        expected_version=expected_version,
        reason=reason,
        verb="restored",
        data={"from": number},
    )


def version_of(actor: Actor, memory: Memory, number: int) -> MemoryVersion:
    """Return one version of a memory that the actor sees, or raise NotFound."""
    found = told_of(actor, memory).filter(number=number).first()
    if found is None:
        raise NotFound(
            _("This memory has no version %(number)d.") % {"number": number}, field="number"
        )
    return found
