"""Carrying out a person's decision on a review item: checked, locked, done once (G3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from memories import history
from memories.errors import Invalid, NotFound, Stale
from memories.inputs import short_text
from memories.lifecycle import conflict, pending
from memories.lifecycle.deciding import Case, Choice, Offer, Rejection, Ruling, Text
from memories.lifecycle.deleting import drop_flags_of
from memories.models.flag import Flag
from memories.models.memory import LIVE, Memory
from memories.permissions import Actor
from memories.reading import get_memory
from memories.writing import draft
from memories.writing.store import hold_owner
from memories.writing.waiting import flag_contradictions
from memories.writing.write import embedded

_OFFERS: Mapping[str, Mapping[Choice, Offer]] = {
    Flag.Kind.CONFLICT: conflict.OFFERS,
    Flag.Kind.PENDING: pending.OFFERS,
}

# How a refusal calls the present versions of a flag's memories.
_DETAILS = ("new_version", "old_version")


@dataclass(frozen=True, slots=True)
class Settled:
    """A resolved flag and its memories as they now are, the one it was opened for first."""

    flag: Flag
    memories: tuple[Memory, ...]


def offers_of(kind: str) -> Mapping[Choice, Offer]:
    """Return the decisions that a kind of flag offers; none for a kind that is only read."""
    return _OFFERS.get(kind, {})


def ruled(
    *,
    actor: Actor,
    flag_id: UUID,
    choice: Choice,
    content: str = "",
    note: str = "",
    reason: str = "",
) -> Ruling:
    """Return a decision ready for settle(). Call it outside a transaction: it may embed a text.

    `content` is the person's own text (merge, edit_approve), `note` says why, or when and where
    each is true (both_true, required), `reason` is one of Rejection (reject, required).
    Raises NotAllowed, NotFound, or Invalid naming the field.
    """
    actor.require("decide")
    flag = _seen(actor, flag_id)
    offer = _offer(flag.kind, choice)
    note = short_text(note, "note", 300)
    if offer.asks_note and not note:
        raise Invalid(str(offer.asks_note), field="note")
    return Ruling(flag_id, choice, note, _reason(offer, reason), _text(offer, content))


def settle(*, actor: Actor, ruling: Ruling, expected_versions: tuple[int, ...]) -> Settled:
    """Carry out a decision on an open flag and resolve it, in one transaction.

    `expected_versions` are those of the flag's memories that the person saw, as in Settled.
    Raises NotAllowed, NotFound, Invalid, or Stale when anything changed meanwhile.
    """
    actor.require("decide")
    try:
        with transaction.atomic():
            case = _locked(actor, ruling, expected_versions)
            _carry_out(case)
    except IntegrityError as error:
        raise Invalid(_("Another memory already says exactly this."), field="content") from error
    now = (get_memory(actor=actor, memory_id=memory.pk) for memory in case.memories)
    return Settled(case.flag, tuple(now))


def _carry_out(case: Case) -> None:
    ruling = case.ruling
    history.resolve(
        case.flag,
        actor=case.actor,
        resolution=ruling.choice,
        note=ruling.note,
        reason=ruling.reason,
    )
    _offer(case.flag.kind, ruling.choice).carry_out(case)
    for memory in case.memories:
        if memory.status not in LIVE:
            drop_flags_of(memory, case.actor)
    if ruling.text is not None and ruling.text.embedding is not None:
        flag_contradictions(case.memories[0], case.actor)  # a new text, like any other (E3)


def _offer(kind: str, choice: Choice) -> Offer:
    offers = offers_of(kind)
    if choice not in offers:
        raise Invalid(
            _("“%(choice)s” is no decision on this item. It takes one of: %(offered)s.")
            % {"choice": choice, "offered": ", ".join(offers) or "–"},
            field="choice",
        )
    return offers[choice]


def _reason(offer: Offer, reason: str) -> str:
    if not offer.takes_reason and reason:
        raise Invalid(_("Only a rejection has a reason."), field="reason")
    if offer.takes_reason and reason not in Rejection.values:
        raise Invalid(
            _("Say why it is rejected, by one of: %(known)s.")
            % {"known": ", ".join(Rejection.values)},
            field="reason",
        )
    return reason


def _text(offer: Offer, content: str) -> Text | None:
    if offer.takes_text:
        cleaned, _notes = draft.clean_content(content)
        fresh = embedded(Memory(content=cleaned))
        return Text(cleaned, fresh.embedding, fresh.embedding_model)
    if content:
        raise Invalid(_("This decision takes no text: leave content out."), field="content")
    return None


def _seen(actor: Actor, flag_id: UUID) -> Flag:
    flag: Flag | None = (
        Flag.objects.visible_to(actor).select_related("memory").filter(pk=flag_id).first()
    )
    if flag is None:
        raise NotFound(_("There is no such review item here."), field="flag_id")
    return flag


def _locked(actor: Actor, ruling: Ruling, expected_versions: tuple[int, ...]) -> Case:
    """Lock owner, memories by id, then the flag (the house's order); check what was seen."""
    seen = _seen(actor, ruling.flag_id)
    if ruling.text is not None:
        hold_owner(seen.memory)  # its new text will be compared
    keys = [key for key in (seen.memory_id, seen.counterpart_id) if key is not None]
    locked = Memory.objects.select_for_update().filter(pk__in=keys).order_by("pk")
    rows = {memory.pk: memory for memory in locked}
    flag = Flag.objects.select_for_update().get(pk=ruling.flag_id)
    if flag.status != Flag.Status.OPEN:
        raise Stale(_("This was decided meanwhile: %(what)s.") % {"what": flag.resolution})
    memories = tuple(rows[key] for key in keys)
    _check_versions(memories, expected_versions)
    return Case(flag, memories, actor, ruling)


def _check_versions(memories: tuple[Memory, ...], expected: tuple[int, ...]) -> None:
    alone = len(memories) == 1
    if len(expected) != len(memories):
        one = _("This item is about one memory: name the version of that one, as “new”.")
        two = _("This item is about two memories: name the versions of both, “new” and “old”.")
        raise Invalid(one if alone else two, field="expected_versions.old")
    present = tuple(memory.version for memory in memories)
    if present != expected:
        one = _("The memory was changed since you opened this page. Read it again, then decide.")
        two = _("A memory was changed since you opened this page. Read both again, then decide.")
        details: dict[str, Any] = dict(zip(_DETAILS, present, strict=False))
        raise Stale(one if alone else two, **details)
