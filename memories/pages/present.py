"""A memory's page, made ready for its template: its history, and what it took part in."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from memories.lifecycle.exporting import flags_about
from memories.lifecycle.versions import Altered, compared
from memories.models.event import Event
from memories.models.flag import Flag
from memories.models.memory import Memory, MemoryVersion
from memories.permissions import Actor
from memories.reading import events_of, memories_of, versions_of
from memories.text.diff import Piece

# A page shows this many versions, and says where the older ones are.
STEPS = 20
# Of what else happened it shows the newest, and says so.
MOST = 50


@dataclass(frozen=True, slots=True)
class Step:
    """A version and what it changed; no pieces of a text that stayed as it was."""

    version: MemoryVersion
    pieces: Sequence[Piece]
    reflection: Sequence[Piece] = ()
    altered: Sequence[Altered] = ()


@dataclass(frozen=True, slots=True)
class History:
    """Everything a memory's page tells beside its present state."""

    steps: Sequence[Step]
    older_than: int | None
    events: Sequence[Event]
    flags: Sequence[Flag]
    replaces: Sequence[Memory]
    replaced_by: Memory | None
    most: int = MOST


def history_of(memory: Memory, actor: Actor, *, before: int | None = None) -> History:
    """Return a memory's history as far as this actor may see it: versions up to `before` − 1.

    `older_than` is the `before` of the versions that did not fit, None when all did.
    """
    versions = versions_of(actor=actor, memory_id=memory.pk)
    if before is not None:
        versions = versions.filter(number__lt=before)
    # One more than is shown, because a step is the difference between two.
    taken = list(versions[: STEPS + 1])
    near = memories_of(actor)
    by = memory.replaced_by_id
    return History(
        steps=_steps(taken)[:STEPS],
        older_than=taken[STEPS - 1].number if len(taken) > STEPS else None,
        events=list(events_of(actor=actor, memory_id=memory.pk)[:MOST]),
        flags=list(flags_about(actor, memory)[:MOST]),
        replaces=list(near.filter(replaced_by=memory).order_by("-id")[:MOST]),
        replaced_by=near.filter(pk=by).first() if by else None,
    )


def _steps(versions: Sequence[MemoryVersion]) -> list[Step]:
    steps = [_step(newer, older) for newer, older in pairwise(versions)]
    if versions and versions[-1].number == 1:
        steps.append(Step(versions[-1], [Piece("both", versions[-1].content)]))
    return steps


def _step(newer: MemoryVersion, older: MemoryVersion) -> Step:
    found = compared(older, newer)
    return Step(newer, _moved(found.content), _moved(found.reflection), found.altered)


def _moved(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """Return a word diff, or nothing where both texts are the same."""
    return pieces if any(piece.side != "both" for piece in pieces) else ()
