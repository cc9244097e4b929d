"""Rounds of judging, made ready for their templates: rows, the chart over time, one question."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _

from memories.errors import NotAllowed, NotFound
from memories.evaluation.judging import Figures, Question, Shown, figures_of, hits_of, questions_of
from memories.evaluation.sampling import require_judge
from memories.models.evaluation import Evaluation
from memories.permissions import Actor

HEIGHT = 100.0
SLOT = 10.0
"""The height of the chart, and the width of a round in it; the page stretches both."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round with what it says."""

    evaluation: Evaluation
    figures: Figures

    @property
    def unanswered(self) -> float:
        """The share of what agents asked that had no hit, 0–1."""
        return self.evaluation.unanswered / self.evaluation.asked if self.evaluation.asked else 0.0

    @property
    def policy(self) -> str:
        """By which versions of the policy its questions were answered."""
        first, last = self.figures.first_policy, self.figures.last_policy
        if first is None or last is None:
            return "–"
        return version(last) if first == last else f"{version(first)}–{version(last)}"


@dataclass(frozen=True, slots=True)
class Point:
    """A round on the chart: precision@3 at (x, y), its interval from `high` down to `low`.

    `policy` is the version that came since the round before, None when it is still the same.
    """

    round: Round
    x: float
    y: float
    high: float
    low: float
    policy: int | None

    @property
    def left(self) -> float:
        """Where its slot begins."""
        return self.x - SLOT / 2


@dataclass(frozen=True, slots=True)
class Chart:
    """Precision@3 over time, the oldest round on the left."""

    points: Sequence[Point]
    height: float = HEIGHT
    slot: float = SLOT

    @property
    def width(self) -> float:
        return len(self.points) * SLOT

    @property
    def course(self) -> str:
        """The line through the points, as an SVG path."""
        return "M" + " L".join(f"{point.x:g} {point.y:g}" for point in self.points)


@dataclass(frozen=True, slots=True)
class Place:
    """One question of a round on its page, with its hits and the ways on from it.

    `first` is the first hit that waits: the one that is judged by a key of its own.
    """

    question: Question
    hits: Sequence[Shown]
    count: int
    waiting: int
    before: int | None
    after: str
    last: bool

    @property
    def first(self) -> UUID | None:
        waiting = (hit.judgement for hit in self.hits)
        return next((one.pk for one in waiting if one.relevant is None and one.memory_id), None)


def version(number: int) -> str:
    """Return what a version of the policy is called; before the first one there are defaults."""
    return str(number) if number else _("default")


def rounds_of(evaluations: Iterable[Evaluation]) -> list[Round]:
    """Return rounds with their figures, in the order given."""
    found = list(evaluations)
    figures = figures_of(found)
    return [Round(one, figures[one.pk]) for one in found]


def chart_of(newest_first: Sequence[Round]) -> Chart | None:
    """Return the chart of finished rounds, None when none has a figure."""
    shown = [one for one in reversed(newest_first) if one.figures.judged]
    points, known = [], None
    for number, one in enumerate(shown):
        newest = one.figures.last_policy
        points.append(_point(number, one, newest if number and newest != known else None))
        known = newest
    return Chart(points) if points else None


def _point(number: int, one: Round, policy: int | None) -> Point:
    low, high = one.figures.interval
    y, top, ground = (
        round(HEIGHT * (1 - share), 2) for share in (one.figures.precision, high, low)
    )
    return Point(one, (number + 0.5) * SLOT, y, top, ground, policy)


def place_of(actor: Actor, evaluation: Evaluation, number: int) -> Place:
    """Return one question of a round by its place; raises NotFound, NotAllowed."""
    questions = questions_of(actor, evaluation)
    if not 1 <= number <= len(questions):
        raise NotFound(_("There is no such question in this round."), field="number")
    question = questions[number - 1]
    onward = next_of(questions, number)
    return Place(
        question=question,
        hits=hits_of(actor, evaluation, question.recall),
        count=len(questions),
        waiting=sum(one.waiting for one in questions),
        before=number - 1 or None,
        after=address(evaluation, onward),
        last=onward is None,
    )


def next_of(questions: Sequence[Question], number: int) -> int | None:
    """Return the question to go to from this one: the next, after the last one that still waits."""
    if number < len(questions):
        return number + 1
    return next((one.number for one in questions if one.waiting and one.number != number), None)


def address(evaluation: Evaluation, number: int | None) -> str:
    """Return where a question is, or without one the round."""
    if number is None:
        return reverse("evaluation:detail", args=[evaluation.pk])
    return reverse("evaluation:question", args=[evaluation.pk, number])


def reason_against(actor: Actor) -> str:
    """Return why this person may not judge, "" when they may."""
    try:
        require_judge(actor)
    except NotAllowed as error:
        return error.message
    return ""


def question_context(actor: Actor, evaluation: Evaluation, number: int) -> dict[str, Any]:
    """Return all that the page of a question shows."""
    return {
        "evaluation": evaluation,
        "place": place_of(actor, evaluation, number),
        "open": evaluation.closed_at is None,
    }
