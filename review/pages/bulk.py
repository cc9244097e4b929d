"""The pages of batches: looked at before, watched while they run, undone as one. Doors only."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memories.errors import Invalid, NotAllowed, Stale
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.pages.paging import key_of, page_of
from memories.pages.rendering import page_or_fragment
from review import bulk
from review.bulk.previewing import offers_of
from review.filters import queue_filter
from review.models import Batch, BatchItem
from review.pages import batches as shown

PAGE = 25


@posts_to("review:queue")
@member_page
def preview(request: MemberRequest) -> HttpResponse:
    """Make a draft of what was chosen in the queue and show it."""
    form = request.POST
    choice = form.get("choice", "")
    takes_reason = any(offer.takes_reason for offer in offers_of(choice).values())
    query = QueryDict(form.get("query", ""))
    every = bool(form.get("all_matching"))
    try:
        batch = bulk.preview(
            actor=request.actor,
            choice=choice,
            # The form had it ready for another decision.
            reason=form.get("reason", "") if takes_reason else "",
            note=form.get("note", ""),
            flag_ids=None if every else filter(None, map(key_of, form.getlist("flag"))),
            filter=queue_filter(query) if every else None,
        )
    except Invalid as error:
        messages.error(request, error.message)
        return _queue(query)
    return redirect("review:batch", batch.pk)


@require_safe
@member_page
def batches(request: MemberRequest) -> HttpResponse:
    """What was decided for many at once, newest first."""
    page = page_of(bulk.batches_of(request.actor), request.GET, PAGE)
    tallies = shown.tallies_of(page.rows)
    rows = [
        (batch, shown.what(batch, tallies[batch.pk]), shown.progress(batch, tallies[batch.pk]))
        for batch in page.rows
    ]
    context = {"page": page, "rows": rows}
    return page_or_fragment(request, "review/batches.html", "review/_batches.html", context)


@require_safe
@member_page
def batch(request: MemberRequest, batch_id: UUID) -> HttpResponse:
    """One batch: a draft with what it would do, or how far it is and what came of it."""
    found = bulk.batch_of(actor=request.actor, batch_id=batch_id)
    if found.state == Batch.State.DRAFT:
        return render(request, "review/batch_draft.html", _draft(request, found))
    context = _at_work(request, found)
    return page_or_fragment(request, "review/batch.html", "review/_batch.html", context)


@posts_to("review:batch")
@member_page
def start(request: MemberRequest, batch_id: UUID) -> HttpResponse:
    """Carry the draft out."""
    try:
        bulk.start(actor=request.actor, batch_id=batch_id)
    except Invalid as error:
        messages.error(request, error.message)
    return redirect("review:batch", batch_id)


@posts_to("review:batch")
@member_page
def cancel(request: MemberRequest, batch_id: UUID) -> HttpResponse:
    """Drop the draft and go back to the queue as it was."""
    found = bulk.batch_of(actor=request.actor, batch_id=batch_id)
    bulk.cancel(actor=request.actor, batch_id=batch_id)
    messages.info(request, _("Nothing was decided."))
    return _queue(QueryDict(found.query))


@posts_to("review:batch")
@member_page
def undo(request: MemberRequest, batch_id: UUID) -> HttpResponse:
    """Take the whole batch back."""
    try:
        bulk.undo_batch(actor=request.actor, batch_id=batch_id)
    except (Stale, NotAllowed) as error:
        messages.error(request, error.message)
    return redirect("review:batch", batch_id)


def _draft(request: MemberRequest, batch: Batch) -> dict[str, Any]:
    groups = shown.groups_of(batch, BatchItem.State.REFUSED)
    tally = shown.tallies_of([batch])[batch.pk]
    kinds = shown.kinds_waiting(tally)
    count = sum(n for _kind, n in kinds)
    return {
        "batch": batch,
        "title": shown.title(batch, tally, count),
        "count": count,
        "kinds": kinds,
        "sample": shown.sample_of(batch, request.actor),
        "groups": groups,
        "refused": sum(group.count for group in groups),
    }


def _at_work(request: MemberRequest, batch: Batch) -> dict[str, Any]:
    tally = shown.tallies_of([batch])[batch.pk]
    progress = shown.progress(batch, tally)
    undoing = batch.state in (Batch.State.UNDOING, Batch.State.UNDONE)
    running = batch.state in (Batch.State.RUNNING, Batch.State.UNDOING)
    state = BatchItem.State.KEPT if undoing else BatchItem.State.REFUSED
    return {
        "batch": batch,
        "title": shown.title(batch, tally, progress.all),
        "progress": progress,
        "running": running,
        "undoing": undoing,
        "groups": shown.groups_of(batch, state),
        "undoable": not undoing and (running or progress.good > 0),
    }


def _queue(query: QueryDict) -> HttpResponse:
    """Go back to the queue under the filter that it had."""
    kept = queue_filter(query).query()
    path = reverse("review:queue")
    return redirect(f"{path}?{kept}" if kept else path)
