"""Erasing an end user: asked for by an admin, done by a job, proven by its receipt (E6)."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from memories.errors import Invalid
from memories.jobs.starting import start
from memories.lifecycle.erasing import named
from memories.models.job import JobRun
from memories.permissions import Actor
from memories.writing.tombstones import subject_digest

CODE = "erase_user"


def erase_user(
    *, actor: Actor, user_id: str, confirm: str, trigger: str = JobRun.Trigger.PERSON
) -> JobRun:
    """Have everything about an end user removed for good; `confirm` repeats the name.

    Asked again while it goes on, the same run is returned. Its counts, by model, are the receipt
    once it is done. Raises NotAllowed, or Invalid: for an empty name, one that is not repeated, or
    while another user is being erased.
    """
    actor.require("administer")
    name = named(user_id)
    if named_or_empty(confirm) != name:
        raise Invalid(
            _("Type the name of the user once more, exactly, to confirm: this cannot be undone."),
            field="confirm",
        )
    run = start(actor=actor, job=CODE, arguments={"user_id": name}, trigger=trigger)
    if run.arguments.get("user_id") != name:
        raise Invalid(_("Another user is being erased: wait until that has ended."))
    return run


def named_or_empty(confirm: str) -> str:
    """Return what was typed to confirm, as a name is stored; "" when nothing was."""
    return named(confirm) if confirm.strip() else ""


def receipts_of(actor: Actor, user_id: str = "") -> "QuerySet[JobRun]":
    """Return the erasures of the space, newest first; with a name only those of that user.

    Raises NotAllowed.
    """
    actor.require("administer")
    runs: QuerySet[JobRun] = JobRun.objects.visible_to(actor).filter(job=CODE)
    if user_id:
        runs = runs.filter(arguments__subject=subject_digest(actor.space_id, named(user_id)))
    return runs
