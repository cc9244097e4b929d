"""A new version of a memory, compared with its neighbours like a new statement."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from memories import history
from memories.errors import Invalid
from memories.inputs import MAX_NAME, one_of, short_text
from memories.lifecycle.locking import locked_memory
from memories.lifecycle.rebasing import rebase_flags
from memories.models.memory import LIVE, Kind, Memory, Status
from memories.permissions import Actor
from memories.policies import policy_for
from memories.reading import seen_by
from memories.writing import draft
from memories.writing.quarantine import Doubt, doubtful, lesson_against, open_quarantine
from memories.writing.store import hold_owner
from memories.writing.waiting import flag_contradictions
from memories.writing.write import embedded


def update_memory(
    *,
    actor: Actor,
    memory_id: UUID,
    expected_version: int,
    reason: str = "",
    content: str | None = None,
    kind: str | None = None,
    subject: str | None = None,
    reflection: str | None = None,
    tags: list[str] | None = None,
    metadata: dict[str, Any] | None = None,
    happened_at: datetime | None = None,
) -> Memory:
    """Change what is given (None leaves a field as it is) and return the memory's new version.

    A change that makes it suspicious puts it into quarantine (F2): it is `withheld` then.

    Raises Invalid, NotFound, NotAllowed, or Stale when `expected_version` is no longer current.
    """
    actor.require("write")
    reason = short_text(reason, "reason", 300)
    fields = _cleaned(
        content=content,
        kind=kind,
        subject=subject,
        reflection=reflection,
        tags=tags,
        metadata=metadata,
        happened_at=happened_at,
    )
    if not fields:
        raise Invalid(_("Nothing to change: give at least one field with its new value."))
    seen = seen_by(actor, memory_id)
    return restated(seen, fields, actor=actor, expected_version=expected_version, reason=reason)


def restated(
    seen: Memory,
    fields: dict[str, Any],
    *,
    actor: Actor,
    expected_version: int,
    reason: str,
    verb: str = "updated",
    data: dict[str, Any] | None = None,
) -> Memory:
    """Write cleaned fields as the next version of a memory and return it as the actor sees it.

    The one path by which a memory comes to say something else; raises as update_memory() does.
    `data` goes into the audit log beside what changed.
    """
    # Embed before the transaction: nothing waits for a model while holding a lock.
    fields = fields | _embedding_of(seen, fields)
    try:
        with transaction.atomic():
            hold_owner(seen)
            memory = locked_memory(
                actor=actor, memory_id=seen.pk, expected_version=expected_version
            )
            _write(memory, actor, fields, verb=verb, reason=reason, data=data)
    except IntegrityError as error:
        raise Invalid(_("Another memory already says exactly this."), field="content") from error
    # Whoever put it into quarantine by this very change is told so; from now on no agent sees it.
    return memory if memory.withheld else seen_by(actor, seen.pk)


def _write(memory: Memory, actor: Actor, fields: dict[str, Any], **told: Any) -> None:
    if memory.status == Status.DELETED:
        raise Invalid(_("This memory is deleted. Restore it before changing it."))
    in_use = memory.status in LIVE and not memory.withheld
    doubt = _doubt(memory, actor, fields) if in_use else None
    held: dict[str, Any] = {"status": Status.PENDING, "withheld": True} if doubt else {}
    history.change(memory, actor=actor, **told, **fields, **held)
    if "content" in fields:
        rebase_flags(memory, actor)
    if doubt is not None:
        open_quarantine(memory, doubt, actor)
    elif "content" in fields and memory.embedding is not None:
        flag_contradictions(memory, actor)


def _doubt(memory: Memory, actor: Actor, fields: dict[str, Any]) -> Doubt | None:
    """Screen what is new in it; what it says already people may have let pass."""
    said = Memory(
        pk=memory.pk,
        space_id=memory.space_id,
        user_id=memory.user_id,
        agent_id=memory.agent_id,
        visibility=memory.visibility,
        **fields,
    )
    doubt = doubtful(said, actor, policy_for(memory.space_id)[1].writing)
    if doubt is not None or "content" not in fields:
        return doubt
    history.index(said)
    return lesson_against(said, actor)


_CLEANERS: dict[str, Callable[[Any], Any]] = {
    "content": lambda value: draft.clean_content(value)[0],
    "kind": lambda value: one_of(value, Kind.values, "kind"),
    "subject": lambda value: short_text(value, "subject", MAX_NAME),
    "reflection": lambda value: short_text(value, "reflection", draft.MAX_REFLECTION),
    "tags": lambda value: list(draft.clean_tags(value)),
    "metadata": draft.clean_metadata,
    "happened_at": draft.clean_time,
}


def _cleaned(**given: Any) -> dict[str, Any]:
    return {name: _CLEANERS[name](value) for name, value in given.items() if value is not None}


def _embedding_of(seen: Memory, fields: dict[str, Any]) -> dict[str, Any]:
    if "content" not in fields or fields["content"] == seen.content:
        return {}
    said = {"content": seen.content, "happened_at": seen.happened_at} | fields
    fresh = embedded(Memory(space_id=seen.space_id, **said))
    return {"embedding": fresh.embedding, "embedding_model": fresh.embedding_model}
