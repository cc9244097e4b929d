"""A conflict: a new statement against an old one (E3)."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from memories.lifecycle import Case, Change
from memories.lifecycle.deciding import confirm, own_text, release, retire
from memories.models.memory import Status
from review.kinds.base import Kind, Offer, Reason
from review.kinds.common import difference, reject


def keep_new(case: Case) -> Sequence[Change]:
    """The old one was true once; whoever wrote it is not at fault."""
    new, old = case.memories
    return [retire(old, Status.SUPERSEDED, replaced_by=new), confirm(case, new)]


def keep_old(case: Case) -> Sequence[Change]:
    """The new one is wrong, and keeps a link to what is right (E2)."""
    new, old = case.memories
    return [retire(new, Status.OVERTURNED, "refuted", replaced_by=old), confirm(case, old)]


def both_true(case: Case) -> Sequence[Change]:
    """The note says on both of them when or where each holds."""
    return [
        confirm(case, memory, reflection=f"{memory.reflection}\n{case.ruling.note}".strip())
        for memory in case.memories
    ]


def merge(case: Case) -> Sequence[Change]:
    """The person's text replaces both; it is believed like the better of the two (B7)."""
    new, old = case.memories
    highest = max(new.confidence, old.confidence)
    return [
        retire(old, Status.SUPERSEDED, replaced_by=new),
        confirm(case, new, confidence=highest, **own_text(case)),
    ]


def reject_new(case: Case) -> Sequence[Change]:
    """The new one goes, for the reason given; of the old one nothing is said."""
    return [*reject(case), release(case, case.memories[1])]


MERGE = Offer(
    "merge",
    "m",
    _("Merge"),
    _("Your text becomes the next version of the new one. The old one is superseded."),
    _("merged into one"),
    merge,
    takes_text=True,
)
REJECT_NEW = Offer(
    "reject",
    "r",
    _("Reject the new one"),
    _("The new one is overturned for a reason of yours. The old one stays as it was."),
    _("rejected"),
    reject_new,
    takes_reason=True,
)
KIND = Kind(
    code="conflict",
    order=1,
    label=_("conflict"),
    many=_("Conflicts"),
    question=_("What is true?"),
    risk=0.8,
    offers=(
        Offer(
            "keep_new",
            "a 1",
            _("Keep new"),
            _("The new one becomes active. The old one is superseded: agents no longer recall it."),
            _("the new one is kept"),
            keep_new,
        ),
        Offer(
            "keep_old",
            "2",
            _("Keep old"),
            _("The old one stays. The new one is overturned and keeps a link to the old one."),
            _("the old one is kept"),
            keep_old,
        ),
        Offer(
            "both_true",
            "3",
            _("Both are true"),
            _(
                "Both become active. Your note is added to both and says when or where each "
                "is true."
            ),
            _("both are true"),
            both_true,
            asks_note=_("Say when or where each of the two is true."),
        ),
        MERGE,
        REJECT_NEW,
    ),
    reasons={
        "value_replaced": Reason(
            _("another value"),
            _("The new one gives another value than the old one."),
            _("The new one says “%(new)s” where the old one says “%(old)s”."),
        ),
        "number": Reason(
            _("another number"),
            _("The two give different numbers for the same thing."),
            _("The two give different numbers: “%(old)s” before, “%(new)s” now."),
        ),
        "version": Reason(
            _("another version"),
            _("The two name different versions of the same thing."),
            _("The two name different versions: “%(old)s” before, “%(new)s” now."),
        ),
        "date": Reason(
            _("another date"),
            _("The two give different dates for the same thing."),
            _("The two give different dates: “%(old)s” before, “%(new)s” now."),
        ),
        "time": Reason(
            _("another time"),
            _("The two give different times for the same thing."),
            _("The two give different times: “%(old)s” before, “%(new)s” now."),
        ),
        "place": Reason(
            _("another place"),
            _("The two name different places for the same thing."),
            _("The two name different places: “%(old)s” before, “%(new)s” now."),
        ),
        "antonym": Reason(
            _("the opposite"),
            _("The two say the opposite of each other."),
            _("The two say the opposite: “%(old)s” before, “%(new)s” now."),
        ),
        "negation": Reason(
            _("one denies the other"),
            _("One of the two denies what the other says."),
            _("One of the two denies what the other says: “%(old)s” against “%(new)s”."),
        ),
        "same_subject": Reason(
            _("same subject, different words"),
            _("Both speak of the same subject and say different things."),
            _("Both speak of the same subject: “%(old)s” before, “%(new)s” now."),
        ),
    },
    otherwise=_("The two do not agree: %(why)s."),
    text_label=_("Merged text"),
    text_hint=_("Starts with the new text and what only the old one says; write it as one idea."),
    note_hint=_("Kept with the decision. For “both are true” say when or where each is."),
    values=difference,
)
