"""A doubtful memory that waits for a person's word (B5). What each decision does to it."""

from collections.abc import Mapping
from dataclasses import asdict

from memories.lifecycle.deciding import Case, Choice, Offer, confirm, retire
from memories.models.memory import Status


def _approve(case: Case) -> None:
    (memory,) = case.memories
    confirm(case, memory, **asdict(case.ruling.text) if case.ruling.text else {})


def _reject(case: Case) -> None:
    """Overturned, not deleted: a later look back finds it and does not learn it again (B9)."""
    (memory,) = case.memories
    retire(case, memory, Status.OVERTURNED)


OFFERS: Mapping[Choice, Offer] = {
    Choice.APPROVE: Offer(_approve),
    Choice.EDIT_APPROVE: Offer(_approve, takes_text=True),
    Choice.REJECT: Offer(_reject, takes_reason=True),
}
