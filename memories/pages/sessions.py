"""The pages of sessions: doors only."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memories import distillation
from memories.distillation.again import again
from memories.errors import Invalid, NotAllowed, Stale
from memories.models.distillation import DistillationRun
from memories.models.session import Session
from memories.pages import session_words as words
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.pages.connecting import mcp_client
from memories.pages.paging import key_of, page_of, without_cursor
from memories.pages.rendering import page_or_fragment
from memories.pages.session_filters import NumbersForm, SessionFilter
from memories.pages.session_places import Places, number_of, numbers_after
from memories.pages.session_present import (
    look_back_of,
    looked_back,
    rows_of,
    run_for,
    title_of,
    with_first_words,
)
from memories.pages.session_trace import entry_of, trace_of
from memories.policies import policy_for
from memories.sessions.reading import get_session, sessions_of
from memories.sessions.recording import end_by_person

PAGE = 30
# A dry run lists this many differences; its sentence counts them all.
DIFFERENCES = 200


@require_safe
@member_page
def index(request: MemberRequest) -> HttpResponse:
    """The sessions, newest first."""
    query = without_cursor(request.GET)
    form = SessionFilter(query)
    context: dict[str, Any] = {"filter": form, "query": query.urlencode()}
    if form.is_valid():
        found = with_first_words(sessions_of(request.actor, form.filters()))
        page = page_of(found, request.GET, PAGE)
        empty = not page.rows and not form.narrowed
        context |= {
            "page": page,
            "rows": rows_of(page.rows),
            "client": mcp_client(request) if empty else "",
        }
    return page_or_fragment(request, "sessions/index.html", "sessions/_results.html", context)


@require_safe
@member_page
def detail(request: MemberRequest, session_id: UUID) -> HttpResponse:
    """What happened in a session, and beside it what was made of it."""
    session = get_session(actor=request.actor, session_id=session_id)
    runs = list(session.runs.order_by("-id"))
    places = Places.of(session, number_of(request.GET.get("from")))
    run = run_for(runs, key_of(request.GET.get("run")), places.first)
    context: dict[str, Any] = {
        "session": session,
        "title": title_of(session),
        "places": places,
        "runs": runs,
        "state": looked_back(session, runs),
        "against": _reason_against(request),
    } | _parts(request, session, places, run)
    return render(request, "sessions/detail.html", context)


def _parts(
    request: MemberRequest, session: Session, places: Places, run: DistillationRun | None
) -> dict[str, Any]:
    """Return the trace and, beside it, the run over it."""
    within = session.turns.filter(number__range=(places.first, places.last))
    turns = within.order_by("number")
    if run is None:
        return {"trace": trace_of(turns)}
    places = replace(places, run=run.pk)
    look = look_back_of(run, request.actor, places, numbers_after(request.GET, words.VERDICTS))
    quotes, marks = places.marks(run, look.positions)
    _version, policy = policy_for(session.space_id)
    form = NumbersForm.of(request.GET, policy.distilling)
    return {"trace": trace_of(turns, quotes, marks), "look": look, "numbers": form}


@require_safe
@member_page
def turn(request: MemberRequest, session_id: UUID, number: int) -> HttpResponse:
    """One turn in full length."""
    session = get_session(actor=request.actor, session_id=session_id)
    found = session.turns.filter(number=number).first()
    if found is None:
        raise Http404
    context = {"session": session, "entry": entry_of(found, most=None)}
    return render(request, "sessions/turn.html", context)


@require_safe
@member_page
def numbers(request: MemberRequest, session_id: UUID) -> HttpResponse:
    """What other numbers would have made of a run; nothing is stored."""
    session = get_session(actor=request.actor, session_id=session_id)
    run = run_for(session.runs.order_by("-id"), key_of(request.GET.get("run")), 1)
    if run is None:
        raise Http404
    _version, policy = policy_for(session.space_id)
    form = NumbersForm.of(request.GET, policy.distilling)
    context: dict[str, Any] = {"session": session, "run": run, "numbers": form}
    if form.is_valid():
        candidates = list(run.candidates.order_by("position"))
        found = again(candidates, form.policy(policy.distilling), policy.writing)
        context |= {
            "sentences": words.changed(found),
            "same": len(candidates) - len(found),
            "differences": [words.told(one) for one in found[:DIFFERENCES]],
            "more": max(len(found) - DIFFERENCES, 0),
        }
    return page_or_fragment(request, "sessions/numbers.html", "sessions/_differences.html", context)


@posts_to("sessions:detail")
@member_page
def end(request: MemberRequest, session_id: UUID) -> HttpResponse:
    """End an open session, so that it is looked back at."""
    try:
        end_by_person(actor=request.actor, session_id=session_id)
    except (Invalid, Stale) as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("Ended. What is worth keeping appears here in a moment."))
    return redirect("sessions:detail", session_id)


@posts_to("sessions:detail")
@member_page
def retry(request: MemberRequest, session_id: UUID) -> HttpResponse:
    """Look back again at a session whose runs failed."""
    try:
        distillation.retry(actor=request.actor, session_id=session_id)
    except (Invalid, Stale) as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("It is looked back at again; what comes of it appears here."))
    return redirect("sessions:detail", session_id)


def _reason_against(request: MemberRequest) -> str:
    """Return why this person may not end sessions or have them looked back at, "" when they may."""
    try:
        request.actor.require("write")
    except NotAllowed as error:
        return error.message
    return ""
