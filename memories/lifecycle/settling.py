"""What a person's decision on a conflict does to the two memories (G3)."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from memories import history
from memories.errors import Invalid, NotFound, Stale
from memories.inputs import short_text
from memories.lifecycle.deleting import drop_flags_of
from memories.models.flag import Flag
from memories.models.memory import LIVE, Memory, Status
from memories.permissions import Actor
from memories.policies import policy_for
from memories.reading import get_memory
from memories.writing import draft
from memories.writing.write import embedded


class Choice(StrEnum):
    KEEP_NEW = "keep_new"
    KEEP_OLD = "keep_old"
    BOTH_TRUE = "both_true"
    MERGE = "merge"


@dataclass(frozen=True, slots=True)
class Settled:
    """A resolved flag and the two memories as they now are."""

    flag: Flag
    new: Memory
    old: Memory


@dataclass(frozen=True, slots=True)
class Merged:
    """The text of a merge, cleaned and embedded before anything is locked."""

    content: str
    embedding: list[float] | None
    embedding_model: str


def merge_text(content: str) -> Merged:
    """Return the text a person wrote for a merge, ready to be stored. Raises Invalid."""
    text, _notes = draft.clean_content(content)
    fresh = embedded(Memory(content=text))
    return Merged(text, fresh.embedding, fresh.embedding_model)


def settle(
    *,
    actor: Actor,
    flag_id: UUID,
    choice: Choice,
    expected_versions: tuple[int, int],
    merged: Merged | None = None,
    note: str = "",
) -> Settled:
    """Carry out a decision on an open conflict and resolve its flag, in one transaction.

    `expected_versions` are those of (new, old) that the person saw. `merged` is what merge_text()
    made (merge only); `note` says why, or when and where each is true (both_true, required).
    Raises NotAllowed, NotFound, Invalid, or Stale when anything changed meanwhile.
    """
    actor.require("decide")
    note = short_text(note, "note", 300)
    if choice == Choice.BOTH_TRUE and not note:
        raise Invalid(_("Say when or where each of the two is true."), field="note")
    if (choice == Choice.MERGE) != (merged is not None):
        raise Invalid(_("A merge needs its text, and only a merge has one."), field="content")
    try:
        with transaction.atomic():
            flag, new, old = _locked(actor, flag_id, expected_versions)
            history.resolve(flag, actor=actor, resolution=choice, note=note)
            _CARRY_OUT[choice](new, old, actor, note, merged)
            for memory in (new, old):
                if memory.status not in LIVE:
                    drop_flags_of(memory, actor)
    except IntegrityError as error:
        raise Invalid(_("Another memory already says exactly this."), field="content") from error
    return Settled(
        flag, get_memory(actor=actor, memory_id=new.pk), get_memory(actor=actor, memory_id=old.pk)
    )


def _locked(
    actor: Actor, flag_id: UUID, expected_versions: tuple[int, int]
) -> tuple[Flag, Memory, Memory]:
    """Lock memories by id, then the flag (the house's order), and check what the person saw."""
    seen = Flag.objects.visible_to(actor).filter(pk=flag_id, kind=Flag.Kind.CONFLICT).first()
    if seen is None:
        raise NotFound(_("There is no such review item here."), field="flag_id")
    pair = Memory.objects.select_for_update().filter(pk__in=[seen.memory_id, seen.counterpart_id])
    rows = {memory.pk: memory for memory in pair.order_by("pk")}
    flag = Flag.objects.select_for_update().get(pk=flag_id)
    # A conflict always has two sides; both rows are locked above.
    new, old = (rows[key] for key in (flag.memory_id, flag.counterpart_id) if key is not None)
    if flag.status != Flag.Status.OPEN:
        raise Stale(_("This was decided meanwhile: %(what)s.") % {"what": flag.resolution})
    if (new.version, old.version) != expected_versions:
        raise Stale(
            _("A memory was changed since you opened this page. Read both again, then decide."),
            new_version=new.version,
            old_version=old.version,
        )
    return flag, new, old


def _keep_new(new: Memory, old: Memory, actor: Actor, note: str, merged: Merged | None) -> None:
    _retire(old, Status.SUPERSEDED, new, actor, note)
    _confirm(new, actor, note)


def _keep_old(new: Memory, old: Memory, actor: Actor, note: str, merged: Merged | None) -> None:
    _retire(new, Status.OVERTURNED, old, actor, note)
    _confirm(old, actor, note)


def _both_true(new: Memory, old: Memory, actor: Actor, note: str, merged: Merged | None) -> None:
    for memory in (new, old):
        reflection = f"{memory.reflection}\n{note}".strip()
        _confirm(memory, actor, note, reflection=reflection)


def _merge(new: Memory, old: Memory, actor: Actor, note: str, merged: Merged | None) -> None:
    highest = max(new.confidence, old.confidence)  # B7
    _retire(old, Status.SUPERSEDED, new, actor, note)
    _confirm(new, actor, note, confidence=highest, **asdict(merged) if merged else {})


_CARRY_OUT = {
    Choice.KEEP_NEW: _keep_new,
    Choice.KEEP_OLD: _keep_old,
    Choice.BOTH_TRUE: _both_true,
    Choice.MERGE: _merge,
}


def _retire(memory: Memory, status: Status, by: Memory, actor: Actor, note: str) -> None:
    history.change(memory, actor=actor, verb=status, reason=note, status=status, replaced_by=by)


def _confirm(memory: Memory, actor: Actor, note: str, **fields: Any) -> None:
    """A person stands behind it now: believed at least as far as a person is (B4)."""
    person = policy_for(memory.space_id)[1].writing.confidence.person
    believed = max(fields.pop("confidence", memory.confidence), person)
    # It still contradicts another memory: that is another decision.
    accused = Flag.objects.open().filter(memory=memory).exists()
    history.change(
        memory,
        actor=actor,
        verb="confirmed",
        reason=note,
        confidence=believed,
        confirmed_at=timezone.now(),
        status=Status.PENDING if accused else Status.ACTIVE,
        **fields,
    )
