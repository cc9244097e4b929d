"""A memory that is about to change: found, locked, and still what the actor believes it is."""

from collections.abc import Iterable
from uuid import UUID

from django.utils.translation import gettext as _

from memories.errors import NotAllowed, Stale
from memories.models.flag import Flag
from memories.models.memory import Memory, Status
from memories.permissions import Actor
from memories.reading import missing


def hold_near(keys: Iterable[UUID]) -> None:
    """Lock memories and those that open flags about them speak of, by id.

    What becomes of a memory may release or withdraw the other side of a flag about it. Locked one
    by one, two decisions about each other's memories would wait for one another.
    """
    wanted = set(keys)
    pairs = Flag.objects.open().about(*wanted).values_list("memory_id", "counterpart_id")
    wanted.update(key for pair in pairs for key in pair if key is not None)
    # A lock that lets others refer to the row: opening a flag about it does not wait.
    rows = Memory.objects.select_for_update(no_key=True).filter(pk__in=wanted).order_by("pk")
    list(rows.values_list("pk"))


def locked_memory(*, actor: Actor, memory_id: UUID, expected_version: int | None) -> Memory:
    """Return the locked row, or raise NotFound, NotAllowed, or Stale with its present state."""
    hold_near([memory_id])
    memory: Memory | None = (
        Memory.objects.visible_to(actor)
        .select_for_update(of=("self",), no_key=True)
        .filter(pk=memory_id)
        .first()
    )
    if memory is None:
        raise missing()
    _agents_keep_off(memory, actor)
    if expected_version is not None and memory.version != expected_version:
        raise Stale(
            _("The memory was changed meanwhile: it is now version %(version)d. Read it again.")
            % {"version": memory.version},
            field="expected_version",
            version=memory.version,
            content=memory.content,
            status=memory.status,
        )
    return memory


def _agents_keep_off(memory: Memory, actor: Actor) -> None:
    """An agent changes only its own words, and none that a person decides or decided on (F5)."""
    if actor.kind != "agent":
        return
    if memory.agent_id != actor.id:
        raise NotAllowed(
            _(
                "Another agent or a person wrote this memory. Write what you know as a new memory: "
                "a contradiction is then put to a person."
            )
        )
    if memory.confirmed_at is not None:
        raise NotAllowed(
            _("A person confirmed this memory. Write what you know as a new memory instead.")
        )
    if memory.pinned:
        raise NotAllowed(
            _("A person pinned this memory. Write what you know as a new memory instead.")
        )
    if memory.status == Status.DELETED:
        return
    if memory.status != Status.ACTIVE or _has_open_flag(memory):
        raise NotAllowed(
            _(
                "This memory is disputed, replaced or put away: a person decides about it. "
                "Write what you know as a new memory instead."
            )
        )


def _has_open_flag(memory: Memory) -> bool:
    opened = Flag.objects.open()
    return opened.filter(memory=memory).exists() or opened.filter(counterpart=memory).exists()
