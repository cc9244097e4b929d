"""How each kind of flag is put to a person: the question, the decisions, what goes with them."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memories.lifecycle import Choice
from memories.models.flag import Flag

Words = str | Promise


@dataclass(frozen=True, slots=True)
class Option:
    """One decision: its key, what it will do, and the id of the field that it leads to.

    A field that a decision leads to is shown with that decision only, save the note.
    """

    choice: Choice
    key: str
    label: Words
    effect: Words
    then: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the form of a kind says."""

    question: Words
    options: tuple[Option, ...]
    text_label: Words
    text_hint: Words
    note_hint: Words


_CONFLICT = Sheet(
    question=_("What is true?"),
    options=(
        Option(
            Choice.KEEP_NEW,
            "1",
            _("Keep new"),
            _("The new one becomes active. The old one is superseded: agents no longer recall it."),
        ),
        Option(
            Choice.KEEP_OLD,
            "2",
            _("Keep old"),
            _("The old one stays. The new one is overturned and keeps a link to the old one."),
        ),
        Option(
            Choice.BOTH_TRUE,
            "3",
            _("Both are true"),
            _(
                "Both become active. Your note is added to both and says when or where each "
                "is true."
            ),
            "id_note",
        ),
        Option(
            Choice.MERGE,
            "4",
            _("Merge"),
            _("Your text becomes the next version of the new one. The old one is superseded."),
            "id_content",
        ),
    ),
    text_label=_("Merged text"),
    text_hint=_("Starts with the new text and what only the old one says; write it as one idea."),
    note_hint=_("Kept with the decision. For “both are true” say when or where each is."),
)
_PENDING = Sheet(
    question=_("Should agents believe this?"),
    options=(
        Option(
            Choice.APPROVE,
            "a",
            _("Approve"),
            _("It becomes active and counts as a person's word: agents cannot change it."),
        ),
        Option(
            Choice.EDIT_APPROVE,
            "e",
            _("Edit and approve"),
            _("Your text becomes its next version and active. What it said stays in its history."),
            "id_content",
        ),
        Option(
            Choice.REJECT,
            "r",
            _("Reject"),
            _("It is overturned: agents no longer recall it, and no session brings it back."),
            "id_reason_0",
        ),
    ),
    text_label=_("Your text"),
    text_hint=_("Starts with what was stored; write it as one idea."),
    note_hint=_("Optional; kept with the decision and shown in the history of the memory."),
)
SHEETS: Mapping[str, Sheet] = {Flag.Kind.CONFLICT: _CONFLICT, Flag.Kind.PENDING: _PENDING}
