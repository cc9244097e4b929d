"""Undo, from a toast or from history."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from memories.errors import Stale
from memories.pages.access import MemberRequest, member_page
from memories.pages.shell import address_back
from review.kinds import done
from review.models import Decision
from review.pages.ways import address
from review.undo import get_decision, undo_decision


@member_page
def undo(request: MemberRequest, decision_id: UUID) -> HttpResponse:
    """Take one decision back and go to its item, or where the form says; or say why not."""
    decision = get_decision(request.actor, decision_id)
    if request.method == "POST":
        try:
            undo_decision(actor=request.actor, decision_id=decision_id)
        except Stale as error:
            messages.error(request, error.message)
        else:
            messages.success(
                request,
                _("Undone: %(what)s.") % {"what": done(decision.choice, decision.flag.kind)},
            )
    return redirect(_way(request, decision))


def _way(request: MemberRequest, decision: Decision) -> str:
    return address_back(request) or address(request, decision.flag_id)
