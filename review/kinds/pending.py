"""A doubtful memory that waits for a person's word (B5)."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from memories.models.flag import Flag
from review.kinds.base import Kind, Reason
from review.kinds.common import APPROVE, EDIT_APPROVE, NOTE_HINT, REJECT, TEXT_HINT, TEXT_LABEL


def _doubt(flag: Flag) -> Mapping[str, str]:
    """Return the confidence there is and the confidence that was needed."""
    have, needed = flag.scores.get("confidence"), flag.scores.get("store_from")
    if have is None or needed is None:
        return {}
    return {"have": f"{have:.2f}", "needed": f"{needed:.2f}"}


KIND = Kind(
    code="pending",
    order=4,
    label=_("low confidence"),
    many=_("Low confidence"),
    question=_("Should agents believe this?"),
    risk=0.4,
    offers=(APPROVE, EDIT_APPROVE, REJECT),
    reasons={
        "low_confidence": Reason(
            _("not sure enough"),
            _("The look back at a session was not sure of this."),
            _(
                "The look back at a session was not sure of this: confidence %(have)s, "
                "%(needed)s is needed."
            ),
        ),
    },
    otherwise=_("This waits for a person's word: %(why)s."),
    text_label=TEXT_LABEL,
    text_hint=TEXT_HINT,
    note_hint=NOTE_HINT,
    values=_doubt,
)
