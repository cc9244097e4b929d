"""Selectors of agents: what each wrote, and what people made of it (F4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Max, Prefetch, Q, QuerySet
from django.utils.translation import gettext as _

from memories.errors import NotFound
from memories.models.agent import Agent, AgentKey
from memories.models.flag import Flag
from memories.models.memory import WIDE, Memory, Status
from memories.models.recall import Recall
from memories.models.session import Session
from memories.permissions import Actor
from memories.policies import Credibility, credibility, credit, policy_for
from review.models import Decision
from review.models.decision import DecisionQuerySet
from review.numbers import grouped
from review.rates import Rate

RECENT_RECALLS = 2_000
"""When an agent last asked is looked for among so many of the space's newest recalls."""
LATEST = 20
"""Decisions that an agent's page shows."""

_UNREAD = [f"flag__{side}__{name}" for side in ("memory", "counterpart") for name in WIDE]
_LATEST = Max("created_at")


@dataclass(frozen=True, slots=True)
class Standing:
    """What people's decisions say of a writer, as Beta(right, wrong).

    `mean` is its expectation, 0-1; `factor` is what is left of the score of its memories; `prior`
    is the Beta of a writer that nobody judged.
    """

    upheld: int
    refuted: int
    prior: tuple[float, float]
    mean: float
    factor: float

    @property
    def beta(self) -> tuple[float, float]:
        """The two counts with the prior added."""
        return self.prior[0] + self.upheld, self.prior[1] + self.refuted

    @property
    def judged(self) -> int:
        """How many verdicts it stands on."""
        return self.upheld + self.refuted


@dataclass(frozen=True, slots=True)
class Writer:
    """An agent, its memories by status and its sessions as far as the viewer may see them, and
    when it last wrote, worked or asked (None: not that anybody knows)."""

    agent: Agent
    standing: Standing
    memories: Mapping[str, int]
    sessions: int
    seen: datetime | None

    @property
    def written(self) -> int:
        """How many memories it wrote, those deleted since left out."""
        return sum(n for status, n in self.memories.items() if status != Status.DELETED)


def agents_of(actor: Actor) -> list[Writer]:
    """Return the agents of an actor's space by name. Five queries, however many there are."""
    return _writers(actor, _agents(actor))


def get_agent(actor: Actor, agent_id: UUID) -> Writer:
    """Return one agent with its keys, or raise NotFound."""
    keys = Prefetch("keys", AgentKey.objects.defer("digest"))
    found = _writers(actor, _agents(actor).filter(pk=agent_id).prefetch_related(keys))
    if not found:
        raise NotFound(_("There is no such agent here."), field="agent_id")
    return found[0]


def by_source(actor: Actor, agent: Agent) -> dict[str, Rate]:
    """Return how often people accepted what an agent wrote, by where it said that it came from."""
    decided = _decisions(actor).standing().filter(automatic=False, flag__memory__agent=agent)
    groups = decided.order_by().values("flag__memory__source", "choice", "lessons")
    return grouped(groups.annotate(n=Count("pk")), lambda row: str(row["flag__memory__source"]))


def decisions_about(actor: Actor, agent: Agent) -> Sequence[Decision]:
    """Return the latest decisions, undone ones too, on flags about what an agent wrote."""
    its = Q(flag__memory__agent=agent) | Q(flag__counterpart__agent=agent)
    found = _decisions(actor).filter(its).select_related("flag__memory", "flag__counterpart")
    return list(found.defer(*_UNREAD).order_by("-id")[:LATEST])


def standing_of(agent: Agent, policy: Credibility) -> Standing:
    """Return an agent's standing under a space's policy."""
    counts = agent.upheld, agent.refuted
    prior = policy.prior_right, policy.prior_wrong
    return Standing(*counts, prior, credibility(*counts, policy), credit(*counts, policy))


def _agents(actor: Actor) -> "QuerySet[Agent]":
    actor.require("read")
    return Agent.objects.filter(space_id=actor.space_id).order_by("name")


def _decisions(actor: Actor) -> DecisionQuerySet:
    found: DecisionQuerySet = Decision.objects.filter(flag__in=Flag.objects.visible_to(actor))
    return found


def _writers(actor: Actor, agents: "QuerySet[Agent]") -> list[Writer]:
    policy = policy_for(actor.space_id)[1].review.credibility
    listed = list(agents)
    keys = [agent.pk for agent in listed]
    wrote, worked = _wrote(actor, keys), _worked(actor, keys)
    seen = _asked(actor)
    for agent_id, _what, last in (*wrote, *worked):
        seen[agent_id] = max(last, seen.get(agent_id, last))
    sessions = {agent_id: count for agent_id, count, _last in worked}
    return [
        Writer(
            agent,
            standing_of(agent, policy),
            dict(what for agent_id, what, _last in wrote if agent_id == agent.pk),
            sessions.get(agent.pk, 0),
            seen.get(agent.pk),
        )
        for agent in listed
    ]


def _wrote(actor: Actor, agents: Sequence[UUID]) -> list[tuple[UUID, tuple[str, int], datetime]]:
    """Return how many memories of a status each agent wrote, and when it wrote the last of them."""
    wrote = Memory.objects.visible_to(actor).filter(agent__in=agents).order_by()
    rows = wrote.values_list("agent", "status").annotate(n=Count("pk"), last=_LATEST)
    return [(agent, (status, count), last) for agent, status, count, last in rows]


def _worked(actor: Actor, agents: Sequence[UUID]) -> list[tuple[UUID, int, datetime]]:
    """Return how many sessions each agent had, and when anything last reached one."""
    had = Session.objects.visible_to(actor).filter(agent__in=agents).order_by()
    return list(had.values_list("agent").annotate(n=Count("pk"), last=Max("touched_at")))


def _asked(actor: Actor) -> dict[UUID, datetime]:
    """Return when each agent last asked, of the space's newest recalls."""
    newest = Recall.objects.filter(space_id=actor.space_id).order_by("-id")[:RECENT_RECALLS]
    of_agents = Recall.objects.filter(pk__in=newest.values("pk"), actor_kind="agent").order_by()
    return dict(of_agents.values_list("actor_id").annotate(last=_LATEST))
