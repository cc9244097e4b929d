"""Quarantine: a text that looks as if it were written to steer agents or to hide something (F2)."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from memories.models.flag import Flag
from review.kinds.base import Kind, Offer, Reason
from review.kinds.common import EDIT_APPROVE, NOTE_HINT, REJECT, TEXT_HINT, TEXT_LABEL, approve


def _found(flag: Flag) -> Mapping[str, str]:
    what = flag.evidence.get("found")
    return {"what": str(what)} if what else {}


KIND = Kind(
    code="quarantine",
    order=6,
    label=_("quarantine"),
    many=_("Quarantine"),
    question=_("May agents read this?"),
    risk=1.0,
    offers=(
        Offer(
            "approve",
            "a",
            _("Release"),
            _("It leaves quarantine, becomes active and counts as a person's word."),
            _("released from quarantine"),
            approve,
        ),
        EDIT_APPROVE,
        REJECT,
    ),
    reasons={
        "instruction": Reason(
            _("reads like an instruction"),
            _("It reads like an instruction to agents, not like something learnt."),
            _("It reads like an instruction to agents: “%(what)s”."),
        ),
        "hidden": Reason(
            _("hidden characters"),
            _("It contains characters that cannot be seen."),
            _("It contains characters that cannot be seen: %(what)s."),
        ),
        "secret": Reason(
            _("looks like a secret"),
            _("It seems to contain a password, a token or a key."),
        ),
        "like_rejected": Reason(
            _("like what was rejected"),
            _("It says what people rejected before."),
            _("It says what people rejected before: “%(what)s”."),
        ),
    },
    otherwise=_("It was put into quarantine: %(why)s."),
    text_label=TEXT_LABEL,
    text_hint=TEXT_HINT,
    note_hint=NOTE_HINT,
    values=_found,
)
