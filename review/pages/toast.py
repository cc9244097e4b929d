"""What a page says after something was done, with the way back."""

from django.template.loader import render_to_string

from memories.lifecycle import Settled
from memories.models.flag import Flag
from memories.pages.access import MemberRequest
from review.kinds import done
from review.models import Decision
from review.pages.ways import query_of


def decided(request: MemberRequest, settled: Settled) -> str:
    """Return the HTML that says what was decided, with a form that undoes it."""
    flag = settled.flag
    context = {
        "flag": flag,
        "what": done(flag.resolution, flag.kind),
        "memory": settled.memories[0],
        "decision": Decision.objects.standing().filter(flag=flag).first(),
        "query": query_of(request),
    }
    return render_to_string("review/_toast.html", context, request)


def snoozed(request: MemberRequest, flag: Flag) -> str:
    """Return the HTML that says until when a flag is put off, with a form that wakes it."""
    return render_to_string("review/_toast_snoozed.html", {"flag": flag}, request)
