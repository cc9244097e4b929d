"""Archive and trash: put away, taken back, or pinned so that time does nothing to it (E5, E6)."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from memories import history
from memories.dispatch import nudge
from memories.errors import Invalid
from memories.inputs import short_text
from memories.lifecycle.deleting import drop_flags_of
from memories.lifecycle.locking import locked_memory
from memories.models.flag import Flag
from memories.models.memory import LIVE, Memory, MemoryVersion, Status
from memories.permissions import Actor
from memories.reading import seen_by
from memories.writing.quarantine import Doubt, open_quarantine
from memories.writing.store import hold_owner
from memories.writing.waiting import flag_contradictions

MAX_REASON = 300


def archive_memory(
    *, actor: Actor, memory_id: UUID, expected_version: int | None = None, reason: str = ""
) -> Memory:
    """Put a memory in use into cold storage and return it; archiving twice changes nothing more.

    Recall returns it only to who asks for the archive. What people were asked about it is settled.
    An agent archives only its own, and nothing that a person decides or decided on.

    Raises NotFound, NotAllowed, Stale, or Invalid for one that is not in use.
    """
    actor.require("write")
    reason = short_text(reason, "reason", MAX_REASON)
    with transaction.atomic(), history.together():
        memory = locked_memory(actor=actor, memory_id=memory_id, expected_version=expected_version)
        if memory.status != Status.ARCHIVED:
            _check_archivable(memory)
            put_away(memory, actor, verb="archived", reason=reason)
    return seen_by(actor, memory_id)


def put_away(
    memory: Memory,
    actor: Actor,
    *,
    verb: str,
    reason: str = "",
    data: Mapping[str, Any] | None = None,
) -> None:
    """Archive a locked memory; `verb` and `data` say in the log why."""
    history.change(
        memory, actor=actor, verb=verb, reason=reason, data=dict(data or {}), status=Status.ARCHIVED
    )
    drop_flags_of(memory, actor)


def restore_memory(
    *, actor: Actor, memory_id: UUID, expected_version: int | None = None, reason: str = ""
) -> Memory:
    """Take a memory out of the archive or the trash and return it; one in use stays as it is.

    From the archive it is active again. From the trash it becomes what it was: active, or archived,
    superseded or overturned as before; what was in quarantine waits there again. In use again, it
    is compared with its neighbours, has no date of expiry, and all days of the policy before it
    fades (aging.needed_at: a new version).

    For people. Raises NotAllowed, NotFound, Stale, or Invalid with what to do instead.
    """
    actor.require("decide")
    reason = short_text(reason, "reason", MAX_REASON)
    seen = seen_by(actor, memory_id)
    try:
        with transaction.atomic(), history.together():
            hold_owner(seen)
            memory = locked_memory(
                actor=actor, memory_id=memory_id, expected_version=expected_version
            )
            if memory.status not in LIVE:
                _take_back(memory, actor, reason)
    except IntegrityError as error:
        raise Invalid(
            _(
                "Another memory in use says exactly this. Leave this one where it is, or change or "
                "delete the other one first."
            )
        ) from error
    return seen_by(actor, memory_id)


def pin_memory(
    *, actor: Actor, memory_id: UUID, pinned: bool, expected_version: int | None = None
) -> Memory:
    """Pin a memory, or let it age again, and return it; doing it twice changes nothing more.

    A pinned one never fades, expires or is proposed for clean-up: a date of expiry and an open
    proposal go. For people. Raises NotAllowed, NotFound, Stale, or Invalid for one that is deleted
    or withheld.
    """
    actor.require("decide")
    with transaction.atomic(), history.together():
        memory = locked_memory(actor=actor, memory_id=memory_id, expected_version=expected_version)
        if memory.status == Status.DELETED:
            raise Invalid(_("This memory is deleted. Restore it before pinning it."))
        if memory.withheld:
            raise Invalid(_("This memory waits for a decision. Decide its review item first."))
        if memory.pinned != pinned:
            _pin(memory, actor, pinned=pinned)
    return seen_by(actor, memory_id)


def _check_archivable(memory: Memory) -> None:
    if memory.withheld and memory.status in LIVE:
        raise Invalid(_("This memory waits for a decision. Decide its review item first."))
    if memory.status not in LIVE:
        raise Invalid(
            _("Only memories in use can be archived; this one is %(status)s.")
            % {"status": memory.get_status_display()}
        )


def _pin(memory: Memory, actor: Actor, *, pinned: bool) -> None:
    verb = "pinned" if pinned else "unpinned"
    freed: dict[str, Any] = {"expires_at": None} if pinned else {}
    history.change(memory, actor=actor, verb=verb, pinned=pinned, **freed)
    if pinned:
        proposed = Flag.objects.open().filter(kind=Flag.Kind.CLEAN_UP, memory=memory)
        for flag in proposed.select_for_update():
            history.resolve(flag, actor=actor, resolution="withdrawn")


def _take_back(memory: Memory, actor: Actor, reason: str) -> None:
    """Give a locked memory the status that it comes back to, and what follows from it."""
    status = _status_to(memory)
    doubt = _doubt_about(memory) if memory.withheld and status == Status.ACTIVE else None
    if doubt is not None:
        status = Status.PENDING
    history.change(
        memory, actor=actor, verb="brought_back", reason=reason, status=status, expires_at=None
    )
    if doubt is not None:
        open_quarantine(memory, doubt, actor)
    if status in LIVE and memory.embedding is None:
        nudge("memories.embed_waiting")
    elif status == Status.ACTIVE:
        flag_contradictions(memory, actor, as_told=True)


def _status_to(memory: Memory) -> Status:
    """Return what a memory becomes: in use from the archive, what it was from the trash."""
    if memory.status == Status.ARCHIVED:
        return Status.ACTIVE
    if memory.status != Status.DELETED:
        raise Invalid(
            _(
                "Only what is in the archive or in the trash can be restored; this memory is "
                "%(status)s. Undo the decision that made it so."
            )
            % {"status": memory.get_status_display()}
        )
    kept = MemoryVersion.objects.filter(memory=memory).exclude(status=Status.DELETED)
    last = kept.order_by("-number").values_list("status", flat=True).first()
    return Status.ACTIVE if last in (None, *LIVE) else Status(last)


def _doubt_about(memory: Memory) -> Doubt:
    """Return why a withheld memory was in quarantine: no agent may see it before a person decides.

    Raises Invalid for the text of a merge proposal, which never was a memory of its own.
    """
    flags = Flag.objects.filter(kind=Flag.Kind.QUARANTINE, memory=memory)
    flag: Flag | None = flags.order_by("-id").first()
    if flag is None:
        raise Invalid(
            _(
                "This text was only proposed in place of others and never in use: it cannot be "
                "restored. Write it as a new memory, or propose the merge again."
            )
        )
    return Doubt(flag.reason, flag.evidence)
