"""A flag's page: looked at, decided, left. Doors only."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memories.errors import Invalid, NotAllowed, Stale
from memories.lifecycle import Settled
from memories.models.flag import Flag
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.pages.paging import key_of
from memories.permissions import Actor
from review.claims import claim, claimed_by_other, let_go
from review.decisions import decide as decide_flag
from review.handling import comments_of
from review.kinds import done
from review.models import Claim
from review.pages import toast
from review.pages.desk import desk_of
from review.pages.forms import DecisionForm, versions_in
from review.pages.ways import address, beside, onward
from review.queue import decision_of, get_flag

# htmx asks no more after this status.
STOP_POLLING = 286


@require_safe
@member_page
def item(request: MemberRequest, flag_id: UUID) -> HttpResponse:
    """One flag; opening it claims it for a while."""
    flag = get_flag(request.actor, flag_id)
    return _item(request, flag, DecisionForm(flag))


@require_safe
@member_page
def presence(request: MemberRequest, flag_id: UUID) -> HttpResponse:
    """What happened since the page was opened, for htmx to ask; asking renews one's claim."""
    flag = get_flag(request.actor, flag_id)
    held = _claimed(request.actor, flag)
    seen = versions_in(request.GET.get("versions", ""))
    present = (flag.memory.version, *([flag.counterpart.version] if flag.counterpart else []))
    last = key_of(request.GET.get("comment"))
    said = comments_of(flag).exclude(user=request.actor.id)
    context = {
        "flag": flag,
        "decision": decision_of(flag),
        "claim": held,
        "mine": bool(request.GET.get("mine")),
        "free": held is None and "decide" in request.actor.verbs and not request.GET.get("mine"),
        "moved": seen[: len(present)] != present,
        "comments": said.filter(pk__gt=last) if last else said,
        "here": request.htmx.current_url_abs_path or reverse("review:item", args=[flag_id]),
    }
    status = 200 if flag.status == Flag.Status.OPEN else STOP_POLLING
    return render(request, "review/_presence.html", context, status=status)


@posts_to("review:item")
@member_page
def take_over(request: MemberRequest, flag_id: UUID) -> HttpResponse:
    """Take a flag from whoever is looking at it."""
    claim(actor=request.actor, flag=get_flag(request.actor, flag_id), take_over=True)
    return redirect(address(request, flag_id))


@posts_to("review:item")
@member_page
def skip(request: MemberRequest, flag_id: UUID) -> HttpResponse:
    """Go on without a decision, and leave the flag to others."""
    flag = get_flag(request.actor, flag_id)
    let_go(actor=request.actor, flag=flag)
    before, after = beside(request, flag)
    return redirect(address(request, before if request.POST.get("to") == "before" else after))


@posts_to("review:item")
@member_page
def decide(request: MemberRequest, flag_id: UUID) -> HttpResponse:
    """Carry out a decision and go on to the next flag; a refusal keeps what was typed."""
    request.actor.require("decide")
    flag = get_flag(request.actor, flag_id)
    form = DecisionForm(flag, request.POST)
    if not form.is_valid():
        return _item(request, flag, form, status=400)
    if held := claimed_by_other(flag, request.actor):
        form.add_error(None, _("%(name)s is looking at this.") % {"name": held.user.get_username()})
        return _item(request, flag, form, status=409)
    try:
        settled = _decided(request, flag, form)
    except (Invalid, NotAllowed) as error:
        form.add_error(error.field if error.field in form.fields else None, error.message)
        return _item(request, flag, form, status=400 if isinstance(error, Invalid) else 403)
    except Stale as error:
        now = get_flag(request.actor, flag_id)
        form.add_error(None, _overtaken(now) or error.message)
        return _item(request, now, form, status=409)
    messages.success(request, toast.decided(request, settled))
    return redirect(onward(request, settled.flag))


def _overtaken(flag: Flag) -> str:
    """Return who decided what meanwhile, "" when nobody did."""
    decision = decision_of(flag)
    if decision is None:
        return ""
    told = {"who": decision.user_name, "what": done(decision.choice, flag.kind)}
    return _("%(who)s decided this meanwhile: %(what)s.") % told


def _decided(request: MemberRequest, flag: Flag, form: DecisionForm) -> Settled:
    chosen = form.cleaned_data
    return decide_flag(
        actor=request.actor,
        flag_id=flag.pk,
        choice=chosen["choice"],
        expected_versions=form.seen,
        content=chosen["content"],
        note=chosen["note"],
        reason=chosen["reason"],
    )


def _item(
    request: MemberRequest, flag: Flag, form: DecisionForm, *, status: int = 200
) -> HttpResponse:
    held = _claimed(request.actor, flag)
    context = desk_of(request, flag, form) | {"claim": held}
    return render(request, "review/item.html", context, status=status)


def _claimed(actor: Actor, flag: Flag) -> Claim | None:
    """Claim an open flag for whoever may decide it; return someone else's claim that holds."""
    if flag.status == Flag.Status.OPEN and "decide" in actor.verbs:
        held = claim(actor=actor, flag=flag)
        return held if held.user_id != actor.id else None
    return claimed_by_other(flag, actor)
