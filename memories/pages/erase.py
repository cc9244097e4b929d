"""The page that erases an end user: preview, the name once more, progress, receipt (E6)."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from memories.errors import Invalid, NotFound
from memories.jobs.erasing import erase_user, receipts_of
from memories.lifecycle.erasing import TABLES, preview_erasure
from memories.models.job import JobRun
from memories.pages.access import MemberRequest, member_page
from memories.pages.paging import page_of
from memories.pages.rendering import page_or_fragment

PAGE = 20
_OPEN = (JobRun.State.WAITING, JobRun.State.RUNNING)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def index(request: MemberRequest) -> HttpResponse:
    """Ask for a name; for a name show what would go, and take the order to remove it.

    A name travels in the body, never in an address: addresses are written down in logs.
    """
    request.actor.require("administer")
    if request.method != "POST":
        return _page(request)
    user_id = request.POST.get("user_id", "")
    try:
        preview = preview_erasure(actor=request.actor, user_id=user_id)
    except Invalid as error:
        return _page(request, status=400, error=error.message, user_id=user_id)
    shown: dict[str, Any] = {"preview": preview, "tables": tables(preview.counts)}
    if "confirm" not in request.POST:
        return _page(request, **shown)
    try:
        run = erase_user(
            actor=request.actor, user_id=user_id, confirm=request.POST.get("confirm", "")
        )
    except Invalid as error:
        return _page(request, status=400, error=error.message, **shown)
    return redirect("memories:erasure", run.pk)


@require_safe
@member_page
def erasure(request: MemberRequest, run_id: UUID) -> HttpResponse:
    """How far an erasure is, and its receipt at the end."""
    run = receipts_of(request.actor).filter(pk=run_id).first()
    if run is None:
        raise NotFound(_("There is no such run here."), field="run_id")
    context = {
        "run": run,
        "open": run.state in _OPEN,
        # More may come while it goes on: the bar never says more than all.
        "done": min(run.done, run.total or 0),
        "tables": tables(run.counts),
    }
    return page_or_fragment(request, "memories/erasure.html", "memories/_erasure.html", context)


def tables(counts: Mapping[str, int]) -> list[tuple[Any, int]]:
    """Return what the rows are called with how many there are, most first."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [(TABLES.get(name, name), n) for name, n in ordered]


def _page(request: MemberRequest, *, status: int = 200, **shown: Any) -> HttpResponse:
    receipts = page_of(receipts_of(request.actor), request.GET, PAGE)
    return render(request, "memories/erase.html", {"page": receipts, **shown}, status=status)
