"""undo(): what one operation changed becomes again what it was; history only grows (E1, G3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from memories import history
from memories.dispatch import nudge
from memories.embedding.client import EmbedderDown, embed
from memories.errors import Stale
from memories.lifecycle.locking import hold_near
from memories.lifecycle.rebasing import rebase_flags
from memories.models.flag import Flag, FlagSource
from memories.models.memory import KEPT_FIELDS, STATED_FIELDS, Memory, MemoryVersion, Status
from memories.permissions import Actor
from memories.text.index import embedded_text

Embeddings = Mapping[UUID, tuple[list[float], str]]
# What a version keeps of a memory, and undoing brings back.
_RESTORED = (*STATED_FIELDS, *KEPT_FIELDS)


@dataclass(frozen=True, slots=True)
class Step:
    """What an operation did to one memory: from the last version before it to its own last."""

    memory_id: UUID
    before: MemoryVersion | None
    after: int


def returning_texts(operation: UUID) -> Embeddings:
    """Embed the texts that undoing an operation brings back; without the embedder none.

    For undo(), and outside its transaction: nothing waits for a model while holding a lock.
    """
    texts = {}
    for step in _steps(operation):
        memory = Memory.objects.defer("embedding").filter(pk=step.memory_id).first()
        if memory is None or step.before is None or not _as_left(memory, step):
            continue  # nothing comes back
        if step.before.content != memory.content:
            memory.content = step.before.content
            texts[step.memory_id] = embedded_text(memory)
    if not texts:
        return {}
    try:
        answer = embed(list(texts.values()))
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


def _undone(actor: Actor, operation: UUID, embeddings: Embeddings, reason: str) -> tuple[UUID, ...]:
    steps = _steps(operation)
    ids = [step.memory_id for step in steps]
    hold_near(ids)
    rows = Memory.objects.visible_to(actor).in_bulk(ids)
    _check(steps, rows)
    _withdraw(actor, operation)
    said = {key: memory.content for key, memory in rows.items()}
    # Those that come back into use come last: two memories with one text must not be live at once.
    for step in sorted(steps, key=_comes_back):
        _restore(rows[step.memory_id], step, actor, embeddings, reason)
    for memory in rows.values():
        # Without its embedding a text cannot be compared: what is open about it stays open.
        if memory.content != said[memory.pk] and memory.embedding is not None:
            rebase_flags(memory, actor)
    _reopen(actor, operation)
    return tuple(ids)


def _steps(operation: UUID) -> list[Step]:
    """Return what an operation did, by memory."""
    versions = MemoryVersion.objects.filter(operation=operation).order_by("memory_id", "number")
    spans: dict[UUID, list[int]] = {}
    for memory_id, number in versions.values_list("memory_id", "number"):
        spans.setdefault(memory_id, []).append(number)
    return [
        Step(
            memory_id,
            MemoryVersion.objects.filter(memory_id=memory_id, number=numbers[0] - 1).first(),
            numbers[-1],
        )
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
    return all(getattr(memory, name) == getattr(left, name) for name in _RESTORED)


def _comes_back(step: Step) -> bool:
    return step.before is not None and step.before.status in (Status.ACTIVE, Status.PENDING)


def _restore(memory: Memory, step: Step, actor: Actor, embeddings: Embeddings, reason: str) -> None:
    if step.before is None:
        # It came about in the operation: it goes with it.
        history.change(memory, actor=actor, verb="undone", reason=reason, status=Status.DELETED)
        return
    fields: dict[str, Any] = {name: getattr(step.before, name) for name in _RESTORED}
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


def _withdraw(actor: Actor, operation: UUID) -> None:
    """What the operation opened has no ground any more; what was decided since, has."""
    for flag in Flag.objects.filter(opened_in=operation).select_for_update().order_by("pk"):
        if flag.status == Flag.Status.OPEN:
            history.resolve(flag, actor=actor, resolution="withdrawn")


def _reopen(actor: Actor, operation: UUID) -> None:
    """Open again what the operation resolved, about the versions that say the same again."""
    for flag in Flag.objects.filter(resolved_in=operation).select_for_update().order_by("pk"):
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
