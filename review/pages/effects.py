"""What each decision will do, told before it is made (G2)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from uuid import UUID

from django.utils.translation import gettext as _

from memories.lifecycle import Case, Change, Ruling, case_of
from memories.lifecycle.deciding import Text as OwnText
from memories.models.memory import LIVE, Memory, Status
from memories.permissions import Actor
from review.kinds import Offer, kind_of
from review.models import Rejection
from review.pages.present import Item, Text
from review.second import second_person_missing

# Stands for what the person has yet to write.
_YOURS = OwnText("…", None, "")


@dataclass(frozen=True, slots=True)
class Effect:
    """What becomes of one text, or of `count` sources alike."""

    side: str
    words: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Option:
    """A decision as the form offers it: what it does, why it may not be made, and its reasons.

    `waits`: the text written with it waits for a second person.
    """

    offer: Offer
    effects: Sequence[Effect]
    against: str
    waits: bool
    reasons: Sequence[tuple[str, str, str]]


def options_of(actor: Actor, item: Item, *, two_people: bool) -> list[Option]:
    """Return every decision on an open flag with what it would do to each of its memories."""
    flag = item.flag
    offers = kind_of(flag).offers
    case = case_of(actor, flag.pk, Ruling(""))
    said = next((offer for offer in offers if not offer.takes_reason), None)
    # The same for every decision that believes the text: asked once.
    alone = second_person_missing(actor, flag, said) if two_people and said else ""
    return [
        Option(
            offer,
            tuple(_effects(offer, case, item)),
            "" if offer.takes_reason or offer.takes_text else alone,
            two_people and offer.takes_text,
            tuple(_reasons(offer, case, item)) if offer.takes_reason else (),
        )
        for offer in offers
    ]


def _planned(offer: Offer, case: Case, reason: str = "") -> Mapping[UUID, Change]:
    text = _YOURS if offer.takes_text else None
    ruling = Ruling(offer.choice, "…" if offer.asks_note else "", reason, text)
    return {change.memory.pk: change for change in offer.plan(replace(case, ruling=ruling))}


def _effects(offer: Offer, case: Case, item: Item) -> Iterator[Effect]:
    plan = _planned(offer, case)
    told = [(text.side, _told(text, plan.get(text.memory.pk), item)) for text in item.texts]
    for (side, words), alike in groupby(told):
        yield Effect(side, words, len(list(alike)))


def _told(text: Text, change: Change | None, item: Item) -> str:
    if change is None:
        return _("unchanged")
    parts = [*_states(text.memory, change, item), *_blames(text.memory, change)]
    return " · ".join(parts) or _("unchanged")


def _states(memory: Memory, change: Change, item: Item) -> Iterator[str]:
    """Yield what changes: status, link, confidence, text, note."""
    now, then = Status(memory.status).label, Status(change.status).label
    if now != then:
        yield f"{now} → {then}" + _linked(change, item)
    else:
        yield _("stays %(status)s") % {"status": now}
    if f"{memory.confidence:.0%}" != f"{change.confidence:.0%}":
        yield _("confidence %(now)s → %(then)s") % {
            "now": f"{memory.confidence:.0%}",
            "then": f"{change.confidence:.0%}",
        }
    if "content" in change.fields:
        yield _("gets your text")
    if change.fields.get("reflection", memory.reflection) != memory.reflection:
        yield _("gets your note")
    if memory.withheld and change.status in LIVE:
        yield _("agents may read it")


def _linked(change: Change, item: Item) -> str:
    by = change.fields.get("replaced_by")
    side = next((text.side for text in item.texts if by and text.memory.pk == by.pk), "")
    wrong = change.status == Status.OVERTURNED
    words = {
        "new": _("replaced by the new one"),
        "old": _("linked to the old one") if wrong else _("replaced by the old one"),
        "proposal": _("replaced by the proposal"),
    }
    return _(", %(words)s") % {"words": words[side]} if side in words else ""


def _blames(memory: Memory, change: Change) -> Iterator[str]:
    if not memory.agent:
        return
    if change.verdict == "upheld":
        yield _("counts for %(agent)s") % {"agent": memory.agent.name}
    elif change.verdict == "refuted":
        yield _("counts against %(agent)s") % {"agent": memory.agent.name}


def _reasons(offer: Offer, case: Case, item: Item) -> Iterator[tuple[str, str, str]]:
    """Yield each reason's code and label with what it does besides."""
    text = item.new
    usual = _planned(offer, case)[text.memory.pk]
    for code, label in Rejection.choices:
        change = _planned(offer, case, code)[text.memory.pk]
        more = list(_blames(text.memory, change))
        if change.status != usual.status:
            more.insert(0, str(Status(change.status).label))
        yield code, str(label), " · ".join(more)
