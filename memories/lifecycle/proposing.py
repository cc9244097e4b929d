"""Proposals that wait for a person: to merge fragments, to put a memory away (E4, E7)."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from memories import history
from memories.errors import Invalid
from memories.models.flag import Flag, FlagSource
from memories.models.memory import LIVE, Memory, Status
from memories.permissions import Actor
from memories.reading import missing
from memories.writing import draft
from memories.writing.store import hold_owner
from memories.writing.write import embedded

MOST_SOURCES = 20


def propose_merge(
    *,
    actor: Actor,
    memory_ids: Sequence[UUID],
    content: str,
    reason: str = "fragments",
    scores: Mapping[str, float] | None = None,
) -> Flag:
    """Propose one text in place of several live memories of one owner; a person decides (G1).

    The proposal is stored as pending and is not recalled beside its sources. Its confidence is the
    highest of theirs, no more (E8). Raises Invalid, NotFound or NotAllowed. Proposing the same
    memories again while a person has not decided returns the flag that waits.
    """
    actor.require("write")
    cleaned, _notes = draft.clean_content(content)
    ids = sorted(set(memory_ids))
    if not 2 <= len(ids) <= MOST_SOURCES:
        raise Invalid(
            _("Name 2 to %(most)d memories to merge.") % {"most": MOST_SOURCES}, field="memory_ids"
        )
    seen = _sources(actor, ids)
    proposal = embedded(_unsaved(seen, cleaned))
    with transaction.atomic(), history.together():
        hold_owner(proposal)
        return _open_between(seen) or _proposed(actor, ids, proposal, reason, scores or {})


def _sources(actor: Actor, ids: Sequence[UUID], *, lock: bool = False) -> list[Memory]:
    rows = Memory.objects.visible_to(actor).filter(pk__in=ids).order_by("pk")
    if lock:
        rows = rows.select_for_update(of=("self",))
    found = list(rows.defer("embedding", "keywords"))
    if len(found) != len(ids):
        raise missing()
    owners = {
        (m.user_id, m.visibility, m.agent_id if m.visibility == "private" else None) for m in found
    }
    if len(owners) != 1:
        raise Invalid(
            _("Only memories about the same user and with the same audience can be merged."),
            field="memory_ids",
        )
    if any(memory.status not in LIVE or memory.withheld for memory in found):
        raise Invalid(_("Only memories in use can be merged."), field="memory_ids")
    return found


def _unsaved(sources: Sequence[Memory], content: str) -> Memory:
    best = max(sources, key=lambda memory: memory.confidence)
    return Memory(
        space_id=best.space_id,
        user_id=best.user_id,
        agent_id=best.agent_id,
        visibility=best.visibility,
        kind=best.kind,
        subject=best.subject,
        tags=sorted({tag for memory in sources for tag in memory.tags})[: draft.MAX_TAGS],
        content=content,
        source=best.source,
        confidence=best.confidence,  # E8
        status=Status.PENDING,
        # Its sources are what agents recall until a person decides.
        withheld=True,
    )


def _open_between(sources: Sequence[Memory]) -> Flag | None:
    """Return the open proposal for exactly these memories, if any."""
    wanted = {memory.pk for memory in sources}
    opened = Flag.objects.open().filter(kind=Flag.Kind.MERGE, sources__memory=sources[0])
    for flag in opened.prefetch_related("sources"):
        if {source.memory_id for source in flag.sources.all()} == wanted:
            found: Flag = flag
            return found
    return None


def _proposed(
    actor: Actor, ids: Sequence[UUID], proposal: Memory, reason: str, scores: Mapping[str, Any]
) -> Flag:
    sources = _sources(actor, ids, lock=True)
    history.index(proposal)
    history.create([proposal], actor=actor, sources=[str(key) for key in ids])
    flag = history.open_flag(
        Flag(
            kind=Flag.Kind.MERGE,
            space_id=proposal.space_id,
            memory=proposal,
            memory_version=proposal.version,
            reason=reason,
            scores=dict(scores),
        ),
        actor=actor,
        verb="proposed",
    )
    FlagSource.objects.bulk_create(
        FlagSource(flag=flag, memory=memory, memory_version=memory.version) for memory in sources
    )
    return flag


def propose_clean_up(
    *,
    actor: Actor,
    memory_id: UUID,
    reason: str,
    scores: Mapping[str, float],
    evidence: Mapping[str, Any] | None = None,
) -> Flag:
    """Ask a person whether a memory in use is still worth keeping (E7); it stays in use meanwhile.

    Returns the flag, the one that waits already when there is one. `reason` is a code of
    review.kinds.clean_up. Raises NotFound or Invalid.
    """
    with transaction.atomic(), history.together():
        rows = Memory.objects.visible_to(actor).select_for_update(of=("self",))
        memory = rows.filter(pk=memory_id).first()
        if memory is None:
            raise missing()
        if memory.status not in LIVE:
            raise Invalid(_("Only memories in use can be proposed for clean-up."))
        waiting = Flag.objects.open().filter(kind=Flag.Kind.CLEAN_UP, memory=memory)
        return waiting.first() or history.open_flag(
            Flag(
                kind=Flag.Kind.CLEAN_UP,
                space_id=memory.space_id,
                memory=memory,
                memory_version=memory.version,
                reason=reason,
                scores=dict(scores),
                evidence=dict(evidence or {}),
            ),
            actor=actor,
            verb="proposed",
        )
