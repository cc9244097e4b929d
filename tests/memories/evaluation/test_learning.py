"""Weights learnt from judgements: what is suggested, and above all what is not (J5). Pure."""

import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from uuid import UUID

import pytest

from memories.evaluation import learning
from memories.evaluation.learning import (
    BOUNDS,
    ENOUGH,
    MOST,
    STEPS,
    TWICE,
    Judged,
    agreement,
    chance,
    find,
    fitted,
    halves,
    stepped,
)
from memories.policies import RecallPolicy
from memories.recall.arms import Candidate, Proposed
from memories.recall.ranking import Setting, ranked
from tests.memories.recall.helpers import NOW, candidate

DEFAULT = RecallPolicy()
Say = Callable[[Sequence[Candidate]], frozenset[UUID]]


def ids(*numbers: int) -> list[UUID]:
    return [UUID(int=number) for number in numbers]


def judged(right: Sequence[int], wrong: Sequence[int]) -> Judged:
    return Judged("?", frozenset(ids(*right)), frozenset(ids(*wrong)), lambda _policy: [])


def wordy(by: random.Random) -> tuple[Candidate, Candidate]:
    """Two of which the first has the question's words, and the second a bit more of its meaning."""
    first = candidate(bm25=5.0, coverage=1.0, cosine=0.88 - 0.01 * by.random())
    return first, candidate(bm25=0.5, coverage=0.1, cosine=0.945 + 0.005 * by.random())


def question(number: int, found: Sequence[Candidate], right: frozenset[UUID]) -> Judged:
    proposed = Proposed(tuple(found), most_bm25=6.0, least_cosine=0.8, most_cosine=0.95, size=100)
    setting = Setting(NOW, unrelated=0.5)
    others = frozenset(one.id for one in found) - right
    return Judged(
        f"Question {number}?",
        right,
        others,
        lambda policy: [one.id for one in ranked(proposed, policy, setting).candidates],
    )


def of_words(count: int, right: Callable[[int], int], seed: int = 1) -> list[Judged]:
    """Questions with two hits each; `right` says which of the two is relevant."""
    by = random.Random(seed)
    made = []
    for number in range(count):
        found = wordy(by)
        made.append(question(number, found, frozenset([found[right(number)].id])))
    return made


def noise(count: int, seed: int) -> list[Judged]:
    """Questions of three hits that differ in everything, of which chance says one is relevant."""
    by = random.Random(seed)
    made = []
    for number in range(count):
        found = [
            candidate(
                bm25=6.0 * by.random(),
                coverage=0.3,
                cosine=0.85 + 0.1 * by.random(),
                confidence=by.choice([0.4, 1.0]),
                heat=by.choice([0.0, 20.0]),
                moment=NOW - timedelta(days=60 * by.random()),
            )
            for _n in range(3)
        ]
        made.append(question(number, found, frozenset([by.choice(found).id])))
    return made


# --- the measure ----------------------------------------------------------------------------------


def test_it_counts_the_pairs_in_the_right_order() -> None:
    assert agreement(ids(1, 2, 3), judged([1], [2, 3])) == 1.0
    assert agreement(ids(2, 1, 3), judged([1], [2, 3])) == 0.5
    assert agreement(ids(2, 3, 1), judged([1], [2, 3])) == 0.0


def test_what_nobody_judged_changes_nothing() -> None:
    assert agreement(ids(8, 9, 1, 7, 2), judged([1], [2])) == 1.0


def test_what_is_no_hit_stands_after_all_hits() -> None:
    assert agreement(ids(1), judged([1], [2])) == 1.0
    assert agreement(ids(2), judged([1], [2])) == 0.0
    assert agreement([], judged([1], [2])) == 0.5


# --- the steps ------------------------------------------------------------------------------------


def test_a_step_moves_words_against_meaning() -> None:
    moved = stepped(DEFAULT, STEPS[0])
    assert moved
    assert (moved.keyword_weight, moved.semantic_weight) == (0.5, 0.5)


def test_no_step_leads_out_of_the_bounds() -> None:
    for name, (least, most) in BOUNDS.items():
        for at, way in ((least, -1), (most, 1)):
            edge = DEFAULT.model_copy(update={"keyword_weight": 0.5, "semantic_weight": 0.5})
            edge = edge.model_copy(update={name: at})
            outward = [step for step in STEPS if step.get(name, 0.0) * way > 0]
            assert outward
            assert not any(stepped(edge, step) for step in outward)


def test_only_numbers_are_tried_that_put_hits_in_order() -> None:  # C7
    tried = set().union(*STEPS)
    assert tried == BOUNDS.keys()
    assert not tried & {"minimum_relevance", "hit_relevance", "date_boost", "before_weight"}


def test_it_puts_together_what_gains_and_no_more_than_may_be_explained() -> None:
    def value(policy: RecallPolicy) -> float:
        """Everything that can grow should, session bonus most of all."""
        names = ("session_bonus", "context_weight", "graph_weight", "feedback_weight")
        return policy.session_bonus + sum(float(getattr(policy, name)) for name in names)

    best = fitted(DEFAULT, value)
    assert best.session_bonus == pytest.approx(DEFAULT.session_bonus + TWICE * 0.1)
    changed = [name for name in BOUNDS if getattr(best, name) != getattr(DEFAULT, name)]
    assert len(changed) == MOST
    assert fitted(DEFAULT, lambda _policy: 0.5) == DEFAULT


# --- what is suggested ----------------------------------------------------------------------------


def test_it_finds_the_weights_that_are_known_to_be_better() -> None:
    present = DEFAULT.model_copy(update={"keyword_weight": 0.35, "semantic_weight": 0.65})
    finding = find(of_words(60, lambda _n: 0), present, DEFAULT)
    assert finding.verdict == "better"
    assert finding.best
    assert finding.best.keyword_weight > present.keyword_weight
    assert finding.best.semantic_weight < present.semantic_weight
    assert finding.reached >= max(finding.present + 0.02, finding.default)
    assert len(finding.before) == len(finding.after) == 60


def test_where_everything_is_right_nothing_is_suggested() -> None:
    wordy_policy = DEFAULT.model_copy(update={"keyword_weight": 0.8, "semantic_weight": 0.2})
    finding = find(of_words(60, lambda _n: 0), wordy_policy, wordy_policy)
    assert (finding.verdict, finding.present) == ("none", 1.0)
    assert finding.tried >= len(STEPS) - 2


def test_few_questions_teach_nothing() -> None:
    assert find(of_words(ENOUGH - 1, lambda _n: 0), DEFAULT, DEFAULT).verdict == "few"
    assert find(of_words(ENOUGH, lambda _n: 0), DEFAULT, DEFAULT).verdict != "few"


def test_of_noise_next_to_nothing_is_learnt() -> None:
    """What is best of all that is tried mostly gains; that it holds is rare."""
    findings = [find(noise(ENOUGH, seed), DEFAULT, DEFAULT) for seed in range(12)]
    assert sum(one.reached >= one.present + learning.MARGIN for one in findings) >= 6
    assert sum(one.verdict == "better" for one in findings) <= 1


def test_what_holds_in_one_half_alone_is_not_suggested() -> None:
    texts = [f"Question {number}?" for number in range(80)]
    first = set(halves(texts)[0])
    finding = find(of_words(80, lambda n: 0 if n in first else 1), DEFAULT, DEFAULT)
    assert finding.verdict in ("none", "unsure")


def test_a_gain_of_one_half_that_costs_the_other_nothing_is_unsure() -> None:
    """Half of the questions gain by words, the other half is right whatever is tried."""
    first = set(halves([f"Question {number}?" for number in range(80)])[0])
    sure = candidate(bm25=6.0, coverage=1.0, cosine=0.95), candidate(cosine=0.86)
    right = frozenset([sure[0].id])
    made = [
        one if n in first else question(n, sure, right)
        for n, one in enumerate(of_words(80, lambda _n: 0))
    ]
    finding = find(made, DEFAULT, DEFAULT)
    assert finding.reached >= finding.present + learning.MARGIN
    assert finding.verdict == "unsure"


def test_nothing_below_the_defaults_is_suggested() -> None:
    """Far from the defaults a step gains, and holds, but the defaults would gain more."""
    made = of_words(60, lambda _n: 1)
    far = DEFAULT.model_copy(update={"keyword_weight": 0.9, "semantic_weight": 0.1})
    spread = [replaced(one, number) for number, one in enumerate(made)]
    finding = find(spread, far, DEFAULT)
    assert finding.present < finding.reached < finding.default
    assert finding.verdict == "floor"
    # Were these the defaults, the same would be a suggestion.
    assert find(spread, far, far).verdict == "better"


def replaced(one: Judged, number: int) -> Judged:
    """A question that comes right at a weight of its own: of words, from 0.85 down."""

    def order(turns: float, policy: RecallPolicy) -> list[UUID]:
        right, wrong = sorted(one.relevant), sorted(one.others)
        return [*right, *wrong] if policy.keyword_weight < turns else [*wrong, *right]

    return Judged(one.text, one.relevant, one.others, partial(order, 0.85 - 0.005 * number))


def test_it_counts_the_first_hits_that_nobody_judged() -> None:
    unknown = ids(100, 101)

    def order(one: Judged, policy: RecallPolicy) -> list[UUID]:
        """The words bring up what nobody has judged, and the relevant one."""
        found = [*sorted(one.relevant), *sorted(one.others)]
        return [*found[:1], *unknown, *found[1:]] if policy.keyword_weight > 0.4 else found[::-1]

    made = [
        Judged(one.text, one.relevant, one.others, partial(order, one))
        for one in of_words(ENOUGH, lambda _n: 0)
    ]
    finding = find(made, DEFAULT, DEFAULT)
    assert finding.verdict == "better"
    assert finding.unjudged == (0, 2 * ENOUGH)


# --- halves and chance ----------------------------------------------------------------------------


def test_the_halves_are_the_same_each_time_and_part_no_text() -> None:
    texts = [f"Question {number // 2}?" for number in range(40)]
    first, second = halves(texts)
    assert halves(texts) == (first, second)
    assert sorted([*first, *second]) == list(range(40))
    assert len({texts[n] for n in first} & {texts[n] for n in second}) <= 1


@pytest.mark.parametrize(
    ("better", "worse", "probable"), [(0, 0, 1.0), (1, 0, 0.5), (5, 0, 1 / 32), (1, 1, 0.75)]
)
def test_it_knows_what_chance_does(better: int, worse: int, probable: float) -> None:
    assert chance(better, worse) == pytest.approx(probable)
