"""The pages of memories: doors only."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memories.errors import Invalid, Stale
from memories.graph import links_of, pictured
from memories.lifecycle import give_feedback, update_memory
from memories.lifecycle.retention import curve_of
from memories.models.feedback import Feedback
from memories.models.memory import LIVE, Memory
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.pages.connecting import mcp_client
from memories.pages.filters import SHOWN, MemoryFilter
from memories.pages.forms import EditForm, FeedbackForm
from memories.pages.paging import page_of, without_cursor
from memories.pages.past import number_of
from memories.pages.present import history_of
from memories.pages.rendering import page_or_fragment
from memories.pages.retention import drawn
from memories.pages.session_origin import origins_of
from memories.pages.shell import back_or
from memories.pages.shelves import removed_at
from memories.reading import get_memory, memories_of
from memories.recall import recall

PAGE = 30
HITS = 20
# Of what was said of a memory its page shows the newest.
SAID = 20


@require_safe
@member_page
def index(request: MemberRequest) -> HttpResponse:
    """Search as the agents do, or leaf through what is known."""
    query = without_cursor(request.GET)
    form = MemoryFilter(query)
    tab = "expiring" if query.get("expiring") else "in_use"
    context: dict[str, Any] = {"filter": form, "query": query.urlencode(), "tab": tab}
    if form.is_valid():
        context |= _found(request, form) if form.cleaned_data["q"] else _listed(request, form)
    return page_or_fragment(request, "memories/index.html", "memories/_results.html", context)


def _listed(request: MemberRequest, form: MemoryFilter) -> dict[str, Any]:
    rows = memories_of(request.actor, form.filters(statuses=SHOWN))
    if form.cleaned_data["expiring"]:
        rows = rows.filter(expires_at__isnull=False)
    page = page_of(rows, request.GET, PAGE)
    empty = not page.rows and not form.narrowed
    return {"page": page, "client": mcp_client(request) if empty else ""}


def _found(request: MemberRequest, form: MemoryFilter) -> dict[str, Any]:
    """Recall with the rules that agents get; a person's look does not count as a recall."""
    try:
        result = recall(
            actor=request.actor,
            query=form.cleaned_data["q"],
            filters=form.filters(statuses=[]),
            top_k=HITS,
            log=False,
        )
    except Invalid as error:
        form.add_error("q", error.message)
        return {}
    if form.cleaned_data["expiring"]:
        result = replace(result, hits=tuple(hit for hit in result.hits if hit.memory.expires_at))
    return {"result": result}


@require_safe
@member_page
def detail(request: MemberRequest, memory_id: UUID) -> HttpResponse:
    """One memory with its history."""
    memory = get_memory(actor=request.actor, memory_id=memory_id)
    return _detail(request, memory, EditForm.of(memory))


@posts_to("memories:detail")
@member_page
def edit(request: MemberRequest, memory_id: UUID) -> HttpResponse:
    """Change a memory; a refusal shows the page again with what was typed."""
    request.actor.require("write")
    memory = get_memory(actor=request.actor, memory_id=memory_id)
    form = EditForm(request.POST)
    if not form.is_valid():
        return _detail(request, memory, form, status=400)
    try:
        update_memory(
            actor=request.actor,
            memory_id=memory_id,
            expected_version=form.cleaned_data["version"],
            reason=form.cleaned_data["reason"],
            **form.changes(memory),
        )
    except Invalid as error:
        form.add_error(error.field if error.field in form.fields else None, error.message)
        return _detail(request, memory, form, status=400)
    except Stale as error:
        form.add_error(None, error.message)
        memory = get_memory(actor=request.actor, memory_id=memory_id)
        return _detail(request, memory, form, status=409)
    messages.success(request, _("Saved as a new version."))
    return redirect("memories:detail", memory_id)


@posts_to("memories:detail")
@member_page
def feedback(request: MemberRequest, memory_id: UUID) -> HttpResponse:
    """Take a person's word on a memory; a complaint becomes a review item."""
    memory = get_memory(actor=request.actor, memory_id=memory_id)
    form = FeedbackForm(request.POST)
    if not form.is_valid():
        return _detail(request, memory, EditForm.of(memory), status=400)
    try:
        given = give_feedback(actor=request.actor, memory_id=memory_id, **form.cleaned_data)
    except Invalid as error:
        messages.error(request, error.message)
    else:
        useful = given.verdict == Feedback.Verdict.USEFUL
        thanks = _("Noted: it was useful.") if useful else _("Noted: it waits for a decision now.")
        messages.success(request, thanks)
    return back_or(request, "memories:detail", memory_id)


def _detail(
    request: MemberRequest, memory: Memory, form: EditForm, *, status: int = 200
) -> HttpResponse:
    linked = links_of(actor=request.actor, memory=memory)
    context = {
        "memory": memory,
        "origins": origins_of(request.actor, [memory]).get(memory.pk, []),
        "history": history_of(memory, request.actor, before=number_of(request.GET.get("before"))),
        "links": pictured(linked),
        "curve": drawn(curve_of(memory)) if _ages(memory) else None,
        "removed_at": removed_at(memory),
        "feedback": memory.feedback.order_by("-id")[:SAID],
        "form": form,
        "may_write": "write" in request.actor.verbs,
        "may_decide": "decide" in request.actor.verbs,
    }
    return render(request, "memories/detail.html", context, status=status)


def _ages(memory: Memory) -> bool:
    return memory.status in LIVE and not memory.withheld
