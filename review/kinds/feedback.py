"""Negative feedback: whoever recalled a memory says that it is wrong or no longer true (C6)."""

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


def _said(flag: Flag) -> Mapping[str, str]:
    who, note = flag.evidence.get("by"), flag.evidence.get("note")
    return {"who": str(who), "note": str(note)} if who and note else {}


KIND = Kind(
    code="feedback",
    order=7,
    label=_("negative feedback"),
    many=_("Feedback"),
    question=_("Is this still true?"),
    risk=0.7,
    offers=(
        Offer(
            "keep",
            "a",
            _("It is true"),
            _("It stays and counts as a person's word: agents cannot change it."),
            _("kept, it is true"),
            approve,
        ),
        EDIT_APPROVE,
        Offer(
            "archive",
            "2",
            _("No longer true"),
            _("It is put into cold storage: agents recall it only when they ask for the archive."),
            _("archived"),
            archive,
        ),
        REJECT,
    ),
    reasons={
        "wrong": Reason(
            _("said to be wrong"),
            _("Somebody who recalled it says that it is wrong."),
            _("%(who)s says that it is wrong: “%(note)s”."),
        ),
        "stale": Reason(
            _("said to be outdated"),
            _("Somebody who recalled it says that it is no longer true."),
            _("%(who)s says that it is no longer true: “%(note)s”."),
        ),
    },
    otherwise=_("Somebody complained about it: %(why)s."),
    text_label=TEXT_LABEL,
    text_hint=TEXT_HINT,
    note_hint=NOTE_HINT,
    values=_said,
)
