"""The page of the queue's numbers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from memories.pages.access import MemberRequest, member_page
from review.kinds import KINDS, labelled
from review.numbers import Backlog, Day, Decider, Numbers, Wait, Writer, numbers_of
from review.pages import charts
from review.rates import Rate

PERIODS = (7, 30, 90)
USUAL = 30
AGES = ("today", "week", "month", "older")


@dataclass(frozen=True, slots=True)
class RateRow:
    """A rate with what it is called, where that leads ("" = nowhere), and its picture."""

    name: str
    rate: Rate
    spread: charts.Spread
    url: str = ""


@dataclass(frozen=True, slots=True)
class WaitRow:
    """How long items of a kind waited, in words."""

    name: str
    count: int
    median: str
    p90: str


@require_safe
@member_page
def numbers(request: MemberRequest) -> HttpResponse:
    """What waits, how fast it is decided, and how the decisions turned out."""
    days = _period(request.GET.get("days", ""))
    found = numbers_of(request.actor, days)
    context = {
        "numbers": found,
        "days": days,
        "periods": PERIODS,
        "empty": not (found.open or found.made or any(day.opened for day in found.days)),
        "wait": _wait(_("all kinds"), found.wait),
        "undone_share": found.undone / found.made if found.made else 0.0,
    }
    return render(request, "review/numbers.html", context | _pictures(found))


def _period(text: str) -> int:
    return int(text) if text in {str(days) for days in PERIODS} else USUAL


def _pictures(found: Numbers) -> dict[str, object]:
    """Return every section's rows with what is drawn beside them."""
    chart = charts.columns([_stacks(day) for day in found.days])
    made = charts.rows([[("people", one.made)] for one in found.people])
    return {
        "backlog": list(zip(found.backlog, _ages(found.backlog), strict=True)),
        "chart": chart,
        "days_drawn": list(zip(found.days, chart.slots, strict=True)),
        "middle": found.days[len(found.days) // 2],
        "waits": [_wait(labelled(kind), wait) for kind, wait in found.waits.items()],
        "agents": [rate_row(*_named(writer), rate) for writer, rate in found.by_agent.items()],
        "reasons": _reasons(found.by_reason),
        "people": list(zip(found.people, made, strict=True)),
        "rules": _rules(found.rules),
    }


def _ages(backlog: Iterable[Backlog]) -> list[list[charts.Bar]]:
    return charts.rows([list(zip(AGES, one.ages, strict=True)) for one in backlog])


def _stacks(day: Day) -> list[list[charts.Part]]:
    """What came, and beside it what went: by people, and on top of it by rules."""
    return [[("opened", day.opened)], [("people", day.by_people), ("automatic", day.automatic)]]


def _named(writer: Writer) -> tuple[str, str]:
    agent_id, name = writer
    if agent_id is None:
        return _("people"), ""
    return name, reverse("agents:detail", args=[agent_id])


def rate_row(name: str, url: str, rate: Rate) -> RateRow:
    """Return a rate as a row of a table."""
    return RateRow(name, rate, charts.spread(rate), url)


def _reasons(rates: Mapping[tuple[str, str], Rate]) -> list[RateRow]:
    return [rate_row(_reason(*found), "", rate) for found, rate in rates.items()]


def _reason(kind: str, code: str) -> str:
    """Name a kind and why it was flagged; unknown codes stay readable."""
    known = KINDS[kind].reasons.get(code) if kind in KINDS else None
    return f"{labelled(kind)}: {known.short if known else code.replace('_', ' ')}"


def _rules(rules: Iterable[Decider]) -> list[RateRow]:
    return [rate_row(rule.name, "", rule.kept) for rule in rules]


def _wait(name: str, wait: Wait) -> WaitRow:
    return WaitRow(name, wait.count, lasted(wait.median), lasted(wait.p90))


def lasted(time: timedelta | None) -> str:
    """Return a duration in its largest unit: "3 hours"; a dash for none."""
    if time is None:
        return "–"
    minutes = int(time.total_seconds() // 60)
    if minutes < 1:
        return _("under a minute")
    if minutes < 120:
        return ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes}
    hours = minutes // 60
    if hours < 48:
        return ngettext("%(n)d hour", "%(n)d hours", hours) % {"n": hours}
    return ngettext("%(n)d day", "%(n)d days", hours // 24) % {"n": hours // 24}
