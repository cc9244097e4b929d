"""A question of the log asked again, to be put in order under any number of policies (J5).

It leaves no trace, as a trial does: nothing is logged and nothing is warmed.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from uuid import UUID

from memories.models.agent import Agent
from memories.models.recall import Recall
from memories.permissions import Actor
from memories.policies import PolicyNumbers, RecallPolicy
from memories.recall.graph import Ties
from memories.recall.logbook import filters_of
from memories.recall.looking import Asking, Looked, look, ties_of, together
from memories.recall.question import asked
from memories.recall.ranking import led, ranked
from memories.recall.recall import scope_of
from memories.recall.trial import acting_as

FIRST = 30
"""Of what is found so many are put in order, and what it is about: the rest changes little there,
and would be weighed again under each policy.
"""


@dataclass(frozen=True, slots=True)
class Replay:
    """What was found for a question, and for each of its parts, with where its names lead.

    `degraded`: the embedder was away.
    """

    found: tuple[tuple[Looked, Ties], ...]

    @property
    def degraded(self) -> bool:
        return self.found[0][0].vector is None

    def known(self) -> set[UUID]:
        """Return every memory that can have a place in an order."""
        return {one.id for looked, _ties in self.found for one in looked.proposed.candidates}

    def order(self, policy: RecallPolicy) -> list[UUID]:
        """Return the first hits and the others it is about, best first, without a statement.

        Names lead where they led from the best hits of the policy that it was asked under; a
        reranking model is not asked.
        """
        rankings = [
            ranked(looked.proposed, policy, looked.setting, ties if policy.graph_weight else None)
            for looked, ties in self.found
        ]
        if len(rankings) == 1:
            return [one.id for one in rankings[0].candidates]
        return [one.candidate.id for one in together(rankings)]


def ask_again(
    *, actor: Actor, recall: Recall, agent: Agent, numbers: PolicyNumbers, about: AbstractSet[UUID]
) -> Replay:
    """Look once for what an agent asked then, as that agent and as far as the actor may see it.

    `about` are the memories whose places matter. Ages are those of the day it was asked; the
    memories are today's. Raises Invalid and NotAllowed, as recall() does.
    """
    actor.require("read")
    acting = acting_as(actor, agent, recall.user_id)
    moment = recall.created_at
    asking = Asking(acting, asked(recall.query, moment), moment, recall.session)
    scope = scope_of(acting, filters_of(recall)).filter(actor.sight())
    whole = look(asking, scope, numbers, all_proposed=True)
    looked = (whole, *whole.parts)
    return Replay(tuple(_kept(one, numbers.recall, about) for one in looked))


def _kept(looked: Looked, policy: RecallPolicy, about: AbstractSet[UUID]) -> tuple[Looked, Ties]:
    """Return the FIRST under a policy, what it is about, and what is company to that."""
    best, ties = ranked(looked.proposed, policy, looked.setting), Ties()
    if best and policy.graph_weight:
        ties = ties_of(looked, best)
        best = led(best, ties, looked.proposed, policy, looked.setting)
    found = {one.id: one for one in (*best.candidates, *looked.proposed.candidates)}
    sessions = {found[key].session for key in about & found.keys()} - {""}
    kept = tuple(
        one
        for place, one in enumerate(found.values())
        if (place < FIRST and place < len(best)) or one.id in about or one.session in sessions
    )
    return replace(looked, proposed=replace(looked.proposed, candidates=kept)), Ties(to=ties.to)
