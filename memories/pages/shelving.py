"""The buttons that put a memory away, take it back, or pin it: doors only."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from memories.errors import Invalid, Stale
from memories.lifecycle import delete_memory
from memories.lifecycle.shelving import archive_memory, pin_memory, restore_memory
from memories.models.memory import Memory, Status
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.pages.forms import ChangeForm, PinForm
from memories.pages.shell import back_or
from memories.pages.toast import undoable
from memories.reading import get_memory


@posts_to("memories:detail")
@member_page
def delete(request: MemberRequest, memory_id: UUID) -> HttpResponse:
    """Delete a memory softly."""
    form, said = ChangeForm(request.POST), _("Deleted: agents no longer recall it.")
    return _changed(request, memory_id, form, delete_memory, said, undo="restore_one")


@posts_to("memories:detail")
@member_page
def archive(request: MemberRequest, memory_id: UUID) -> HttpResponse:
    """Put a memory into the archive."""
    form, said = ChangeForm(request.POST), _("Archived: only who asks for the archive finds it.")
    return _changed(request, memory_id, form, archive_memory, said, undo="restore_one")


@posts_to("memories:detail")
@member_page
def restore(request: MemberRequest, memory_id: UUID) -> HttpResponse:
    """Take a memory out of the archive or the trash."""
    was = get_memory(actor=request.actor, memory_id=memory_id).status
    undo = "delete_one" if was == Status.DELETED else "archive_one"
    return _changed(
        request, memory_id, ChangeForm(request.POST), restore_memory, _("It is back."), undo=undo
    )


@posts_to("memories:detail")
@member_page
def pin(request: MemberRequest, memory_id: UUID) -> HttpResponse:
    """Pin a memory, or let it age again."""
    form = PinForm(request.POST)
    pinned = form.is_valid() and form.cleaned_data["pinned"]

    def work(*, reason: str, **asked: Any) -> Memory:
        return pin_memory(pinned=pinned, **asked)

    said = _("Pinned: time does nothing to it.") if pinned else _("Unpinned: it ages again.")
    return _changed(request, memory_id, form, work, said)


def _changed(
    request: MemberRequest,
    memory_id: UUID,
    form: ChangeForm,
    work: Callable[..., Memory],
    said: str,
    undo: str = "",
) -> HttpResponse:
    """Do the work on the version that was seen; say what was done, with the way back, or why not.

    `undo` is the address that takes it back.
    """
    get_memory(actor=request.actor, memory_id=memory_id)
    if not form.is_valid():
        messages.error(request, _("This form was sent in part. Load the page again."))
        return redirect("memories:detail", memory_id)
    try:
        memory = work(
            actor=request.actor,
            memory_id=memory_id,
            expected_version=form.cleaned_data["version"],
            reason=form.cleaned_data["reason"],
        )
    except (Invalid, Stale) as error:
        messages.error(request, error.message)
    else:
        if undo and "decide" in request.actor.verbs:
            back = reverse(f"memories:{undo}", args=(memory_id,))
            said = undoable(request, said, back, version=memory.version)
        messages.success(request, said)
    return back_or(request, "memories:detail", memory_id)
