"""A near-duplicate: two stored memories that say the same (B7)."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from memories.lifecycle import Case, Change
from memories.lifecycle.deciding import confirm, release, retire
from memories.models.memory import Status
from review.kinds.base import Kind, Offer, Reason
from review.kinds.common import difference
from review.kinds.conflict import MERGE, REJECT_NEW


def keep_new(case: Case) -> Sequence[Change]:
    """One of two is enough; it is believed like the better of them (B7)."""
    new, old = case.memories
    highest = max(new.confidence, old.confidence)
    return [retire(old, Status.SUPERSEDED, replaced_by=new), confirm(case, new, confidence=highest)]


def keep_old(case: Case) -> Sequence[Change]:
    """As keep_new, the other way round."""
    new, old = case.memories
    highest = max(new.confidence, old.confidence)
    return [retire(new, Status.SUPERSEDED, replaced_by=old), confirm(case, old, confidence=highest)]


def different(case: Case) -> Sequence[Change]:
    """They only look alike: both stay as they are."""
    return [release(case, memory) for memory in case.memories if memory.status == Status.PENDING]


KIND = Kind(
    code="near_duplicate",
    order=2,
    label=_("near-duplicate"),
    many=_("Near-duplicates"),
    question=_("Do both say the same?"),
    risk=0.3,
    offers=(
        Offer(
            "keep_new",
            "a 1",
            _("Keep new"),
            _("The new one stays, with the higher of both confidences. The old one is superseded."),
            _("the new one is kept"),
            keep_new,
        ),
        Offer(
            "keep_old",
            "2",
            _("Keep old"),
            _("The old one stays, with the higher of both confidences. The new one is superseded."),
            _("the old one is kept"),
            keep_old,
        ),
        Offer(
            "different",
            "3",
            _("They differ"),
            _("Both stay as they are."),
            _("both stay, they differ"),
            different,
        ),
        MERGE,
        REJECT_NEW,
    ),
    reasons={
        "same_words": Reason(_("same words"), _("The two say the same in the same words.")),
        "similarity": Reason(_("very alike"), _("The two say nearly the same.")),
    },
    otherwise=_("The two look like one statement: %(why)s."),
    text_label=_("Merged text"),
    text_hint=_("Starts with the new text and what only the old one says; write it as one idea."),
    note_hint=_("Optional; kept with the decision and shown in the history of the memory."),
    values=difference,
)
