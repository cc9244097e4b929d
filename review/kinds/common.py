"""Decisions and words that several kinds share."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext_lazy as _

from memories.lifecycle import Case, Change
from memories.lifecycle.deciding import Verdict, confirm, own_text, retire
from memories.models.flag import Flag
from memories.models.memory import Status
from review.kinds.base import Offer
from review.models.decision import Rejection

# What speaks against whoever wrote it (F4); the rest is no fault of the writer.
_FAULTS = {Rejection.WRONG, Rejection.INJECTION}


def approve(case: Case) -> Sequence[Change]:
    """The memory is true, in the person's words if they gave some."""
    return [confirm(case, case.memories[0], **own_text(case))]


def archive(case: Case) -> Sequence[Change]:
    """Cold: searchable on demand, and no fault of its writer (E5)."""
    return [retire(case.memories[0], Status.ARCHIVED)]


def reject(case: Case) -> Sequence[Change]:
    """Overturned, not deleted: a later look back finds it and does not learn it again (B9).

    What is too private is deleted, so that the purge removes it for good.
    """
    private = case.ruling.reason == Rejection.PRIVATE
    status = Status.DELETED if private else Status.OVERTURNED
    return [retire(case.memories[0], status, fault(case))]


def fault(case: Case) -> Verdict:
    """Return what a rejection says of the writer."""
    return "refuted" if case.ruling.reason in _FAULTS else ""


def difference(flag: Flag) -> Mapping[str, str]:
    """Return the two values that differ, as `old` and `new`, if the comparison named them."""
    old, arrow, new = str(flag.evidence.get("detail", "")).partition(" → ")
    return {"old": old, "new": new} if arrow else {}


APPROVE = Offer(
    "approve",
    "a",
    _("Approve"),
    _("It becomes active and counts as a person's word: agents cannot change it."),
    _("approved"),
    approve,
)
EDIT_APPROVE = Offer(
    "edit_approve",
    "e",
    _("Edit and approve"),
    _("Your text becomes its next version and active. What it said stays in its history."),
    _("edited and approved"),
    approve,
    takes_text=True,
)
REJECT = Offer(
    "reject",
    "r",
    _("Reject"),
    _("It is overturned: agents no longer recall it, and no session brings it back."),
    _("rejected"),
    reject,
    takes_reason=True,
)
TEXT_LABEL = _("Your text")
TEXT_HINT = _("Starts with what was stored; write it as one idea.")
NOTE_HINT = _("Optional; kept with the decision and shown in the history of the memory.")
