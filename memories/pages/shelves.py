"""The archive and the trash: what was put away, by whom and why, and one click back (E5, E6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_safe

from memories.errors import Invalid, NotFound
from memories.lifecycle.shelving import restore_memory
from memories.models.event import Event
from memories.models.memory import Memory, Status
from memories.ordering import Order, moment
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.pages.paging import key_of, page_of, without_cursor
from memories.pages.rendering import page_or_fragment
from memories.permissions import Actor
from memories.policies import policy_for
from memories.reading import Filters, memories_of

PAGE = 30
# What was put away last comes first: being put away is the last that happened to it.
_LAST_FIRST = Order((("updated_at", moment), ("pk", UUID)))
SHELVES = {"archive": Status.ARCHIVED, "trash": Status.DELETED}


class ShelfFilter(forms.Form):
    q = forms.CharField(label=gettext_lazy("Search"), required=False, max_length=2000)


@dataclass(frozen=True, slots=True)
class Row:
    """A memory on a shelf: the event that put it there, and when it is removed for good."""

    memory: Memory
    put: Event | None
    until: datetime | None


@require_safe
@member_page
def archive(request: MemberRequest) -> HttpResponse:
    """What is in cold storage."""
    return _shelf(request, "archive")


@require_safe
@member_page
def trash(request: MemberRequest) -> HttpResponse:
    """What was deleted and can still be restored."""
    return _shelf(request, "trash")


@posts_to("memories:archive")
@member_page
def restore_from_archive(request: MemberRequest) -> HttpResponse:
    """Take one or several memories out of the archive."""
    return _restored(request, "archive")


@posts_to("memories:trash")
@member_page
def restore_from_trash(request: MemberRequest) -> HttpResponse:
    """Take one or several memories out of the trash."""
    return _restored(request, "trash")


def _shelf(request: MemberRequest, shelf: str) -> HttpResponse:
    query = without_cursor(request.GET)
    form = ShelfFilter(query)
    sought = form.cleaned_data["q"].strip() if form.is_valid() else ""
    rows = memories_of(request.actor, Filters(statuses=[SHELVES[shelf]]))
    if sought:
        rows = rows.filter(content__icontains=sought)
    page = page_of(rows, request.GET, PAGE, _LAST_FIRST)
    keep = policy_for(request.actor.space_id)[1].aging.trash_days
    context = {
        "shelf": shelf,
        "filter": form,
        "sought": sought,
        "query": request.GET.urlencode(),
        "page": page,
        "rows": _rows(request.actor, page.rows, SHELVES[shelf], keep),
        "keep_days": round(keep),
        "may_restore": "decide" in request.actor.verbs,
    }
    return page_or_fragment(request, "memories/shelf.html", "memories/_shelf.html", context)


def removed_at(memory: Memory) -> datetime | None:
    """Return when a memory in the trash is removed for good, None for any other."""
    if memory.status != Status.DELETED:
        return None
    return _until(memory, policy_for(memory.space_id)[1].aging.trash_days)


def _until(memory: Memory, keep_days: float) -> datetime | None:
    """Deleting was the last change of what is in the trash (as the job “purge” reckons)."""
    gone = memory.status == Status.DELETED
    return memory.updated_at + timedelta(days=keep_days) if gone else None


def _rows(actor: Actor, found: Sequence[Memory], status: Status, keep: float) -> list[Row]:
    put = _put_there(actor, [memory.pk for memory in found], status)
    return [Row(memory, put.get(memory.pk), _until(memory, keep)) for memory in found]


def _put_there(actor: Actor, keys: Sequence[UUID], status: Status) -> Mapping[UUID, Event]:
    """Return the newest event of each memory that gave it this status."""
    events: QuerySet[Event] = Event.objects.filter(
        space_id=actor.space_id, memory_id__in=keys, data__changed__status__1=status
    )
    newest = events.order_by("memory_id", "-id").distinct("memory_id")
    return {event.memory_id: event for event in newest if event.memory_id}


def _restored(request: MemberRequest, shelf: str) -> HttpResponse:
    """Restore what was chosen, each for itself, and say what came of it."""
    request.actor.require("decide")
    chosen = request.POST.getlist("one") or request.POST.getlist("memory")
    keys = [key for key in map(key_of, chosen[:PAGE]) if key]
    back, refused = 0, []
    for key in keys:
        try:
            restore_memory(actor=request.actor, memory_id=key)
            back += 1
        except (Invalid, NotFound) as error:
            refused.append(error.message)
    _tell(request, back, refused)
    query = request.POST.get("query", "")
    return redirect(reverse(f"memories:{shelf}") + (f"?{query}" if query else ""))


def _tell(request: MemberRequest, back: int, refused: Sequence[str]) -> None:
    if back:
        said: Any = ngettext("%(n)d memory is back.", "%(n)d memories are back.", back)
        messages.success(request, said % {"n": back})
    for sentence in dict.fromkeys(refused):
        messages.error(request, sentence)
    if not back and not refused:
        messages.error(request, _("Nothing was selected."))
