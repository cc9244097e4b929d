"""Better weights from what people judged: small steps, tried on their questions (J5). Pure.

Only numbers are tried that put hits in order. Whether a memory is a hit at all (C7) is not for
them: what nobody was shown nobody judged.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from math import comb
from typing import Literal
from uuid import UUID

import numpy as np

from memories.models.evaluation import DEPTH
from memories.policies import RecallPolicy
from memories.recall.columns import Floats

ENOUGH = 40
"""Questions, at the least: what is learnt from one half of them is put to the test on the other,
and fewer than twenty tell nothing.
"""
MARGIN = 0.02
"""What all steps together must add to the agreement to be worth a change."""
WORTH = 0.005
"""What one step must add: else it is left out, so that what is changed can be explained."""
MOST, TWICE = 3, 2
"""How many different steps are put together, and how often each is taken."""
DOUBT = 0.05
"""How probable it may be, at the most, that as many questions got better by chance alone: of so
many looks at judgements that say nothing one in twenty finds something all the same.
"""

_UNITS: Sequence[Mapping[str, float]] = (
    {"keyword_weight": 0.1, "semantic_weight": -0.1},
    {"context_weight": 0.1},
    {"session_bonus": 0.1},
    {"graph_weight": 0.05},
    {"importance_weight": 0.02},
    {"decay_weight": 0.05},
    {"feedback_weight": 0.05},
    {"doubtful_factor": 0.1},
)
STEPS: Sequence[Mapping[str, float]] = [
    {name: way * by for name, by in unit.items()} for unit, way in product(_UNITS, (1, -1))
]
"""What is tried, one number at a time; of two that gain the same the first is taken."""
BOUNDS: Mapping[str, tuple[float, float]] = {
    "keyword_weight": (0.1, 0.9),
    "semantic_weight": (0.1, 0.9),
    "context_weight": (0.0, 0.5),
    "session_bonus": (0.0, 0.5),
    "graph_weight": (0.0, 0.2),
    "importance_weight": (0.0, 0.1),
    "decay_weight": (0.0, 0.3),
    "feedback_weight": (0.0, 0.3),
    "doubtful_factor": (0.4, 1.0),
}
"""No step leads out of these. Who wants to go further does so by hand."""

Order = Callable[[RecallPolicy], Sequence[UUID]]
"""The hits of a question under a policy, best first."""
Halves = tuple[list[int], list[int]]
Verdict = Literal["better", "few", "none", "unsure", "floor"]


@dataclass(frozen=True, slots=True)
class Judged:
    """A question, what people found relevant to it and what not, and how it is put in order."""

    text: str
    relevant: frozenset[UUID]
    others: frozenset[UUID]
    order: Order

    @property
    def telling(self) -> bool:
        """Whether an order can be right or wrong about it."""
        return bool(self.relevant and self.others)


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of it; `verdict` says why there is no `best` policy when there is none.

    `few`: not ENOUGH questions · `none`: nothing tried gains MARGIN · `floor`: the defaults are
    better than what was found · `unsure`: what one half taught did not hold in the other. The
    figures are agreements, 0–1: those of the policy in force, of the best one tried and of the
    defaults; `before` and `after` have one for each question. `held` is what the best of each half
    gained on the other. `unjudged` counts the first hits that nobody judged, before and after.
    """

    verdict: Verdict
    tried: int = 0
    best: RecallPolicy | None = None
    present: float = 0.0
    reached: float = 0.0
    default: float = 0.0
    before: Sequence[float] = ()
    after: Sequence[float] = ()
    held: float = 0.0
    unjudged: tuple[int, int] = (0, 0)


class _Agreements:
    """The agreement of every question under each policy that was tried."""

    def __init__(self, questions: Sequence[Judged]) -> None:
        self._questions = questions
        self._known: dict[RecallPolicy, Floats] = {}

    def __len__(self) -> int:
        return len(self._known)

    def of(self, policy: RecallPolicy) -> Floats:
        """Return them in the order of the questions."""
        if policy not in self._known:
            said = [agreement(one.order(policy), one) for one in self._questions]
            self._known[policy] = np.array(said, np.float64)
        return self._known[policy]


def find(questions: Sequence[Judged], present: RecallPolicy, default: RecallPolicy) -> Finding:
    """Return the best policy that small steps make of the one in force, if it is one to trust.

    It gains MARGIN over all questions and something in either half; what one half alone teaches
    helps the other, more often than chance would; and the defaults do not reach more.
    """
    if len(questions) < ENOUGH:
        return Finding("few")
    told = _Agreements(questions)
    best = fitted(present, lambda policy: float(told.of(policy).mean()))
    both = halves([one.text for one in questions])
    held = _held_out(told, present, both)
    before, after, floor = (told.of(policy) for policy in (present, best, default))
    return Finding(
        verdict=_verdict(before, after, floor, held, both),
        # The policy in force and the defaults are no attempts.
        tried=len(told) - len({present, default}),
        best=best,
        present=float(before.mean()),
        reached=float(after.mean()),
        default=float(floor.mean()),
        before=before.tolist(),
        after=after.tolist(),
        held=float(held.mean()),
        unjudged=(_unjudged(questions, present), _unjudged(questions, best)),
    )


def agreement(order: Sequence[UUID], judged: Judged) -> float:
    """Return how many pairs of a relevant memory and another stand in the right order, 0–1.

    Judged ones alone are compared: about a memory that nobody judged nobody knows whether it is
    better, and a policy that brings up new ones must not lose by that. What is no hit stands after
    all hits; two of those count as half a pair.
    """
    places = {memory: place for place, memory in enumerate(order)}
    last = len(places)
    pairs = [
        (places.get(right, last), places.get(wrong, last))
        for right, wrong in product(judged.relevant, judged.others)
    ]
    return sum(1.0 if one < other else 0.5 * (one == other) for one, other in pairs) / len(pairs)


def fitted(start: RecallPolicy, value: Callable[[RecallPolicy], float]) -> RecallPolicy:
    """Return the best that single steps, put together, make of a policy.

    Those that gain alone are taken by their gain, each as often as it adds WORTH to the others, but
    no more than TWICE, and no more than MOST different ones.
    """
    least = value(start)
    found = [(stepped(start, step), step) for step in STEPS]
    gains = [(round(value(tried) - least, 9), step) for tried, step in found if tried]
    best, moved = start, list[Mapping[str, float]]()
    for gain, step in sorted(gains, key=lambda one: -one[0]):
        if gain < WORTH or len(moved) == MOST:
            break
        if any(step.keys() == other.keys() for other in moved):
            continue
        further = _further(best, step, value)
        if further != best:
            best, moved = further, [*moved, step]
    return best


def _further(
    policy: RecallPolicy, step: Mapping[str, float], value: Callable[[RecallPolicy], float]
) -> RecallPolicy:
    for _time in range(TWICE):
        tried = stepped(policy, step)
        if tried is None or value(tried) < value(policy) + WORTH:
            break
        policy = tried
    return policy


def stepped(policy: RecallPolicy, step: Mapping[str, float]) -> RecallPolicy | None:
    """Return a policy one step further, None where that leads out of the bounds."""
    moved = {name: round(getattr(policy, name) + by, 4) for name, by in step.items()}
    if any(not BOUNDS[name][0] <= value <= BOUNDS[name][1] for name, value in moved.items()):
        return None
    return policy.model_copy(update=moved)


def halves(texts: Sequence[str]) -> Halves:
    """Return the places of either half of the questions: the same ones each time.

    They are sorted by a digest of their text and cut in the middle: so the same question asked for
    two users is not learnt from in one half and tested in the other.
    """
    places = sorted(range(len(texts)), key=lambda place: sha256(texts[place].encode()).digest())
    return places[: len(places) // 2], places[len(places) // 2 :]


def chance(better: int, worse: int) -> float:
    """Return how probable it is that so many or more got better if none did: a sign test, 0–1."""
    all_of_them = better + worse
    more = sum(comb(all_of_them, n) for n in range(better, all_of_them + 1))
    return float(more / 2**all_of_them)


def _held_out(told: _Agreements, present: RecallPolicy, both: Halves) -> Floats:
    """Return what each question gains by the best policy of the half that it is not in."""
    gains = np.zeros(sum(map(len, both)))
    for learnt, tested in (both, (both[1], both[0])):

        def value(policy: RecallPolicy, learnt: Sequence[int] = learnt) -> float:
            return float(told.of(policy)[learnt].mean())

        taught = fitted(present, value)
        gains[tested] = (told.of(taught) - told.of(present))[tested]
    return gains


def _verdict(before: Floats, after: Floats, floor: Floats, held: Floats, both: Halves) -> Verdict:
    if floor.mean() > after.mean() and floor.mean() >= before.mean() + MARGIN:
        return "floor"
    if after.mean() < before.mean() + MARGIN:
        return "none"
    return "better" if _holds(after - before, held, both) else "unsure"


def _holds(gains: Floats, held: Floats, both: Halves) -> bool:
    """Return whether either half gains, and by what the other one taught, too.

    Nearly everything that is the best of so many gains in both halves, of noise as well: what
    counts is the half that it was not chosen by.
    """
    everywhere = all(gains[half].mean() > 0 and held[half].mean() > 0 for half in both)
    better, worse = int((held > 0).sum()), int((held < 0).sum())
    return everywhere and chance(better, worse) <= DOUBT


def _unjudged(questions: Sequence[Judged], policy: RecallPolicy) -> int:
    first = ((one, one.order(policy)[:DEPTH]) for one in questions)
    return sum(len({*hits} - one.relevant - one.others) for one, hits in first)
