"""The page of a space's numbers: doors only."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memories.errors import Invalid, NotAllowed, NotFound, Stale
from memories.models.policy import Policy
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.pages.session_places import number_of
from memories.policies import PolicyNumbers, policy_for
from memories.policy_changes import (
    Changed,
    change_policy,
    policy_history,
    restore_policy,
    stored_at,
)
from review.pages.policy_form import PolicyForm, plain, posted, reset
from review.pages.policy_trial import tried
from review.pages.policy_words import called


@dataclass(frozen=True, slots=True)
class Version:
    """A line of the history: a policy, and what it changed as (what, before, after)."""

    policy: Policy
    changes: Sequence[tuple[str, str, str]]


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def index(request: MemberRequest) -> HttpResponse:
    """Every number, with its history; a form that tries other numbers, or saves them."""
    version, policy = policy_for(request.actor.space_id)
    if request.method != "POST":
        return _page(request, PolicyForm(policy, version))
    request.actor.require("administer")
    wanted = request.POST.get("do", "")
    if wanted.startswith("reset:"):
        sent = reset(request.POST, wanted.partition(":")[2])
        return _page(request, PolicyForm(policy, version, sent))
    form = PolicyForm(_seen(request, policy), version, request.POST)
    if not form.is_valid():
        return _page(request, form, status=400)
    if wanted == "save":
        return _save(request, form)
    trial = tried(actor=request.actor, policy=policy, altered=form.altered())
    return _page(request, form, trial=trial)


@posts_to("policies:index")
@member_page
def restore(request: MemberRequest) -> HttpResponse:
    """Make an earlier version the newest one again."""
    try:
        made = restore_policy(
            actor=request.actor,
            version=number_of(request.POST.get("version")) or 0,
            expected_version=number_of(request.POST.get("expected")) or 0,
        )
    except (Invalid, Stale) as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _saved(request, made))
    return redirect("policies:index")


def _save(request: MemberRequest, form: PolicyForm) -> HttpResponse:
    altered = form.altered()
    try:
        made = change_policy(
            actor=request.actor,
            numbers=altered,
            note=form.cleaned_data["note"],
            expected_version=form.cleaned_data["version"],
        )
    except Invalid as error:
        form.add_error(error.field if error.field in form.fields else None, error.message)
        return _page(request, form, status=400)
    except Stale as error:
        # What this person altered stays altered, on top of what somebody else saved meanwhile.
        version, policy = policy_for(request.actor.space_id)
        sent = posted(policy, altered, version=version, note=form.cleaned_data["note"])
        fresh = PolicyForm(policy, version, sent)
        fresh.add_error(None, error.message)
        return _page(request, fresh, status=409)
    messages.success(request, _saved(request, made))
    return redirect("policies:index")


def _seen(request: MemberRequest, policy: PolicyNumbers) -> PolicyNumbers:
    """Return the policy of the version that the person saw: what they altered is told from it."""
    version = number_of(request.POST.get("version"))
    try:
        return PolicyNumbers.model_validate(stored_at(request.actor, version or 0))
    except (NotFound, ValueError):
        return policy


def _page(
    request: MemberRequest, form: PolicyForm, *, trial: Any = None, status: int = 200
) -> HttpResponse:
    versions = _versions(request)
    context = {
        "form": form,
        "sections": form.sections(),
        "against": _reason_against(request),
        "trial": trial,
        "versions": versions,
        "newest": versions[0].policy.version if versions else 0,
    }
    return render(request, "review/policies.html", context, status=status)


def _versions(request: MemberRequest) -> list[Version]:
    return [Version(step.policy, _told(step.changed)) for step in policy_history(request.actor)]


def _told(changed: Changed) -> list[tuple[str, str, str]]:
    return [
        (called(path), plain(path, before), plain(path, after))
        for path, (before, after) in changed.items()
    ]


def _saved(request: MemberRequest, made: Policy) -> str:
    changes = next(v.changes for v in _versions(request) if v.policy.pk == made.pk)
    told = "; ".join(f"{what} {before} → {after}" for what, before, after in changes)
    return _("Saved as version %(n)d: %(what)s.") % {"n": made.version, "what": told}


def _reason_against(request: MemberRequest) -> str:
    """Return why this person may not change the numbers, "" when they may."""
    try:
        request.actor.require("administer")
    except NotAllowed as error:
        return error.message
    return ""
