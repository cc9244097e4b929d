"""The steps of a recall: look (what could matter to a question) and order (what matters most).

Both leave no trace: what is logged, and who may look, is the business of who calls them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from memories.embedding.client import EmbedderDown
from memories.embedding.profiles import profile_for
from memories.embedding.remembered import embed_question
from memories.permissions import Actor
from memories.policies import PolicyNumbers, RecallPolicy
from memories.recall.arms import Proposed, propose
from memories.recall.columns import Flags, Said, Scales
from memories.recall.graph import followed
from memories.recall.phrases import shared
from memories.recall.question import Question
from memories.recall.ranking import Ranked, Ranking, Setting, led, ranked, relevant
from memories.recall.rerank import reranked

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from memories.models.memory import Memory


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

    `vector` is None without the embedder.
    """

    asking: Asking
    scope: "QuerySet[Memory]"
    proposed: Proposed
    setting: Setting
    vector: list[float] | None
    model: str


def look(
    asking: Asking, scope: "QuerySet[Memory]", numbers: PolicyNumbers, *, all_proposed: bool = False
) -> Looked:
    """Return what the arms propose for a question in a scope: what is relevant of it, or all."""
    vector, model = _embedded(asking)

    def worth(said: Said, scales: Scales) -> Flags:
        return relevant(said, numbers.recall, _setting(asking, scales.familiar, model, numbers))

    proposed = propose(
        scope,
        asking.question,
        vector=vector,
        model=model,
        limit=numbers.recall.candidates,
        recent=numbers.recall.newest,
        space=asking.actor.space_id,
        worth=None if all_proposed else worth,
    )
    setting = _setting(asking, proposed.familiar, model, numbers)
    return Looked(asking, scope, proposed, setting, vector, model)


def order(looked: Looked, policy: RecallPolicy) -> Sequence[Ranked]:
    """Return what matters to the question, best first; none is an honest answer (C7)."""
    best = ranked(looked.proposed, policy, looked.setting)
    if policy.graph_weight and best:
        ties = followed(
            looked.scope,
            looked.asking.question,
            looked.asking.actor,
            proposed=looked.proposed,
            best=best,
            vector=looked.vector,
            model=looked.model,
        ).joined(shared(_texts(best), looked.asking.question.text, looked.proposed.size))
        best = led(best, ties, looked.proposed, policy, looked.setting)
    return reranked(looked.asking.question.text, best, policy)


def _texts(best: Ranking) -> dict[UUID, str]:
    return {one.id: one.text for one in best.candidates}


def _embedded(asking: Asking) -> tuple[list[float] | None, str]:
    """Return the query's vector and its model; without the embedder the other arms answer."""
    try:
        answer = embed_question(asking.actor.space_id, asking.question.meant)
    except EmbedderDown:
        return None, ""
    return answer.vectors[0], answer.model


def _setting(asking: Asking, familiar: bool, model: str, numbers: PolicyNumbers) -> Setting:
    profile = profile_for(model)
    chinese = asking.question.han and familiar
    return Setting(
        asking.now,
        asking.question.times,
        asking.session,
        profile.unrelated_han if chinese else profile.unrelated,
        numbers.review.credibility,
        numbers.aging.half_life_days,
    )
