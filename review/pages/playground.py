"""The playground: a question as somebody asks it, under the policy in force and under another."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memories.errors import Invalid, NotFound, Stale
from memories.models.memory import Memory
from memories.models.space import Space
from memories.pages.access import MemberRequest, member_page
from memories.pages.job_present import reason_against
from memories.pages.rendering import page_or_fragment
from memories.pages.session_places import number_of
from memories.permissions import Actor
from memories.policies import PolicyNumbers, policy_for
from memories.policy_changes import change_policy, policy_history, stored_at
from memories.recall.trial import Trial, try_recall
from review.pages.playground_form import AskForm, NumbersForm
from review.pages.playground_present import columns

EXAMPLES = 2


@dataclass(frozen=True, slots=True)
class Desk:
    """What an address says: a question, and B, which begins from `version` of the policy.

    `newest` is the version in force; `slug` names the space in an address that is sent around.
    """

    ask: AskForm
    numbers: NumbersForm
    version: int
    newest: int
    slug: str

    def is_valid(self) -> bool:
        """Whether both forms hold what fits."""
        return all([self.ask.is_valid(), self.numbers.is_valid()])

    def address(self, *, altered: bool = True) -> str:
        """Return the shortest address of this page that says the same, or without B's numbers."""
        query = QueryDict(mutable=True)
        query.update({"space": self.slug} | self.ask.given())
        if altered:
            changed = self.numbers.given() if self.numbers.is_valid() else {}
            if changed or self.version != self.newest:
                query.update({"version": str(self.version)} | changed)
        return f"{reverse('playground:index')}?{query.urlencode()}"


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def index(request: MemberRequest) -> HttpResponse:
    """Ask, and turn the numbers; what is posted saves them as the next version of the policy."""
    desk = desk_for(request.actor, request.GET)
    if request.method == "POST":
        return _save(request, desk)
    return _page(request, desk)


def desk_for(actor: Actor, data: QueryDict) -> Desk:
    """Return what the data of an address say; raises NotFound for an unknown version."""
    newest, policy = policy_for(actor.space_id)
    begun = number_of(data.get("version"))
    version = newest if begun is None else begun
    base = policy if version == newest else _policy_at(actor, version)
    slug = Space.objects.values_list("slug", flat=True).get(pk=actor.space_id)
    ask = AskForm(actor, policy_history(actor), data)
    return Desk(ask, NumbersForm(base, data), version, newest, slug)


def _policy_at(actor: Actor, version: int) -> PolicyNumbers:
    """Return a version of the policy, or raise NotFound; also where it has numbers gone since."""
    stored = stored_at(actor, version)
    try:
        return PolicyNumbers.model_validate(stored)
    except ValueError as error:
        raise NotFound(
            _("That version has numbers that there are no more."), field="version"
        ) from (error)


def _page(request: MemberRequest, desk: Desk, *, status: int = 200) -> HttpResponse:
    context = {
        "ask": desk.ask,
        "numbers": desk.numbers,
        "version": desk.version,
        "begun": _("Begun from: %(policy)s") % {"policy": _title(desk.version, desk.newest)},
        "groups": desk.numbers.groups(),
        "against": reason_against(request.actor),
    }
    if desk.is_valid():
        asked = desk.ask.cleaned_data["q"]
        context |= _answered(request.actor, desk) if asked else _examples(request.actor)
    refused = not desk.is_valid()
    context |= {
        "refused": refused,
        "address": desk.address(),
        "reset": desk.address(altered=False),
    }
    response = page_or_fragment(
        request, "playground/index.html", "playground/_answers.html", context
    )
    response.status_code = max(status, 400) if refused else status
    if request.htmx:
        response["HX-Replace-Url"] = desk.address()
    return response


def _answered(actor: Actor, desk: Desk) -> dict[str, Any]:
    """Return the answers beside one another; one alone while B is what it is compared with."""
    compared = desk.ask.cleaned_data["a"]
    number = int(compared) if compared else desk.newest
    mine, other = desk.numbers.policy(), _compared_with(actor, number, desk)
    changes = desk.numbers.changes()
    policies = [other] if other == mine else [other, mine]
    titles = [_title(number, desk.newest), _title(desk.version, desk.newest, len(changes))]
    try:
        trial = try_recall(actor=actor, policies=policies, **desk.ask.asked())
    except Invalid as error:
        named = {"query": "q", "user_id": "user", "session": "session"}
        desk.ask.add_error(named.get(error.field), error.message)
        return {}
    return {
        "trial": trial,
        "columns": columns(trial.answers, titles[: len(policies)]),
        "changes": changes,
        "said": _said(trial),
    }


def _compared_with(actor: Actor, number: int, desk: Desk) -> PolicyNumbers:
    if number == desk.newest:
        return policy_for(actor.space_id)[1]
    return _policy_at(actor, number)


def _title(version: int, newest: int, changes: int = 0) -> str:
    """Return what a policy is called: Version 3, in force; Version 3, changes: 2."""
    named = _("Version %(n)d") % {"n": version} if version else _("Defaults")
    if changes:
        return _("%(policy)s, changes: %(n)d") % {"policy": named, "n": changes}
    return _("%(policy)s, in force") % {"policy": named} if version == newest else named


def _said(trial: Trial) -> str:
    """Return what is read out after each change: how many hits there are."""
    counts = [len(answer.hits) for answer in trial.answers]
    if len(counts) == 1:
        return _("Hits: %(n)d") % {"n": counts[0]}
    return _("Hits: A %(a)d, B %(b)d") % {"a": counts[0], "b": counts[1]}


def _examples(actor: Actor) -> dict[str, Any]:
    """Return what the newest memories are about, to begin with."""
    rows = Memory.objects.visible_to(actor).live().exclude(subject="").order_by("-id")
    subjects = dict.fromkeys(rows.values_list("subject", flat=True)[:20])
    return {"examples": list(subjects)[:EXAMPLES]}


def _save(request: MemberRequest, desk: Desk) -> HttpResponse:
    """Make B the next version of the policy, if it was begun from the newest."""
    if not desk.is_valid():
        return _page(request, desk)
    altered, told = desk.numbers.altered(), desk.numbers.changes()
    try:
        made = change_policy(
            actor=request.actor,
            numbers=altered,
            note=request.POST.get("note", ""),
            expected_version=desk.version,
        )
    except Invalid as error:
        desk.numbers.add_error(None, error.message)
        return _page(request, desk, status=400)
    except Stale as error:
        return _moved_on(request, desk, error)
    what = "; ".join(f"{name} {before} → {after}" for name, before, after in told)
    messages.success(
        request, _("Saved as version %(n)d: %(what)s.") % {"n": made.version, "what": what}
    )
    return redirect(desk.address(altered=False))


def _moved_on(request: MemberRequest, desk: Desk, error: Stale) -> HttpResponse:
    """Show what this person altered on top of what somebody else saved meanwhile."""
    data = request.GET.copy()
    for path in desk.numbers.fields:
        data.pop(path, None)
    data.update({"version": str(error.details["version"])} | desk.numbers.given())
    messages.error(request, error.message)
    return _page(request, desk_for(request.actor, data), status=409)
