"""A merge proposal: one fuller text in place of several fragments (E8)."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from memories.lifecycle import Case, Change
from memories.lifecycle.deciding import confirm, own_text, retire
from memories.models.memory import Status
from review.kinds.base import Kind, Offer, Reason
from review.kinds.common import NOTE_HINT, TEXT_LABEL, fault


def accept(case: Case) -> Sequence[Change]:
    """The fragments are superseded; the new text is believed no more than the best of them."""
    proposal, *sources = case.memories
    capped = max(memory.confidence for memory in sources)
    merged = confirm(case, proposal, **own_text(case))
    fields = {**merged.fields, "confidence": capped}  # E8: merging cannot launder weak memories
    return [
        *(retire(memory, Status.SUPERSEDED, replaced_by=proposal) for memory in sources),
        Change(proposal, merged.verb, fields, merged.verdict),
    ]


def decline(case: Case) -> Sequence[Change]:
    """The fragments stay; the proposal is nobody's memory and keeps nothing from being said."""
    return [retire(case.memories[0], Status.DELETED, fault(case))]


KIND = Kind(
    code="merge",
    order=3,
    label=_("merge proposal"),
    many=_("Merge proposals"),
    question=_("Should one text stand for these?"),
    risk=0.3,
    offers=(
        Offer(
            "approve",
            "a",
            _("Merge as proposed"),
            _("The proposed text becomes active. Its sources are superseded and link to it."),
            _("merged as proposed"),
            accept,
        ),
        Offer(
            "edit_approve",
            "e",
            _("Edit and merge"),
            _("Your text becomes active. Its sources are superseded and link to it."),
            _("edited and merged"),
            accept,
            takes_text=True,
        ),
        Offer(
            "reject",
            "r",
            _("Do not merge"),
            _("The memories stay as they are. The proposal is deleted."),
            _("not merged"),
            decline,
            takes_reason=True,
        ),
    ),
    reasons={
        "fragments": Reason(
            _("fragments of one topic"), _("These memories are fragments of one topic.")
        ),
        "asked": Reason(
            _("somebody asked for it"), _("An agent or a person proposed to merge these memories.")
        ),
        "overlap": Reason(_("partial overlap"), _("These memories say partly the same.")),
    },
    otherwise=_("It was proposed to merge these memories: %(why)s."),
    text_label=TEXT_LABEL,
    text_hint=_("Starts with what was proposed; every fact of the sources should be in it."),
    note_hint=NOTE_HINT,
)
