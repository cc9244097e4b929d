"""Store or flag: what a judgement does to the rows. Runs inside the caller's transaction."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import connection
from django.db.models import Q
from django.utils.translation import gettext as _

from memories import history
from memories.dispatch import nudge
from memories.models.flag import Flag
from memories.models.memory import Memory, MemoryVersion, Status
from memories.permissions import Actor
from memories.policies import WritingPolicy
from memories.reading import is_disputed
from memories.writing.draft import Draft
from memories.writing.judge import Judgement, Related, judge
from memories.writing.known import Known
from memories.writing.neighbours import exact
from memories.writing.quarantine import (
    Doubt,
    doubtful,
    lesson_against,
    open_quarantine,
    waiting_like,
    withheld,
)
from memories.writing.result import Outcome, WriteResult

Kind = Flag.Kind


def store(memory: Memory, draft: Draft, actor: Actor, policy: WritingPolicy) -> WriteResult:
    """Screen an unsaved memory, compare it with its owner's others, write what follows from it."""
    hold_owner(memory)
    history.index(memory)
    doubt = doubtful(memory, actor, policy)
    if doubt is None and Known([memory], policy).nothing_like(memory):
        return _keep(memory, draft, Judgement(), actor)
    return weighed(memory, draft, doubt, actor, policy)


def weighed(
    memory: Memory, draft: Draft, doubt: Doubt | None, actor: Actor, policy: WritingPolicy
) -> WriteResult:
    """Do what follows for an indexed memory, its owner held, that is in doubt or like others."""
    if doubt is not None:
        return _quarantined(memory, draft, doubt, actor)
    same = exact(memory)
    if same is not None:
        return _repeat(same, memory, actor, Outcome.DUPLICATE, _("This is already known."))
    judgement = judge(memory, policy)
    if judgement.repeats is not None:
        known = judgement.repeats.old
        reason = _("This says what is already known; the known memory was reinforced.")
        return _repeat(known, memory, actor, Outcome.REINFORCED, reason)
    lesson = lesson_against(memory, actor)
    if lesson is not None:
        return _quarantined(memory, draft, lesson, actor)
    return _keep(memory, draft, judgement, actor)


def hold_owner(memory: Memory) -> None:
    """Let one write at a time compare and store for an owner, until the transaction ends.

    Without it two opposite statements written at the same moment would not see one another.
    """
    hold_owners([memory])


def hold_owners(memories: Iterable[Memory]) -> None:
    """Hold the owner of each memory, in one order: two that hold several never block each other."""
    owners = sorted({f"{memory.space_id}/{memory.user_id}" for memory in memories})
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(owner, 0))"
            " FROM unnest(%s::text[]) AS owner",
            [owners],
        )


def open_flags(conflicts: Iterable[Related], actor: Actor) -> tuple[Flag, ...]:
    """Return an open review item for each contradiction, the one that is there or a new one."""
    return tuple(_between(pair, Kind.CONFLICT) or _open_flag(pair, actor) for pair in conflicts)


def open_conflict(pair: Related, actor: Actor) -> Flag | None:
    """Ask a person about two stored memories that contradict one another (E3).

    None when a person is asked already, or said that these very texts are both true.
    """
    if _between(pair, Kind.CONFLICT) is not None or told_apart(pair, Kind.CONFLICT):
        return None
    return _open_flag(pair, actor)


def open_near_duplicate(pair: Related, actor: Actor) -> Flag | None:
    """Ask a person whether two stored memories are one (B7).

    None when people said already that these very texts differ.
    """
    known = _between(pair, Kind.NEAR_DUPLICATE)
    if known is not None or told_apart(pair, Kind.NEAR_DUPLICATE):
        return known
    flag = _flag(pair, Kind.NEAR_DUPLICATE)
    # Two on one subject may be less alike than what else counts as the same.
    flag.reason = flag.reason if pair.verdict.kind == "duplicate" else "similarity"
    return history.open_flag(flag, actor=actor, verb="resembled", against=str(pair.old.pk))


def open_pending(
    memory: Memory,
    actor: Actor,
    *,
    reason: str,
    scores: Mapping[str, float],
    evidence: Mapping[str, Any],
) -> Flag:
    """Return the open review item of a memory stored as pending, the one there or a new one.

    It stays pending until a person decides (B5). `reason` is a code that review.kinds.pending puts
    in words, from `scores` where it can: "confidence" and, as what was needed, "store_from".
    """
    waiting = Flag.objects.open().filter(kind=Kind.PENDING, memory=memory)
    known: Flag | None = waiting.first()
    if known is not None:
        return known
    flag = Flag(
        kind=Kind.PENDING,
        space_id=memory.space_id,
        memory=memory,
        memory_version=memory.version,
        reason=reason,
        scores=dict(scores),
        evidence=dict(evidence),
    )
    return history.open_flag(flag, actor=actor, verb="doubted", reason=reason)


def _between(pair: Related, kind: Flag.Kind) -> Flag | None:
    """Return the open flag of a pair, whichever of the two was compared first."""
    flag: Flag | None = Flag.objects.open().filter(_of(pair), kind=kind).first()
    return flag


def _of(pair: Related) -> Q:
    one, other = Q(memory=pair.new, counterpart=pair.old), Q(memory=pair.old, counterpart=pair.new)
    return one | other


_APART = {Kind.NEAR_DUPLICATE: "different", Kind.CONFLICT: "both_true"}


def told_apart(pair: Related, kind: Flag.Kind) -> bool:
    """Whether people decided that both hold when both said what they say now."""
    decided = Flag.objects.filter(_of(pair), kind=kind, resolution=_APART[kind])
    says_now = {pair.new.pk: pair.new.content, pair.old.pk: pair.old.content}
    for flag in decided:
        of_both = Q(memory_id=flag.memory_id, number=flag.memory_version) | Q(
            memory_id=flag.counterpart_id, number=flag.counterpart_version
        )
        said_then = MemoryVersion.objects.filter(of_both).values_list("memory_id", "content")
        if dict(said_then) == says_now:
            return True
    return False


def _flag(pair: Related, kind: Flag.Kind) -> Flag:
    return Flag(
        kind=kind,
        space_id=pair.new.space_id,
        memory=pair.new,
        counterpart=pair.old,
        memory_version=pair.new.version,
        counterpart_version=pair.old.version,
        reason=pair.verdict.reason,
        scores=dict(pair.verdict.scores),
        evidence={"detail": pair.verdict.detail},
    )


def _open_flag(pair: Related, actor: Actor) -> Flag:
    flag = _flag(pair, Kind.CONFLICT)
    return history.open_flag(flag, actor=actor, verb="flagged", against=str(pair.old.pk))


def _quarantined(memory: Memory, draft: Draft, doubt: Doubt, actor: Actor) -> WriteResult:
    """Keep a memory from every agent; the same text while it waits is no second item."""
    known = waiting_like(memory)
    if known is not None:
        said = as_said(withheld(memory), known.memory)
        return WriteResult(Outcome.FLAGGED, said, doubt.sentence, (known,))
    history.create([withheld(memory)], actor=actor, notes=list(draft.notes))
    flag = open_quarantine(memory, doubt, actor)
    degraded = memory.embedding is None
    if degraded:
        nudge("memories.embed_waiting")
    return WriteResult(Outcome.FLAGGED, memory, doubt.sentence, (flag,), degraded)


def as_said(memory: Memory, known: Memory) -> Memory:
    """Return what was just said under the id of the withheld memory that holds it.

    An answer may repeat its writer's words, but what else is withheld nobody is shown.
    """
    for name in ("pk", "version", "created_at", "updated_at"):
        setattr(memory, name, getattr(known, name))
    return memory


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
    return created(memory)


def created(memory: Memory) -> WriteResult:
    """Return what the writer of a new memory is told."""
    reason = _("Stored.")
    return WriteResult(Outcome.CREATED, memory, reason, degraded=memory.embedding is None)


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
