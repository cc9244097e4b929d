"""Where a page of the queue leads on to, with the queue's filter kept."""

from uuid import UUID

from django.urls import reverse

from memories.models.flag import Flag
from memories.pages.access import MemberRequest
from memories.pages.paging import without_cursor
from review import queue
from review.filters import queue_filter


def address(request: MemberRequest, flag_id: UUID | None = None) -> str:
    """Return the address of a flag, or of the queue."""
    path = reverse("review:item", args=[flag_id]) if flag_id else reverse("review:queue")
    query = query_of(request)
    return f"{path}?{query}" if query else path


def query_of(request: MemberRequest) -> str:
    """Return the queue's filter as the address has it."""
    return without_cursor(request.GET).urlencode()


def beside(request: MemberRequest, flag: Flag) -> tuple[UUID | None, UUID | None]:
    """Return the flags before and after one, as the person looks at the queue."""
    return queue.beside(request.actor, queue_filter(request.GET), flag)


def onward(request: MemberRequest, flag: Flag) -> str:
    """Return where to go when this flag is done: to the next, or to the queue after the last."""
    before, after = beside(request, flag)
    return address(request, after or before)
