"""The inbox of the review queue: what waits, filtered, counted and cut into pages."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memories.models.flag import Flag
from memories.pages.access import MemberRequest, member_page
from memories.pages.connecting import mcp_client
from memories.pages.paging import CURSOR, Page, moment_of, page_of
from memories.pages.rendering import page_or_fragment
from review.filters import QueueFilter, queue_filter
from review.kinds import KINDS
from review.models import Rejection, SavedView
from review.pages.queue_form import QueueForm
from review.pages.rows import rows_of
from review.queue import Counts, counts_of, order_of, waiting

PAGE = 20


@dataclass(frozen=True, slots=True)
class Tab:
    """One of the tabs; `count` is None where nobody needs the number."""

    code: str
    label: str
    query: str
    current: bool
    count: int | None = None


@require_safe
@member_page
def queue(request: MemberRequest) -> HttpResponse:
    """What waits for a decision, sleeps, or was decided."""
    chosen, at = queue_filter(request.GET), moment_of(request.GET)
    # A cursor without the moment that its numbers were reckoned at says nothing.
    cursor = _cursor(request.GET) if at else ""
    at = at or timezone.now()
    flags = waiting(request.actor, chosen, at)
    asked = QueryDict(_joined(_query(request, chosen), cursor))
    page = page_of(flags, asked, PAGE, order_of(chosen), at)
    context = _frame(request, chosen, at) | {
        "form": SimpleLazyObject(lambda: QueueForm.of(chosen, request.actor)),
        "views": SavedView.objects.filter(space=request.actor.space_id, user=request.actor.id),
        "page": page,
        "rows": rows_of(page.rows, request.actor),
        "bulk": _bulk(request, chosen, page),
        "asked": asked.urlencode(),
        "picked": request.GET.get("picked") == "page",
        "client": "" if page.rows else mcp_client(request),
    }
    response = page_or_fragment(request, "review/queue.html", "review/_queue_swap.html", context)
    if request.htmx:
        response["HX-Push-Url"] = f"{request.path}?{asked.urlencode()}".rstrip("?")
    return response


@require_safe
@member_page
def counts(request: MemberRequest) -> HttpResponse:
    """The tabs alone with their numbers as they are now, and how many came since `at`."""
    chosen, now = queue_filter(request.GET), timezone.now()
    at = moment_of(request.GET) or now
    fresh = waiting(request.actor, chosen, now).filter(created_at__gt=at)
    context = _frame(request, chosen, at) | {"fresh": fresh.count()}
    return render(request, "review/_counts.html", context)


def _frame(request: MemberRequest, chosen: QueueFilter, at: datetime) -> dict[str, Any]:
    """Return what the page and its tabs have in common."""
    counted = counts_of(request.actor, chosen)
    usual = QueueFilter(kind=chosen.kind, state=chosen.state, sort=chosen.sort)
    return {
        "filter": chosen,
        "query": _query(request, chosen),
        "plain": chosen.query(),
        "title": _title(chosen),
        "cleared": _query(request, usual),
        "at": repr(at.timestamp()),
        "tabs": [_tab(request, chosen, *tab) for tab in _tabs_of(counted)],
        "total": _total(chosen, counted),
        "may_decide": "decide" in request.actor.verbs,
    }


def _title(chosen: QueueFilter) -> str:
    if chosen.state != "open":
        return _("Snoozed") if chosen.state == "snoozed" else _("Decided")
    return str(KINDS[chosen.kind].many) if chosen.kind else _("Waiting for a decision")


def _query(request: MemberRequest, chosen: QueueFilter) -> str:
    """Return a filter as the page's links carry it: with the space, when the address names one."""
    space = {"space": request.GET["space"]} if "space" in request.GET else {}
    return _joined(chosen.query(), urlencode(space))


def _cursor(query: QueryDict) -> str:
    return urlencode({name: str(query[name]) for name in CURSOR if name in query})


def _joined(*queries: str) -> str:
    return "&".join(filter(None, queries))


def _tabs_of(counted: Counts) -> Iterator[tuple[str, str, str, int | None]]:
    """Yield each tab's kind, state, label and count."""
    yield "", "open", _("All"), counted.all
    for code, kind in KINDS.items():
        yield code, "open", str(kind.many), counted.kinds[code]
    yield "", "snoozed", _("Snoozed"), counted.snoozed
    yield "", "decided", _("Decided"), None


def _tab(
    request: MemberRequest,
    chosen: QueueFilter,
    kind: str,
    state: str,
    label: str,
    count: int | None,
) -> Tab:
    """Return a tab that keeps the filter, but for the reasons, which are another kind's."""
    current = chosen.state == state and (chosen.kind == kind or state != "open")
    reason = chosen.reason if current else ""
    there = replace(chosen, kind=kind, state=state, reason=reason)
    return Tab(kind or state, label, _query(request, there), current, count)


def _total(chosen: QueueFilter, counted: Counts) -> int | None:
    """Return how many flags the filter lets through, None where that was not counted."""
    if chosen.state == "open":
        return counted.kinds[chosen.kind] if chosen.kind else counted.all
    return counted.snoozed if chosen.state == "snoozed" and not chosen.kind else None


def _bulk(request: MemberRequest, chosen: QueueFilter, page: Page[Flag]) -> dict[str, Any]:
    """Return what can be decided for many at once: only on one kind's tab, by who may decide."""
    if not (
        "decide" in request.actor.verbs and chosen.kind and chosen.state == "open" and page.rows
    ):
        return {}
    offers = [offer for offer in KINDS[chosen.kind].offers if offer.bulk]
    rejecting = any(offer.takes_reason for offer in offers)
    return {"offers": offers, "reasons": Rejection.choices if rejecting else []}
