"""A recall tried out: as somebody else, under several policies, with what was left out and why.

It leaves no trace: nothing is logged and nothing is warmed, which is for real recalls (C6).
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple
from uuid import UUID

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.errors import Invalid, NotFound
from memories.identity import agent_actor
from memories.inputs import MAX_NAME, short_text
from memories.models.agent import Agent
from memories.models.memory import LIVE, Memory, Status
from memories.permissions import Actor
from memories.policies import PolicyNumbers, RecallPolicy
from memories.reading import Filters, memories_of
from memories.recall.arms import Candidate
from memories.recall.hits import scored
from memories.recall.looking import Asking, Looked, look, look_again, order, together
from memories.recall.question import asked, counted
from memories.recall.ranking import Ranked, ranked, relevances, said_of
from memories.recall.recall import EVERYTHING, scope_of
from memories.recall.result import Scored

if TYPE_CHECKING:
    from django.db.models import QuerySet

BELOW, IRRELEVANT, OUTSIDE = 10, 5, 5
"""Of what is left out, so many at most: next in rank, too little relevant, excluded but good."""
Why = Literal["nothing", "irrelevant", "below", "status", "filter"]


@dataclass(frozen=True, slots=True)
class Left:
    """A memory that is no hit, and why.

    `why`: not even the best candidate is relevant enough ("nothing"), this one is not
    ("irrelevant"), it ranks below the last hit ("below"), or it is not searched, for its "status"
    or by the "filter". `relevance` is what it has and `needed` what it takes, both about 0–1;
    `rank` is the place that it has, or would have. `replaced_by` only where the actor sees it.
    """

    memory: Memory
    why: Why
    relevance: float
    needed: float
    rank: int | None = None
    replaced_by: Memory | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What one policy makes of the question. `best` is the highest relevance of any candidate."""

    hits: tuple[Scored, ...]
    left: tuple[Left, ...]
    best: float | None


@dataclass(frozen=True, slots=True)
class Trial:
    """An answer for each policy, in their order. `degraded`: the embedder was away."""

    answers: tuple[Answer, ...]
    degraded: bool
    took_ms: float


class _Out(NamedTuple):
    """A candidate that is left out, before its memory is read; excluded ones have no `why` yet."""

    candidate: Candidate
    why: Why | None
    needed: float
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class _Search:
    """What is searched for whom: `scope` is searched, `every` would be without any exclusion."""

    actor: Actor
    filters: Filters
    scope: "QuerySet[Memory]"
    every: "QuerySet[Memory]"


def try_recall(
    *,
    actor: Actor,
    query: str,
    policies: Sequence[PolicyNumbers],
    as_agent: UUID | None = None,
    user_id: str = "",
    session: str = "",
    filters: Filters = EVERYTHING,
    top_k: int | None = None,
    now: datetime | None = None,
) -> Trial:
    """Return what an agent (None: the actor) would be answered, as far as the actor may see it.

    The question is embedded once for all policies; without the embedder words alone answer.
    Raises Invalid, NotAllowed, or NotFound for an agent that is not of the actor's space.
    """
    started = time.perf_counter()
    actor.require("read")
    acting = _acting(actor, as_agent, short_text(user_id, "user_id", MAX_NAME))
    now = now or timezone.now()
    asking = Asking(acting, asked(query, now), now, short_text(session, "session", MAX_NAME))
    search = _Search(
        actor,
        filters,
        scope_of(acting, filters).filter(actor.sight()),
        _without_exclusions(actor, acting),
    )
    looked = look(asking, search.scope, policies[0], all_proposed=True)
    everything = look_again(looked, search.every, policies[0])
    sizes = _sizes(policies[0])
    answers = []
    for numbers in policies:
        same = _sizes(numbers) == sizes
        mine = looked if same else look_again(looked, search.scope, numbers)
        answers.append(_answer(search, _under(mine, numbers), everything, numbers, top_k))
    took = (time.perf_counter() - started) * 1000
    return Trial(tuple(answers), looked.vector is None, took)


def _acting(actor: Actor, as_agent: UUID | None, user_id: str) -> Actor:
    """Return who asks. What an actor may not see of an agent's does not show in any number (D1)."""
    if as_agent is None:
        return actor.acting_for(user_id)
    agents = Agent.objects.filter(space_id=actor.space_id, is_active=True)
    agent = agents.filter(pk=as_agent).first()
    if agent is None:
        raise NotFound(_("There is no such agent here."), field="as_agent")
    if agent.user_id and user_id not in ("", agent.user_id):
        raise Invalid(
            _("%(agent)s only ever acts for the user %(user)s: ask for that user, or for none.")
            % {"agent": agent.name, "user": agent.user_id},
            field="user_id",
        )
    return acting_as(actor, agent, user_id)


def acting_as(actor: Actor, agent: Agent, user_id: str) -> Actor:
    """Return an agent as an actor may ask as it; raises NotAllowed for another user's agent."""
    acting = agent_actor(agent, scopes=["read"]).acting_for(user_id)
    # Without an id an agent has nothing private, names of the graph included.
    return acting if "see_private" in actor.verbs else replace(acting, id=None)


def _without_exclusions(actor: Actor, acting: Actor) -> "QuerySet[Memory]":
    """Return all that both may see, whatever its status; withheld only where the actor sees it."""
    user = Q(user_id__in=("", acting.user_id)) if acting.user_id else Q()
    rows = Memory.objects.visible_to(actor).filter(acting.sight(), user)
    return rows.exclude(status=Status.DELETED)


def _sizes(numbers: PolicyNumbers) -> tuple[int, int]:
    return numbers.recall.candidates, numbers.recall.newest


def _under(looked: Looked, numbers: PolicyNumbers) -> Looked:
    """Return the same with what another policy says outside its section on recall."""
    setting = replace(
        looked.setting,
        credibility=numbers.review.credibility,
        half_life_days=numbers.aging.half_life_days,
    )
    parts = tuple(_under(part, numbers) for part in looked.parts)
    return replace(looked, setting=setting, parts=parts)


def _answer(
    search: _Search,
    looked: Looked,
    everything: Looked,
    numbers: PolicyNumbers,
    top_k: int | None,
) -> Answer:
    policy = numbers.recall
    wanted = counted(top_k, policy.top_k)
    best = order(looked, policy)
    weighed = _weighed(looked, policy)
    out = [
        *_excluded(search, _under(everything, numbers), policy, wanted),
        *_below(best, policy, wanted),
        *_irrelevant(weighed, policy),
    ]
    ids = {one.candidate.id for one in best[:wanted]} | {one.candidate.id for one in out}
    memories = memories_of(search.actor).in_bulk(ids)
    return Answer(
        scored(best[:wanted], memories),
        _left(search, out, memories, looked, policy),
        weighed[0][0] if weighed else None,
    )


def _weighed(looked: Looked, policy: RecallPolicy) -> list[tuple[float, Candidate]]:
    """Return the candidates, most relevant first: to the question, or to one of its parts."""
    found: dict[UUID, tuple[float, Candidate]] = {}
    for part in (looked, *looked.parts):
        candidates = part.proposed.candidates
        for weight, one in zip(_weights(candidates, part, policy), candidates, strict=True):
            if one.id not in found or weight > found[one.id][0]:
                found[one.id] = weight, one
    return sorted(found.values(), key=lambda pair: (-pair[0], pair[1].id))


def _weights(found: Sequence[Candidate], looked: Looked, policy: RecallPolicy) -> list[float]:
    weights: list[float] = relevances(said_of(found), policy, looked.setting).tolist()
    return weights


def _excluded(search: _Search, everything: Looked, policy: RecallPolicy, wanted: int) -> list[_Out]:
    """Return what would be a hit if everything were searched, but is not.

    The arms and rules alone rank it: names and reranking would cost more than the answer itself.
    """
    questions = (everything, *everything.parts)
    top = together(ranked(one.proposed, policy, one.setting) for one in questions)[:wanted]
    ids = [one.candidate.id for one in top]
    searched = set(search.scope.filter(pk__in=ids).values_list("pk", flat=True))
    out = [
        _Out(one.candidate, None, policy.hit_relevance, rank)
        for rank, one in enumerate(top, 1)
        if one.candidate.id not in searched
    ]
    return out[:OUTSIDE]


def _below(best: Sequence[Ranked], policy: RecallPolicy, wanted: int) -> list[_Out]:
    following = best[wanted : wanted + BELOW]
    return [
        _Out(one.candidate, "below", policy.hit_relevance, rank)
        for rank, one in enumerate(following, wanted + 1)
    ]


def _irrelevant(weighed: Sequence[tuple[float, Candidate]], policy: RecallPolicy) -> list[_Out]:
    """Return the most relevant of those that are not relevant enough (C7)."""
    if weighed and weighed[0][0] < policy.minimum_relevance:
        return [
            _Out(one, "nothing", policy.minimum_relevance) for _weight, one in weighed[:IRRELEVANT]
        ]
    short = [one for weight, one in weighed if weight < policy.hit_relevance]
    return [_Out(one, "irrelevant", policy.hit_relevance) for one in short[:IRRELEVANT]]


def _left(
    search: _Search,
    out: Sequence[_Out],
    found: dict[UUID, Memory],
    looked: Looked,
    policy: RecallPolicy,
) -> tuple[Left, ...]:
    here = [(one, found[one.candidate.id]) for one in out if one.candidate.id in found]
    weights = _weights([one.candidate for one, _memory in here], looked, policy)
    after = {memory.replaced_by_id for _one, memory in here if memory.replaced_by_id}
    newer = memories_of(search.actor).in_bulk(after) if after else {}
    return tuple(
        Left(
            memory,
            one.why or _exclusion(memory, search.filters),
            weight,
            one.needed,
            one.rank,
            newer.get(memory.replaced_by_id) if memory.replaced_by_id else None,
        )
        for (one, memory), weight in zip(here, weights, strict=True)
    )


def _exclusion(memory: Memory, filters: Filters) -> Why:
    in_use = memory.status in (filters.statuses or LIVE) and not memory.withheld
    return "filter" if in_use else "status"
