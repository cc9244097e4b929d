"""The pages of a space's rules: doors only."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from memories.errors import Invalid, NotAllowed, Stale
from memories.models.flag import Flag
from memories.pages.access import MemberRequest, member_page, posts_to
from review.kinds import KINDS, Kind, done, reason_sentence
from review.models import Decision, Rule
from review.pages import rule_words as words
from review.pages.rule_form import RuleForm
from review.rule_changes import (
    RuleText,
    apply_to_waiting,
    create_rule,
    delete_rule,
    get_rule,
    move_rule,
    rules_of,
    switch_rule,
    unsaved_rule,
    update_rule,
)
from review.rule_trial import RuleTrial, try_rule

MADE = 20


@dataclass(frozen=True, slots=True)
class Row:
    """A rule as the list shows it, in words."""

    rule: Rule
    looks_at: str
    conditions: list[tuple[str, str]]
    decides: str


@dataclass(frozen=True, slots=True)
class Tried:
    """What trying a rule found, in words, and the open items that fit it as (id, why flagged)."""

    fitting: str
    decided: str
    listed: list[tuple[UUID, str, str]]
    more: int
    open: int


@require_safe
@member_page
def index(request: MemberRequest) -> HttpResponse:
    """The rules in their order."""
    rules = list(rules_of(request.actor))
    suggested = words.suggestion()
    missing = not any(_says_the_same(rule, suggested) for rule in rules)
    context = {
        "rows": [_row(rule) for rule in rules],
        "against": _reason_against(request),
        "suggested": suggested if missing else None,
    }
    return render(request, "review/rules.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def create(request: MemberRequest) -> HttpResponse:
    """A new rule: first the kind of item, then the rest."""
    request.actor.require("administer")
    kind = KINDS.get(request.GET.get("kind", ""))
    if kind is None:
        return render(request, "review/rule_kinds.html", {"kinds": KINDS.values()})
    if request.method == "POST":
        return _posted(request, kind, None, _create)
    if "suggested" in request.GET:
        text = words.suggestion()
        form = RuleForm(request.actor, kind, initial=asdict(text))
        return _page(request, kind, form, unsaved_rule(actor=request.actor, text=text))
    return _page(request, kind, RuleForm(request.actor, kind), None)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def detail(request: MemberRequest, rule_id: UUID) -> HttpResponse:
    """One rule: what it says, what it would decide now, what it decided."""
    rule = get_rule(actor=request.actor, rule_id=rule_id)
    kind = KINDS[rule.kind]
    if request.method == "POST":
        request.actor.require("administer")
        return _posted(request, kind, rule, _update)
    return _page(request, kind, RuleForm.of(request.actor, kind, rule), rule, stored=rule)


@posts_to("policies:rule")
@member_page
def move(request: MemberRequest, rule_id: UUID) -> HttpResponse:
    """Up or down by one."""
    move_rule(actor=request.actor, rule_id=rule_id, up=request.POST.get("to") == "up")
    return redirect("policies:rules")


@posts_to("policies:rule")
@member_page
def switch(request: MemberRequest, rule_id: UUID) -> HttpResponse:
    """On or off."""
    active = request.POST.get("to") == "on"
    rule = switch_rule(actor=request.actor, rule_id=rule_id, active=active)
    on, off = _("“%(rule)s” decides from now on."), _("“%(rule)s” rests.")
    messages.success(request, (on if active else off) % {"rule": rule.name})
    return redirect("policies:rules")


@posts_to("policies:rule")
@member_page
def decide_waiting(request: MemberRequest, rule_id: UUID) -> HttpResponse:
    """Let it look at what waits already."""
    try:
        n = apply_to_waiting(actor=request.actor, rule_id=rule_id)
    except Invalid as error:
        messages.error(request, error.message)
    else:
        told = ngettext(
            "The rules look at %(n)d open item in a moment.",
            "The rules look at %(n)d open items in a moment.",
            n,
        )
        messages.success(request, told % {"n": n})
    return redirect("policies:rule", rule_id)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def delete(request: MemberRequest, rule_id: UUID) -> HttpResponse:
    """Ask once, then delete."""
    request.actor.require("administer")
    rule = get_rule(actor=request.actor, rule_id=rule_id)
    if request.method != "POST":
        return render(request, "review/rule_delete.html", {"row": _row(rule)})
    delete_rule(actor=request.actor, rule_id=rule_id)
    told = _("“%(rule)s” is deleted. What it decided stays.") % {"rule": rule.name}
    messages.success(request, told)
    return redirect("policies:rules")


Save = Callable[[MemberRequest, RuleText, Rule | None, RuleForm], Rule]


def _posted(request: MemberRequest, kind: Kind, rule: Rule | None, save: Save) -> HttpResponse:
    """Try what was sent, or save it; a refusal keeps it."""
    form = RuleForm(request.actor, kind, request.POST)
    if not form.is_valid():
        return _page(request, kind, form, None, stored=rule, status=400)
    try:
        if request.POST.get("do") != "save":
            unsaved = unsaved_rule(actor=request.actor, text=form.text())
            return _page(request, kind, form, unsaved, stored=rule)
        saved = save(request, form.text(), rule, form)
    except (Invalid, Stale) as error:
        form.add_error(error.field if error.field in form.fields else None, error.message)
        status = 409 if isinstance(error, Stale) else 400
        return _page(request, kind, form, None, stored=rule, status=status)
    messages.success(request, _("Saved: “%(rule)s”.") % {"rule": saved.name})
    return redirect("policies:rules")


def _create(request: MemberRequest, text: RuleText, _rule: Rule | None, _form: RuleForm) -> Rule:
    return create_rule(actor=request.actor, text=text)


def _update(request: MemberRequest, text: RuleText, rule: Rule | None, form: RuleForm) -> Rule:
    if rule is None:
        raise Invalid(_("There is no such rule here."))
    try:
        seen = datetime.fromisoformat(form.cleaned_data["seen"])
    except ValueError as error:
        raise Stale(_("Open the rule again, then save.")) from error
    return update_rule(actor=request.actor, rule_id=rule.pk, text=text, seen=seen)


def _page(
    request: MemberRequest,
    kind: Kind,
    form: RuleForm,
    tried: Rule | None,
    *,
    stored: Rule | None = None,
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {
        "kind": kind,
        "form": form,
        "ticks": [form[name] for name in ("reasons", "memory_kinds", "sources")],
        "rule": stored,
        "trial": _tried(request, tried) if tried else None,
        "made": _made(request, stored) if stored else (),
        "against": _reason_against(request),
    }
    return render(request, "review/rule.html", context, status=status)


def _tried(request: MemberRequest, rule: Rule) -> Tried:
    trial: RuleTrial = try_rule(actor=request.actor, rule=rule)
    return Tried(
        words.fitting(trial),
        words.decided(trial),
        [(flag.pk, reason_sentence(flag), flag.memory.content) for flag in trial.listed],
        trial.open - len(trial.listed),
        trial.open,
    )


def _made(request: MemberRequest, rule: Rule) -> list[tuple[Decision, str, str]]:
    """Return what a rule decided last: the decision, what it did, and on which text."""
    seen = Flag.objects.visible_to(request.actor)
    made = Decision.objects.filter(rule=rule, flag__in=seen).select_related("flag__memory")
    newest = made.order_by("-id")[:MADE]
    return [(one, done(one.choice, one.flag.kind), one.flag.memory.content) for one in newest]


def _row(rule: Rule) -> Row:
    return Row(rule, words.kind_of_item(rule), words.conditions(rule), words.decides(rule))


def _says_the_same(rule: Rule, text: RuleText) -> bool:
    return (rule.kind, rule.choice, tuple(rule.memory_kinds), tuple(rule.sources)) == (
        text.kind,
        text.choice,
        tuple(text.memory_kinds),
        tuple(text.sources),
    )


def _reason_against(request: MemberRequest) -> str:
    """Return why this person may not change rules, "" when they may."""
    try:
        request.actor.require("administer")
    except NotAllowed as error:
        return error.message
    return ""
