"""undo(): what one operation changed becomes again what it was; history only grows (E1, G3).

undo_at() does so for one memory: what a job's run changed is too much for one transaction.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from memories import history
from memories.dispatch import nudge
from memories.embedding.client import EmbedderDown
from memories.embedding.spaces import embed_for
from memories.errors import Stale
from memories.lifecycle.locking import hold_near
from memories.lifecycle.rebasing import rebase_flags
from memories.models.flag import Flag, FlagSource
from memories.models.memory import (
    KEPT_FIELDS,
    LIVE,
    STATED_FIELDS,
    WIDE,
    Memory,
    MemoryVersion,
    Status,
)
from memories.permissions import Actor
from memories.text.index import embedded_text

Embeddings = Mapping[UUID, tuple[list[float], str]]
# What a version keeps of a memory, and undoing brings back.
RESTORED = (*STATED_FIELDS, *KEPT_FIELDS)


@dataclass(frozen=True, slots=True)
class Step:
    """What an operation did to one memory: from the last version before it to its own last."""

    memory_id: UUID
    before: MemoryVersion | None
    after: int


def returning_texts(operation: UUID, only: Collection[UUID] | None = None) -> Embeddings:
    """Embed the texts that undoing an operation (on `only` these memories) brings back; without
    the embedder none.

    For undo(), and outside its transaction: nothing waits for a model while holding a lock.
    """
    texts: dict[UUID, str] = {}
    steps = steps_of(operation, only)
    rows = Memory.objects.defer(*WIDE).in_bulk([step.memory_id for step in steps])
    for step in steps:
        memory = rows.get(step.memory_id)
        if memory is None or step.before is None or not _as_left(memory, step):
            continue  # nothing comes back
        if step.before.content != memory.content:
            memory.content = step.before.content
            texts[step.memory_id] = embedded_text(memory)
            space_id = memory.space_id
    if not texts:
        return {}
    try:
        answer = embed_for(space_id, list(texts.values()))
    except EmbedderDown:
        return {}
    return {key: (vector, answer.model) for key, vector in zip(texts, answer.vectors, strict=True)}


def undo(
    *, actor: Actor, operation: UUID, embeddings: Embeddings, reason: str = ""
) -> tuple[UUID, ...]:
    """Give every memory of an operation a new version that says what it said before, reopen the
    flags it resolved, withdraw those it opened, and return the memories' ids.

    A text that comes back without its embedding waits for it like a new one. Raises NotAllowed, or
    Stale with the reason why it cannot be undone any more; nothing is changed then.
    """
    actor.require("decide")
    try:
        with transaction.atomic(), history.together():
            return _undone(actor, operation, embeddings, reason)
    except IntegrityError as error:
        raise Stale(
            _("It cannot be undone any more: another memory says the same by now.")
        ) from error


def undo_at(
    *, actor: Actor, operation: UUID, memory_id: UUID, embeddings: Embeddings, reason: str = ""
) -> Literal["undone", "changed", ""]:
    """Undo what an operation did to one memory: its former state is a new version, flags that the
    operation opened about it are withdrawn, those that it resolved are open again.

    "changed": the memory is not what the operation left any more, and stays as it is. "": there was
    nothing left to undo. Expects the caller's transaction, and that the caller has asked whether
    the actor may. Raises Stale when another memory says the same by now.
    """
    hold_near([memory_id])
    memory = Memory.objects.visible_to(actor).filter(pk=memory_id).first()
    if memory is None:
        return "changed"
    step = next(iter(steps_of(operation, [memory_id])), None)
    if step is not None:
        if _as_before(memory, step):
            return ""
        if not _as_left(memory, step):
            return "changed"
    withdrawn = _withdraw(actor, Flag.objects.filter(opened_in=operation, memory=memory))
    if step is not None:
        _bring_back(memory, step, actor, embeddings, reason)
        _reopen(actor, _ripe(operation, memory), operation)
    return "undone" if withdrawn or step is not None else ""


def _bring_back(
    memory: Memory, step: Step, actor: Actor, embeddings: Embeddings, reason: str
) -> None:
    said = memory.content
    try:
        with transaction.atomic():
            _restore(memory, step, actor, embeddings, reason)
    except IntegrityError as error:
        raise Stale(
            _("It cannot be undone any more: another memory says the same by now.")
        ) from error
    if memory.content != said and memory.embedding is not None:
        rebase_flags(memory, actor)


def _as_before(memory: Memory, step: Step) -> bool:
    """Whether there is nothing to bring back: the memory is what it was before the operation."""
    if memory.version <= step.after:
        return False
    if step.before is None:
        return memory.status == Status.DELETED
    return all(getattr(memory, name) == getattr(step.before, name) for name in RESTORED)


def _ripe(operation: UUID, memory: Memory) -> "QuerySet[Flag]":
    """Return what the operation resolved about a memory and can be asked again: all that it speaks
    of is in use. A flag whose other side is still to come waits for that one."""
    resolved: QuerySet[Flag] = (
        Flag.objects.filter(resolved_in=operation, status=Flag.Status.RESOLVED)
        .about(memory)
        .filter(memory__status__in=LIVE)
        .filter(Q(counterpart__isnull=True) | Q(counterpart__status__in=LIVE))
    )
    gone = FlagSource.objects.filter(flag=OuterRef("pk")).exclude(memory__status__in=LIVE)
    again = Flag.objects.open().filter(
        Q(counterpart=OuterRef("counterpart")) | Q(counterpart__isnull=True),
        kind=OuterRef("kind"),
        memory=OuterRef("memory"),
    )
    return resolved.exclude(Exists(gone)).exclude(Exists(again))


def _undone(actor: Actor, operation: UUID, embeddings: Embeddings, reason: str) -> tuple[UUID, ...]:
    steps = steps_of(operation)
    ids = [step.memory_id for step in steps]
    hold_near(ids)
    rows = Memory.objects.visible_to(actor).in_bulk(ids)
    _check(steps, rows)
    _withdraw(actor, Flag.objects.filter(opened_in=operation))
    said = {key: memory.content for key, memory in rows.items()}
    # Those that come back into use come last: two memories with one text must not be live at once.
    for step in sorted(steps, key=_comes_back):
        _restore(rows[step.memory_id], step, actor, embeddings, reason)
    for memory in rows.values():
        # Without its embedding a text cannot be compared: what is open about it stays open.
        if memory.content != said[memory.pk] and memory.embedding is not None:
            rebase_flags(memory, actor)
    _reopen(actor, Flag.objects.filter(resolved_in=operation), operation)
    return tuple(ids)


def steps_of(operation: UUID, only: Collection[UUID] | None = None) -> list[Step]:
    """Return what an operation did, by memory."""
    versions = MemoryVersion.objects.filter(operation=operation).order_by("memory_id", "number")
    if only is not None:
        versions = versions.filter(memory_id__in=only)
    spans: dict[UUID, list[int]] = {}
    for memory_id, number in versions.values_list("memory_id", "number"):
        spans.setdefault(memory_id, []).append(number)
    wanted = {memory_id: numbers[0] - 1 for memory_id, numbers in spans.items()}
    near = MemoryVersion.objects.filter(
        memory_id__in=wanted.keys(), number__in=set(wanted.values())
    )
    before = {(version.memory_id, version.number): version for version in near}
    return [
        Step(memory_id, before.get((memory_id, wanted[memory_id])), numbers[-1])
        for memory_id, numbers in sorted(spans.items())
    ]


def _check(steps: Sequence[Step], rows: Mapping[UUID, Memory]) -> None:
    for step in steps:
        memory = rows.get(step.memory_id)
        if memory is None or not _as_left(memory, step):
            said = memory.content[:80] if memory else "–"
            raise Stale(
                _("It cannot be undone any more: “%(memory)s” was changed since.")
                % {"memory": said},
                memory_id=str(step.memory_id),
            )


def _as_left(memory: Memory, step: Step) -> bool:
    """Whether a memory is what the operation made of it: what came later was undone itself."""
    if memory.version == step.after:
        return True
    left = MemoryVersion.objects.get(memory=memory, number=step.after)
    return all(getattr(memory, name) == getattr(left, name) for name in RESTORED)


def _comes_back(step: Step) -> bool:
    return step.before is not None and step.before.status in (Status.ACTIVE, Status.PENDING)


def _restore(memory: Memory, step: Step, actor: Actor, embeddings: Embeddings, reason: str) -> None:
    if step.before is None:
        # It came about in the operation: it goes with it.
        history.change(memory, actor=actor, verb="undone", reason=reason, status=Status.DELETED)
        return
    fields: dict[str, Any] = {name: getattr(step.before, name) for name in RESTORED}
    if fields["content"] != memory.content:
        vector, model = embeddings.get(memory.pk, (None, ""))
        fields |= {"embedding": vector, "embedding_model": model}
        if vector is None:
            nudge("memories.embed_waiting")
    if fields["replaced_by_id"] and not _exists(fields["replaced_by_id"]):
        fields["replaced_by_id"] = None
    history.change(memory, actor=actor, verb="undone", reason=reason, **fields)


def _exists(key: UUID) -> bool:
    return Memory.objects.filter(pk=key).exists()


def _withdraw(actor: Actor, opened: "QuerySet[Flag]") -> int:
    """What the operation opened has no ground any more; what was decided since, has."""
    flags = opened.filter(status=Flag.Status.OPEN).select_for_update(of=("self",)).order_by("pk")
    for flag in flags:
        history.resolve(flag, actor=actor, resolution="withdrawn")
    return len(flags)


def _reopen(actor: Actor, resolved: "QuerySet[Flag]", operation: UUID) -> None:
    """Open again what the operation resolved, about the versions that say the same again."""
    for flag in resolved.select_for_update(of=("self",)).order_by("pk"):
        flag.memory_version = _version(flag.memory_id)
        if flag.counterpart_id:
            flag.counterpart_version = _version(flag.counterpart_id)
        flag.save(update_fields=["memory_version", "counterpart_version"])
        for source in FlagSource.objects.filter(flag=flag):
            source.memory_version = _version(source.memory_id)
            source.save(update_fields=["memory_version"])
        history.reopen(flag, actor=actor, operation=str(operation))


def _version(memory_id: UUID) -> int:
    return Memory.objects.values_list("version", flat=True).get(pk=memory_id)
