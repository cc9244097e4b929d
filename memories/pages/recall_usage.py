"""Memories by their use: never recalled, most recalled, recalled but marked wrong. Doors only."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse, QueryDict
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.models.feedback import Feedback
from memories.models.flag import Flag
from memories.models.memory import Memory
from memories.ordering import Order, moment
from memories.pages.access import MemberRequest, member_page
from memories.pages.paging import moment_of, page_of, without_cursor
from memories.pages.recall_filters import AgeFilter, SpanFilter
from memories.pages.rendering import page_or_fragment
from memories.permissions import Actor
from memories.recall.usage import (
    marked_wrong,
    most_recalled,
    never_recalled,
    recalls_since_said,
    standing_complaints,
)

PAGE = 30
_OLDEST = Order(falling=False)
_MOST = Order((("recalls", int), ("pk", UUID)))
# The harm that was done last comes first.
_LAST_RECALLED = Order((("last_recalled_at", moment), ("pk", UUID)))


@dataclass(frozen=True, slots=True)
class Row:
    """A memory, and of one that was marked wrong who said so, and what waits for a decision.

    `recalls` is how often it was recalled: in all, in the span chosen, or since somebody said so.
    """

    memory: Memory
    recalls: int
    feedback: Sequence[Feedback] = ()
    flag: Flag | None = None


@require_safe
@member_page
def never(request: MemberRequest) -> HttpResponse:
    """What no agent ever found, the oldest first."""
    query = without_cursor(request.GET)
    form = AgeFilter({"days": query.get("days", "30")})
    days = float(form.cleaned_data["days"]) if form.is_valid() else 30.0
    found = never_recalled(request.actor, days=days, now=timezone.now())
    return _listed(request, "never", form, found, _OLDEST)


@require_safe
@member_page
def most(request: MemberRequest) -> HttpResponse:
    """What was recalled most often in a span of time."""
    query = without_cursor(request.GET)
    form = SpanFilter({"span": query.get("span", "30")})
    span = form.cleaned_data["span"] if form.is_valid() else "30"
    at = _reckoned_at(request.GET, timezone.now())
    since = None if span == "all" else at - timedelta(days=int(span))
    return _listed(request, "most", form, most_recalled(request.actor, since=since), _MOST, at=at)


def _reckoned_at(query: QueryDict, now: datetime) -> datetime:
    """Return the moment that the links keep; what is older than a day is reckoned anew."""
    at = moment_of(query)
    return at if at and now - timedelta(days=1) < at <= now else now


@require_safe
@member_page
def wrong(request: MemberRequest) -> HttpResponse:
    """What was recalled although somebody had said that it does not hold."""
    return _listed(request, "wrong", None, marked_wrong(request.actor), _LAST_RECALLED)


def _listed(
    request: MemberRequest,
    tab: str,
    form: AgeFilter | SpanFilter | None,
    found: "QuerySet[Memory]",
    order: Order,
    at: datetime | None = None,
) -> HttpResponse:
    page = page_of(found, request.GET, PAGE, order, at)
    rows = _questioned(request.actor, page.rows) if tab == "wrong" else _counted(page.rows)
    context: dict[str, Any] = {
        "tab": tab,
        "filter": form,
        "page": page,
        "rows": rows,
        "may_write": "write" in request.actor.verbs,
        "may_decide": "decide" in request.actor.verbs,
    }
    return page_or_fragment(request, "recalls/use.html", "recalls/_use.html", context)


def _counted(memories: Sequence[Memory]) -> list[Row]:
    return [Row(one, getattr(one, "recalls", one.recall_count)) for one in memories]


def _questioned(actor: Actor, memories: Sequence[Memory]) -> list[Row]:
    """Return the rows with their complaints and open items: three queries, however many rows."""
    said: dict[UUID, list[Feedback]] = defaultdict(list)
    for feedback in standing_complaints().filter(memory__in=memories).order_by("-id"):
        said[feedback.memory_id].append(feedback)
    since, flags = recalls_since_said(memories), _open_items(actor, memories)
    return [Row(one, since.get(one.pk, 0), said[one.pk], flags.get(one.pk)) for one in memories]


def _open_items(actor: Actor, memories: Sequence[Memory]) -> Mapping[UUID, Flag]:
    flags: QuerySet[Flag] = Flag.objects.visible_to(actor).open()
    found = flags.filter(kind=Flag.Kind.FEEDBACK, memory__in=memories)
    return {flag.memory_id: flag for flag in found.order_by()}
