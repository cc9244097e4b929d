"""Store or flag: what a judgement does to the rows. Runs inside the caller's transaction."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import connection
from django.db.models import Q
from django.utils.translation import gettext as _

from memories import history
from memories.dispatch import nudge
from memories.models.flag import Flag
from memories.models.memory import Memory, Status
from memories.permissions import Actor
from memories.policies import WritingPolicy
from memories.reading import is_disputed
from memories.writing.draft import Draft
from memories.writing.judge import Judgement, Related, judge
from memories.writing.neighbours import exact
from memories.writing.result import Outcome, WriteResult


def store(memory: Memory, draft: Draft, actor: Actor, policy: WritingPolicy) -> WriteResult:
    """Compare an unsaved memory with its owner's others and write what follows from it."""
    hold_owner(memory)
    history.index(memory)
    same = exact(memory)
    if same is not None:
        return _repeat(same, memory, actor, Outcome.DUPLICATE, _("This is already known."))
    judgement = judge(memory, policy)
    if judgement.repeats is not None:
        known = judgement.repeats.old
        reason = _("This says what is already known; the known memory was reinforced.")
        return _repeat(known, memory, actor, Outcome.REINFORCED, reason)
    return _keep(memory, draft, judgement, actor)


def hold_owner(memory: Memory) -> None:
    """Let one write at a time compare and store for an owner, until the transaction ends.

    Without it two opposite statements written at the same moment would not see one another.
    """
    owner = f"{memory.space_id}/{memory.user_id}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [owner])


def open_flags(conflicts: Iterable[Related], actor: Actor) -> tuple[Flag, ...]:
    """Return an open review item for each contradiction, the one that is there or a new one."""
    return tuple(_open_between(pair) or _open_flag(pair, actor) for pair in conflicts)


def open_pending(
    memory: Memory,
    actor: Actor,
    *,
    reason: str,
    scores: Mapping[str, float],
    evidence: Mapping[str, Any],
) -> Flag:
    """Return the open review item of a memory stored as pending, the one there or a new one.

    It stays pending until a person decides (B5). `reason` is a code that review.pages.reasons puts
    in words, from `scores` where it can: "confidence" and, as what was needed, "store_from".
    """
    waiting = Flag.objects.open().filter(kind=Flag.Kind.PENDING, memory=memory)
    known: Flag | None = waiting.first()
    if known is not None:
        return known
    flag: Flag = Flag.objects.create(
        kind=Flag.Kind.PENDING,
        space_id=memory.space_id,
        memory=memory,
        memory_version=memory.version,
        reason=reason,
        scores=dict(scores),
        evidence=dict(evidence),
    )
    history.log(actor, "doubted", memory, flag=str(flag.pk), reason=reason)
    return flag


def _open_between(pair: Related) -> Flag | None:
    """Return the open conflict of a pair, whichever of the two was compared first."""
    both = Q(memory=pair.new, counterpart=pair.old) | Q(memory=pair.old, counterpart=pair.new)
    flag: Flag | None = Flag.objects.open().filter(both, kind=Flag.Kind.CONFLICT).first()
    return flag


def _open_flag(pair: Related, actor: Actor) -> Flag:
    flag: Flag = Flag.objects.create(
        kind=Flag.Kind.CONFLICT,
        space_id=pair.new.space_id,
        memory=pair.new,
        counterpart=pair.old,
        memory_version=pair.new.version,
        counterpart_version=pair.old.version,
        reason=pair.verdict.reason,
        scores=dict(pair.verdict.scores),
        evidence={"detail": pair.verdict.detail},
    )
    history.log(actor, "flagged", pair.new, flag=str(flag.pk), against=str(pair.old.pk))
    return flag


def _keep(memory: Memory, draft: Draft, judgement: Judgement, actor: Actor) -> WriteResult:
    if judgement.conflicts:
        memory.status = Status.PENDING
    history.create([memory], actor=actor, notes=list(draft.notes))
    flags = open_flags(judgement.conflicts, actor)
    degraded = memory.embedding is None
    if degraded:
        nudge("memories.embed_waiting")
    if flags:
        reason = _("This contradicts what is known: both are kept as disputed, a person decides.")
        return WriteResult(Outcome.FLAGGED, memory, reason, flags, degraded)
    return WriteResult(Outcome.CREATED, memory, _("Stored."), (), degraded)


def _repeat(
    known: Memory, said: Memory, actor: Actor, outcome: Outcome, reason: str
) -> WriteResult:
    """Let a repetition strengthen what is known; its own words stay in the log."""
    rows = Memory.objects.annotate(disputed=is_disputed()).select_for_update(of=("self",))
    locked = rows.get(pk=known.pk)
    data = {"said": said.content, "source": said.source, "confidence": said.confidence}
    if said.confidence > locked.confidence:
        history.change(
            locked,
            actor=actor,
            verb="reinforced",
            data=data,
            confidence=said.confidence,
            source=said.source,
        )
    else:
        history.log(actor, "reinforced", locked, **data)
    return WriteResult(outcome, locked, reason, degraded=said.embedding is None)
