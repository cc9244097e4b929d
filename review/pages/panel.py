"""What a flag's page offers besides the decision: put it off, give it away, talk about it."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from memories.errors import Invalid, Stale
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.pages.paging import key_of
from review import handling
from review.pages import toast
from review.pages.desk import talk_of
from review.pages.forms import SnoozeForm
from review.pages.ways import address, onward
from review.queue import get_flag


@posts_to("review:item")
@member_page
def snooze(request: MemberRequest, flag_id: UUID) -> HttpResponse:
    """Put a flag off and go on to the next."""
    form = SnoozeForm(request.POST)
    if not form.is_valid():
        return _refused(request, flag_id, form.refusal)
    try:
        flag = handling.snooze(actor=request.actor, flag_id=flag_id, until=form.moment)
    except (Invalid, Stale) as error:
        return _refused(request, flag_id, error.message)
    messages.success(request, toast.snoozed(request, flag))
    return redirect(onward(request, flag))


@posts_to("review:item")
@member_page
def wake(request: MemberRequest, flag_id: UUID) -> HttpResponse:
    """Bring back what was put off."""
    try:
        handling.wake(actor=request.actor, flag_id=flag_id)
    except Stale as error:
        return _refused(request, flag_id, error.message)
    messages.success(request, _("It waits again."))
    return redirect(address(request, flag_id))


@posts_to("review:item")
@member_page
def assign(request: MemberRequest, flag_id: UUID) -> HttpResponse:
    """Say who should decide."""
    chosen = key_of(request.POST.get("me") or request.POST.get("user"))
    try:
        handling.assign(actor=request.actor, flag_id=flag_id, user_id=chosen)
    except (Invalid, Stale) as error:
        return _talk(request, flag_id, refusal=error.message)
    return _talk(request, flag_id, told=_("Assigned."))


@posts_to("review:item")
@member_page
def comment(request: MemberRequest, flag_id: UUID) -> HttpResponse:
    """Say something about it."""
    text = request.POST.get("text", "")
    try:
        handling.comment(actor=request.actor, flag_id=flag_id, text=text)
    except Invalid as error:
        return _talk(request, flag_id, refusal=error.message, typed=text)
    return _talk(request, flag_id, told=_("Your comment is kept."))


def _talk(
    request: MemberRequest, flag_id: UUID, *, told: str = "", refusal: str = "", typed: str = ""
) -> HttpResponse:
    """Answer htmx with the part that changed: what is typed beside it stays."""
    if not request.htmx:
        return _refused(request, flag_id, refusal)
    flag = get_flag(request.actor, flag_id)
    context = talk_of(request, flag) | {"told": told, "refusal": refusal, "typed": typed}
    return render(request, "review/_talk.html", context, status=400 if refusal else 200)


def _refused(request: MemberRequest, flag_id: UUID, refusal: str) -> HttpResponse:
    if refusal:
        messages.error(request, refusal)
    return redirect(address(request, flag_id))
