"""Clean-up: a memory that nobody seems to need (E7)."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from memories.models.flag import Flag
from review.kinds.base import Kind, Offer, Reason
from review.kinds.common import (
    EDIT_APPROVE,
    NOTE_HINT,
    REJECT,
    TEXT_HINT,
    TEXT_LABEL,
    approve,
    archive,
)


def _rest(flag: Flag) -> Mapping[str, str]:
    days, confidence = flag.scores.get("days"), flag.scores.get("confidence")
    if days is None or confidence is None:
        return {}
    return {"days": f"{days:.0f}", "confidence": f"{confidence:.2f}"}


KIND = Kind(
    code="clean_up",
    order=5,
    label=_("clean-up"),
    many=_("Clean-up"),
    question=_("Is this still worth keeping?"),
    risk=0.2,
    offers=(
        Offer(
            "keep",
            "a",
            _("Keep"),
            _("It stays and counts as a person's word: no clean-up asks for it again."),
            _("kept"),
            approve,
        ),
        Offer(
            "archive",
            "2",
            _("Archive"),
            _("It is put into cold storage: agents recall it only when they ask for the archive."),
            _("archived"),
            archive,
        ),
        EDIT_APPROVE,
        REJECT,
    ),
    reasons={
        "unused": Reason(
            _("weak and unused"),
            _("It is not believed much, and nobody recalled it for a long time."),
            _("Confidence %(confidence)s, and nobody recalled it for %(days)s days."),
        ),
    },
    otherwise=_("It was proposed for clean-up: %(why)s."),
    text_label=TEXT_LABEL,
    text_hint=TEXT_HINT,
    note_hint=NOTE_HINT,
    values=_rest,
)
