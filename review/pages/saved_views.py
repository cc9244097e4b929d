"""Saved views: filters of the queue that a person comes back to."""

from typing import cast
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from memories.errors import Invalid
from memories.inputs import short_text
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.permissions import Actor
from review.filters import queue_filter
from review.models import SavedView

LONGEST_NAME, LONGEST_QUERY = 60, 1000


@posts_to("review:queue")
@member_page
def save(request: MemberRequest) -> HttpResponse:
    """Keep the filter of the form's `query` under a name; a name used before gets this filter."""
    query = queue_filter(QueryDict(request.POST.get("query", ""))).query()
    try:
        name = _name(request.POST.get("name", ""))
        _bounded(query)
    except Invalid as error:
        messages.error(request, error.message)
    else:
        _keep(request.actor, name, query)
        messages.success(request, _("The view “%(name)s” is saved.") % {"name": name})
    there = reverse("review:queue")
    return redirect(f"{there}?{query}" if query else there)


@posts_to("review:queue")
@member_page
def delete(request: MemberRequest) -> HttpResponse:
    """Forget a view of one's own."""
    view = get_object_or_404(
        SavedView,
        pk=_number(request.POST.get("view", "")),
        space=request.actor.space_id,
        user=request.actor.id,
    )
    view.delete()
    messages.success(request, _("The view “%(name)s” is deleted.") % {"name": view.name})
    return redirect("review:queue")


def _name(said: str) -> str:
    name = short_text(said, "name", LONGEST_NAME)
    if not name:
        raise Invalid(_("Give the view a name."), field="name")
    return name


def _bounded(query: str) -> None:
    if len(query) > LONGEST_QUERY:
        raise Invalid(_("This filter is too long to be saved: shorten its texts."), field="query")


def _keep(actor: Actor, name: str, query: str) -> None:
    # Whoever is signed in is a person, and people have ids.
    SavedView.objects.update_or_create(
        space_id=actor.space_id,
        user_id=cast(UUID, actor.id),
        name=name,
        defaults={"query": query},
    )


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 19 else None
