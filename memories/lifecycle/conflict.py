"""A conflict: a new statement against an old one (E3). What each decision does to the two."""

from collections.abc import Mapping
from dataclasses import asdict

from django.utils.translation import gettext_lazy as _

from memories.lifecycle.deciding import Case, Choice, Offer, confirm, retire
from memories.models.memory import Status


def _keep_new(case: Case) -> None:
    new, old = case.memories
    retire(case, old, Status.SUPERSEDED, replaced_by=new)
    confirm(case, new)


def _keep_old(case: Case) -> None:
    new, old = case.memories
    retire(case, new, Status.OVERTURNED, replaced_by=old)
    confirm(case, old)


def _both_true(case: Case) -> None:
    for memory in case.memories:
        reflection = f"{memory.reflection}\n{case.ruling.note}".strip()
        confirm(case, memory, reflection=reflection)


def _merge(case: Case) -> None:
    new, old = case.memories
    highest = max(new.confidence, old.confidence)  # B7
    text = asdict(case.ruling.text) if case.ruling.text else {}
    retire(case, old, Status.SUPERSEDED, replaced_by=new)
    confirm(case, new, confidence=highest, **text)


OFFERS: Mapping[Choice, Offer] = {
    Choice.KEEP_NEW: Offer(_keep_new),
    Choice.KEEP_OLD: Offer(_keep_old),
    Choice.BOTH_TRUE: Offer(_both_true, asks_note=_("Say when or where each of the two is true.")),
    Choice.MERGE: Offer(_merge, takes_text=True),
}
