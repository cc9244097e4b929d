"""The pages of the review queue: doors only."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memories.errors import Invalid, NotAllowed, Stale
from memories.lifecycle import Choice, Rejection, Settled
from memories.models.flag import Flag
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.pages.connecting import mcp_client
from memories.pages.paging import page_of, without_cursor
from memories.pages.rendering import page_or_fragment
from memories.pages.words import resolution
from review.claims import claim, claimed_by_other
from review.decisions import decide as decide_flag
from review.pages.evidence import evidence_of
from review.pages.forms import DecisionForm
from review.pages.kinds import SHEETS
from review.pages.present import item_of, rows_of
from review.pages.queue_filter import QueueFilter, beside, next_after, waiting
from review.queue import get_flag

PAGE = 25


@require_safe
@member_page
def queue(request: MemberRequest) -> HttpResponse:
    """What waits for a decision."""
    page = page_of(waiting(request.actor, request.GET), request.GET, PAGE)
    query = without_cursor(request.GET)
    context: dict[str, Any] = {
        "filter": QueueFilter(query),
        "filtered": any(query.values()),
        "page": page,
        "rows": rows_of(page.rows, request.actor),
        "query": query.urlencode(),
    }
    if not page.rows:
        context["client"] = mcp_client(request)
    return page_or_fragment(request, "review/queue.html", "review/_queue.html", context)


@require_safe
@member_page
def item(request: MemberRequest, flag_id: UUID) -> HttpResponse:
    """One flag; opening it claims it for a while."""
    flag = get_flag(request.actor, flag_id)
    if flag.status == Flag.Status.OPEN and _reason_against(request) == "":
        claim(actor=request.actor, flag=flag)
    return _item(request, flag, DecisionForm(flag))


@posts_to("review:item")
@member_page
def take_over(request: MemberRequest, flag_id: UUID) -> HttpResponse:
    """Take a flag from whoever is looking at it."""
    claim(actor=request.actor, flag=get_flag(request.actor, flag_id), take_over=True)
    return redirect(_address(request, flag_id))


@posts_to("review:item")
@member_page
def decide(request: MemberRequest, flag_id: UUID) -> HttpResponse:
    """Carry out a decision and go on to the next flag; a refusal keeps what was typed."""
    request.actor.require("decide")
    flag = get_flag(request.actor, flag_id)
    form = DecisionForm(flag, request.POST)
    if not form.is_valid():
        return _item(request, flag, form, status=400)
    if held := claimed_by_other(flag, request.actor):
        form.add_error(None, _("%(name)s is looking at this.") % {"name": held.user.get_username()})
        return _item(request, flag, form, status=409)
    try:
        settled = _decided(request, flag, form)
    except Invalid as error:
        form.add_error(error.field if error.field in form.fields else None, error.message)
        return _item(request, flag, form, status=400)
    except Stale as error:
        form.add_error(None, error.message)
        return _item(request, get_flag(request.actor, flag_id), form, status=409)
    messages.success(request, _told(settled))
    following = next_after(request.actor, request.GET, flag_id)
    return redirect(_address(request, following))


def _decided(request: MemberRequest, flag: Flag, form: DecisionForm) -> Settled:
    chosen = form.cleaned_data
    return decide_flag(
        actor=request.actor,
        flag_id=flag.pk,
        choice=Choice(chosen["choice"]),
        expected_versions=form.versions,
        content=chosen["content"],
        note=chosen["note"],
        reason=chosen["reason"],
    )


def _told(settled: Settled) -> str:
    return format_html(
        '{} <a href="{}">{}</a>',
        _("Decided: %(what)s.") % {"what": resolution(settled.flag.resolution)},
        reverse("review:item", args=[settled.flag.pk]),
        _("See what was decided"),
    )


def _item(
    request: MemberRequest, flag: Flag, form: DecisionForm, *, status: int = 200
) -> HttpResponse:
    newer, older = beside(request.actor, request.GET, flag.pk)
    item = item_of(flag)
    context = {
        "item": item,
        "evidence": evidence_of(item, request.actor),
        "form": form,
        "sheet": SHEETS.get(flag.kind) if flag.status == Flag.Status.OPEN else None,
        "rejections": Rejection.choices,
        "against": _reason_against(request),
        "claim": claimed_by_other(flag, request.actor),
        "newer": newer,
        "older": older,
        "query": request.GET.urlencode(),
    }
    return render(request, "review/item.html", context, status=status)


def _reason_against(request: MemberRequest) -> str:
    """Return why this person may not decide, "" when they may."""
    try:
        request.actor.require("decide")
    except NotAllowed as error:
        return error.message
    return ""


def _address(request: MemberRequest, flag_id: UUID | None) -> str:
    """Return the address of a flag, or of the queue, with the queue's filter kept."""
    path = reverse("review:item", args=[flag_id]) if flag_id else reverse("review:queue")
    query = without_cursor(request.GET).urlencode()
    return f"{path}?{query}" if query else path
