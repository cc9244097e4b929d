"""Everything a flag's page shows, gathered for its template with a fixed number of queries."""

from typing import Any

from django.utils import timezone

from memories.errors import NotAllowed
from memories.models.flag import Flag
from memories.pages.access import MemberRequest
from memories.permissions import Actor
from memories.policies import policy_for
from review.handling import LONGEST, comments_of, people_of
from review.kinds import kind_of
from review.pages.background import similar_to, trail_of
from review.pages.effects import options_of
from review.pages.evidence import evidence_of
from review.pages.forms import DecisionForm
from review.pages.moved import moved_since
from review.pages.present import item_of
from review.pages.ways import beside, query_of
from review.queue import decision_of


def desk_of(request: MemberRequest, flag: Flag, form: DecisionForm) -> dict[str, Any]:
    """Return the page of a flag of get_flag(), with what was typed into its form."""
    actor = request.actor
    review = policy_for(actor.space_id)[1].review
    item = item_of(flag, actor, review)
    before, after = beside(request, flag)
    is_open = flag.status == Flag.Status.OPEN
    today = timezone.localdate()
    return talk_of(request, flag) | {
        "item": item,
        "kind": kind_of(flag),
        "form": form,
        "options": options_of(actor, item, two_people=review.two_people) if is_open else [],
        "against": _reason_against(actor),
        "moved": moved_since(item.texts, form.seen),
        "evidence": evidence_of(item, actor),
        "similar": similar_to(actor, flag.memory, [text.memory for text in item.texts]),
        "trail": trail_of(flag),
        "decision": decision_of(flag),
        "snoozed": flag.snoozed_until and flag.snoozed_until > timezone.now(),
        "first_day": today,
        "last_day": today + LONGEST,
        "before": before,
        "after": after,
    }


def talk_of(request: MemberRequest, flag: Flag) -> dict[str, Any]:
    """Return the part about people: who should decide, and what they said to one another."""
    return {
        "flag": flag,
        "comments": list(comments_of(flag)),
        "people": list(people_of(request.actor)),
        "may_decide": "decide" in request.actor.verbs,
        "query": query_of(request),
    }


def _reason_against(actor: Actor) -> str:
    """Return why this person may not decide, "" when they may."""
    try:
        actor.require("decide")
    except NotAllowed as error:
        return error.message
    return ""
