"""The pages of recalls: what was asked and answered, and one of them by itself. Doors only."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memories.models.agent import Agent
from memories.models.feedback import Feedback
from memories.models.recall import Hit, Recall
from memories.pages.access import MemberRequest, member_page
from memories.pages.paging import page_of, without_cursor
from memories.pages.recall_filters import RecallFilter
from memories.pages.rendering import page_or_fragment
from memories.pages.words import ARMS
from memories.permissions import Actor
from memories.recall.reading import Answer, answers_to, get_recall, recalls_of

PAGE = 30
# The list shows the first hits of each recall; its own page has all.
SHOWN = 3


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the log."""

    recall: Recall
    answer: Answer


@dataclass(frozen=True, slots=True)
class Told:
    """A hit on its recall's page, and what was said of it there."""

    hit: Hit
    feedback: Sequence[Feedback]

    @property
    def arms(self) -> list[tuple[str, float]]:
        """Return what each arm and rule said, in their usual order; an old row lacks some."""
        places = {name: place for place, name in enumerate(ARMS)}
        said: dict[str, float] = self.hit.arms
        return sorted(said.items(), key=lambda one: (places.get(one[0], len(places)), one[0]))


@require_safe
@member_page
def index(request: MemberRequest) -> HttpResponse:
    """The log of recalls, newest first."""
    request.actor.require("see_private")
    query = without_cursor(request.GET)
    form = RecallFilter(query)
    context: dict[str, Any] = {"filter": form}
    if form.is_valid():
        page = page_of(recalls_of(request.actor, form.filters()), request.GET, PAGE)
        context |= {"page": page, "rows": _rows(request.actor, page.rows)}
    return page_or_fragment(request, "recalls/index.html", "recalls/_results.html", context)


def _rows(actor: Actor, recalls: Sequence[Recall]) -> list[Row]:
    answers = answers_to(actor, recalls, SHOWN)
    return [Row(recall, answers[recall.pk]) for recall in recalls]


@require_safe
@member_page
def detail(request: MemberRequest, recall_id: UUID) -> HttpResponse:
    """One recall: every hit, what each arm said of it, and the feedback given on it."""
    recall = get_recall(actor=request.actor, recall_id=recall_id)
    context = {
        "recall": recall,
        "rows": _told(request.actor, recall),
        "again": _again(recall),
        "may_write": "write" in request.actor.verbs,
    }
    return render(request, "recalls/detail.html", context)


def _again(recall: Recall) -> str:
    """Return the query with which the playground asks the same, as the agent if it still works."""
    agents = Agent.objects.filter(space_id=recall.space_id, is_active=True)
    return asked_as(
        recall, works=recall.actor_id is not None and agents.filter(pk=recall.actor_id).exists()
    )


def asked_as(recall: Recall, *, works: bool) -> str:
    """Return the same of a recall whose agent is known to work, or not to."""
    asked = {
        "q": recall.query,
        "agent": str(recall.actor_id) if works else "",
        "user": recall.user_id,
        "session": recall.session,
    }
    return urlencode({name: value for name, value in asked.items() if value})


def _told(actor: Actor, recall: Recall) -> list[Told]:
    said: dict[UUID, list[Feedback]] = defaultdict(list)
    for feedback in Feedback.objects.filter(recall=recall).order_by("-id"):
        said[feedback.memory_id].append(feedback)
    hits = answers_to(actor, [recall])[recall.pk].hits
    return [Told(hit, said[hit.memory_id]) for hit in hits]
