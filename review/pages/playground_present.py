"""Answers of the playground, made ready for its template: bars, tables, moves, and reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memories.pages.words import arm
from memories.recall.payload import rounded
from memories.recall.result import Scored
from memories.recall.trial import Answer, Left, Why
from review.pages.charts import Bar
from review.pages.policy_words.word import Text

ADDING = ("keyword", "semantic", "context", "time", "session", "importance")
"""Weight times what the arm said is what it adds, and all of them are added up."""
SHARING = ("source", "confidence", "writer", "feedback", "recency")
"""Each leaves a share of what there was before it, in this order."""
HEIGHT = 10.0
TELLS = 0.005
"""A part that is less than this is drawn, but not named beside the bar."""

WHYS: Mapping[Why, Text] = {
    "nothing": gettext_lazy("Not even the best is relevant enough"),
    "status": gettext_lazy("Not searched, for its status"),
    "filter": gettext_lazy("Excluded by the filters"),
    "below": gettext_lazy("After the last hit"),
    "irrelevant": gettext_lazy("Not relevant enough"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """What an arm or a rule made of a score: `said` is its word, `how` what was done with it."""

    name: str
    label: str
    said: float | None
    how: str
    part: float

    @property
    def tells(self) -> bool:
        """Whether it is worth a word beside the bar."""
        return abs(self.part) >= TELLS

    @property
    def short(self) -> str:
        """What it adds or takes, to two places."""
        return _signed(self.part, 2)

    @property
    def exact(self) -> str:
        """The same to as many places as add up to the score."""
        return _signed(self.part, 4)


@dataclass(frozen=True, slots=True)
class Move:
    """Where a hit stands as against the other answer: `way` is up, down, same, new or gone."""

    way: str
    sign: str
    words: str


@dataclass(frozen=True, slots=True)
class Row:
    """A hit with the bars and the table of its parts."""

    hit: Scored
    parts: Sequence[Part]
    bars: Sequence[Bar]
    zero: float
    move: Move | None


@dataclass(frozen=True, slots=True)
class Reason:
    """A memory that was left out, and one sentence that says why."""

    left: Left
    sentence: str


@dataclass(frozen=True, slots=True)
class Column:
    """An answer, with what its policy is called; `letter` is "" where there is but one."""

    letter: str
    title: str
    rows: Sequence[Row]
    reasons: Sequence[tuple[Text, Sequence[Reason]]]
    empty: str

    @property
    def left(self) -> int:
        """How many are listed as left out."""
        return sum(len(listed) for _label, listed in self.reasons)


def columns(answers: Sequence[Answer], titles: Sequence[str]) -> list[Column]:
    """Return one answer, or two side by side with what moved, drawn on one scale."""
    span = _span([hit for answer in answers for hit in answer.hits])
    letters = ("A", "B") if len(answers) > 1 else ("",)
    ranks = [{hit.memory.pk: hit.rank for hit in answer.hits} for answer in answers]
    found = []
    for number, (letter, title, answer) in enumerate(zip(letters, titles, answers, strict=True)):
        other = ranks[1 - number] if letter else {}
        moves = [_move(letter, hit, other) for hit in answer.hits]
        rows = [_row(hit, span, move) for hit, move in zip(answer.hits, moves, strict=True)]
        found.append(Column(letter, title, rows, _reasons(answer.left), _empty(answer)))
    return found


def parts_of(hit: Scored) -> list[Part]:
    """Return the parts of a hit's score in the order in which they came about, zeros left out.

    They add up to the score as it is shown.
    """
    exact = rounded(hit.parts, round(hit.score, 4))
    order = [*ADDING, *SHARING, *(name for name in exact if name not in ADDING + SHARING)]
    before, told = 0.0, []
    for name in order:
        part = hit.parts.get(name, 0.0)
        if name in exact:
            how = _how(name, hit.arms.get(name), part, before)
            told.append(Part(name, arm(name), hit.arms.get(name), how, exact[name]))
        before += part
    return told


def _how(name: str, said: float | None, part: float, before: float) -> str:
    """Return what was done with an arm's word, "" for what is no plain product."""
    if name in ADDING and said:
        return f"× {part / said:.4g}"
    if name in SHARING and before:
        return _("leaves %(share)s of %(score)s") % {
            "share": f"{100 * (1 + part / before):.4g}%",
            "score": f"{before:.4f}",
        }
    return ""


def _span(hits: Sequence[Scored]) -> tuple[float, float]:
    """Return how far the bars of all hits reach to the left and to the right."""
    left = max((-sum(p for p in hit.parts.values() if p < 0) for hit in hits), default=0.0)
    right = max((sum(p for p in hit.parts.values() if p > 0) for hit in hits), default=0.0)
    return left, right


def _row(hit: Scored, span: tuple[float, float], move: Move | None) -> Row:
    parts = parts_of(hit)
    scale = 100 / (sum(span) or 1.0)
    zero = span[0] * scale
    bars, left, right = [], zero, zero
    for one in parts:
        width = abs(one.part) * scale
        if one.part < 0:
            left -= width
        bars.append(_bar(one.name, left if one.part < 0 else right, width))
        if one.part > 0:
            right += width
    return Row(hit, parts, bars, round(zero, 2), move)


def _bar(name: str, x: float, width: float) -> Bar:
    return Bar(name, round(x, 2), 0.0, round(width, 2), HEIGHT)


def _move(letter: str, hit: Scored, other: Mapping[UUID, int]) -> Move | None:
    """Return what B did with a hit: in A only whether it is gone, in B where it moved."""
    there = other.get(hit.memory.pk)
    if letter == "A":
        return None if there else Move("gone", "", _("gone in B"))
    if not letter:
        return None
    if there is None:
        return Move("new", "", _("new"))
    by = there - hit.rank
    if by > 0:
        return Move("up", f"▲ {by}", ngettext("%(n)d place up", "%(n)d places up", by) % {"n": by})
    if by < 0:
        words = ngettext("%(n)d place down", "%(n)d places down", -by) % {"n": -by}
        return Move("down", f"▼ {-by}", words)
    return Move("same", "=", _("same place"))


def _reasons(left: Sequence[Left]) -> list[tuple[Text, Sequence[Reason]]]:
    order = list(WHYS)
    sorted_ = sorted(left, key=lambda one: order.index(one.why))
    return [
        (WHYS[why], [Reason(one, _sentence(one)) for one in listed])
        for why, listed in groupby(sorted_, key=lambda one: one.why)
    ]


def _sentence(one: Left) -> str:
    if one.why == "below":
        return _("It is number %(rank)d.") % {"rank": one.rank}
    if one.why == "filter":
        return _("Without the filters it would be number %(rank)d.") % {"rank": one.rank}
    if one.why != "status":
        have = {"have": _plain(one.relevance), "needed": _plain(one.needed)}
        return _("Its relevance is %(have)s, %(needed)s is needed.") % have
    if one.memory.withheld:
        told = _("Kept from agents until a person decides; otherwise it would be number %(rank)d.")
    else:
        told = _("It is %(status)s; otherwise it would be number %(rank)d.")
    return told % {"status": one.memory.get_status_display(), "rank": one.rank}


def _empty(answer: Answer) -> str:
    """Return why there is no hit (C7), "" when there is one."""
    if answer.hits:
        return ""
    if answer.best is None:
        return _("Nothing that may be seen here was searched, or nothing is remembered yet.")
    needed = answer.left[-1].needed if answer.left else 0.0
    return _("The best candidate has relevance %(best)s, %(needed)s is needed.") % {
        "best": _plain(answer.best),
        "needed": _plain(needed),
    }


def _plain(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def _signed(value: float, places: int) -> str:
    return f"{value:+.{places}f}".replace("-", "−")
