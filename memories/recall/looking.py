"""The steps of a recall: look (what could matter to a question) and order (what matters most).

Both leave no trace: what is logged, and who may look, is the business of who calls them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING
from uuid import UUID

from memories.embedding.client import EmbedderDown
from memories.embedding.profiles import profile_for
from memories.embedding.remembered import embed_question
from memories.permissions import Actor
from memories.policies import PolicyNumbers, RecallPolicy
from memories.recall.arms import Proposed, propose
from memories.recall.columns import Flags, Said, Scales
from memories.recall.graph import Ties, followed
from memories.recall.phrases import shared
from memories.recall.question import Question
from memories.recall.ranking import Ranked, Ranking, Setting, led, ranked, relevant
from memories.recall.rerank import reranked

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from memories.models.memory import Memory


MOST = 5_000
"""In a scope of more memories the parts of a question are not searched: each search reads it all,
and would take longer than a recall may (C8).
"""


@dataclass(frozen=True, slots=True)
class Asking:
    """A question by someone, somewhere, now: `session` is where it is asked, "" nowhere."""

    actor: Actor
    question: Question
    now: datetime
    session: str = ""


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found for a question in a scope, in no order yet.

    `vector` is None without the embedder. `parts` is what was found for each question of one that
    asks several.
    """

    asking: Asking
    scope: "QuerySet[Memory]"
    proposed: Proposed
    setting: Setting
    vector: list[float] | None
    model: str
    parts: tuple["Looked", ...] = ()


def look(
    asking: Asking, scope: "QuerySet[Memory]", numbers: PolicyNumbers, *, all_proposed: bool = False
) -> Looked:
    """Return what the arms propose for a question in a scope: what is relevant of it, or all."""
    questions = (asking.question, *asking.question.parts)
    vectors, model = _embedded(asking, [question.meant for question in questions])
    found = _Looking(scope, numbers, model, all_proposed)
    whole = found.by(asking, vectors[0])
    if len(questions) == 1 or whole.proposed.size > MOST:
        return whole
    parts = (
        found.by(replace(asking, question=question), vector)
        for question, vector in zip(questions[1:], vectors[1:], strict=True)
    )
    return replace(whole, parts=tuple(parts))


def look_again(looked: Looked, scope: "QuerySet[Memory]", numbers: PolicyNumbers) -> Looked:
    """Return all that the same question finds elsewhere or in other numbers, embedded before."""
    found = _Looking(scope, numbers, looked.model, all_proposed=True)
    again = found.by(looked.asking, looked.vector)
    parts = (found.by(part.asking, part.vector) for part in looked.parts)
    return replace(again, parts=tuple(parts))


@dataclass(frozen=True, slots=True)
class _Looking:
    """Where is looked, by which numbers and model, and whether all that is proposed is wanted."""

    scope: "QuerySet[Memory]"
    numbers: PolicyNumbers
    model: str
    all_proposed: bool

    def by(self, asking: Asking, vector: list[float] | None) -> Looked:
        """Return what one question finds."""
        policy = self.numbers.recall

        def worth(said: Said, scales: Scales) -> Flags:
            return relevant(said, policy, self.setting(asking, scales.familiar))

        proposed = propose(
            self.scope,
            asking.question,
            vector=vector,
            model=self.model,
            limit=policy.candidates,
            recent=policy.newest,
            space=asking.actor.space_id,
            worth=None if self.all_proposed else worth,
        )
        setting = self.setting(asking, proposed.familiar)
        return Looked(asking, self.scope, proposed, setting, vector, self.model)

    def setting(self, asking: Asking, familiar: bool) -> Setting:
        profile = profile_for(self.model)
        chinese = asking.question.han and familiar
        return Setting(
            asking.now,
            asking.question.times,
            asking.session,
            profile.unrelated_han if chinese else profile.unrelated,
            self.numbers.review.credibility,
            self.numbers.aging.half_life_days,
        )


def order(looked: Looked, policy: RecallPolicy) -> Sequence[Ranked]:
    """Return what matters to the question, best first; none is an honest answer (C7)."""
    best: Sequence[Ranked] = _ordered(looked, policy)
    if looked.parts:
        best = together([best, *(_ordered(part, policy) for part in looked.parts)])
    return reranked(looked.asking.question.text, best, policy)


def together(rankings: Iterable[Sequence[Ranked]]) -> list[Ranked]:
    """Return several rankings as one, best first: of what is in more than one the best score."""
    found: dict[UUID, Ranked] = {}
    for one in chain.from_iterable(rankings):
        known = found.setdefault(one.candidate.id, one)
        if one.score > known.score:
            found[one.candidate.id] = one
    return sorted(found.values(), key=lambda one: (-one.score, one.candidate.id))


def _ordered(looked: Looked, policy: RecallPolicy) -> Ranking:
    best = ranked(looked.proposed, policy, looked.setting)
    if policy.graph_weight and best:
        best = led(best, ties_of(looked, best), looked.proposed, policy, looked.setting)
    return best


def ties_of(looked: Looked, best: Ranking) -> Ties:
    """Return where the names and the rare words of the best lead, with one statement."""
    names = followed(
        looked.scope,
        looked.asking.question,
        looked.asking.actor,
        proposed=looked.proposed,
        best=best,
        vector=looked.vector,
        model=looked.model,
    )
    return names.joined(shared(_texts(best), looked.asking.question.text, looked.proposed.size))


def _texts(best: Ranking) -> dict[UUID, str]:
    return {one.id: one.text for one in best.candidates}


def _embedded(
    asking: Asking, texts: Sequence[str]
) -> tuple[Sequence[list[float]] | list[None], str]:
    """Return the texts' vectors and their model; without the embedder the other arms answer."""
    try:
        answer = embed_question(asking.actor.space_id, *texts)
    except EmbedderDown:
        return [None] * len(texts), ""
    return answer.vectors, answer.model
