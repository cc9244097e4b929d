"""The pages of agents: who writes, and how far people found them right."""

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.models.agent import Agent, AgentKey
from memories.models.memory import Memory, Source, Status
from memories.pages.access import MemberRequest, member_page
from review.agents import Standing, Writer, agents_of, by_source, decisions_about, get_agent
from review.models import Decision
from review.pages.charts import curves
from review.pages.numbers import RateRow, rate_row


@dataclass(frozen=True, slots=True)
class Told:
    """A decision, the memory of the agent's that it was about, and what it says of the agent."""

    decision: Decision
    memory: Memory
    upheld: int
    refuted: int


@dataclass(frozen=True, slots=True)
class Curve:
    """The density of a credibility, and of one that nobody judged, as paths in 100 × 100."""

    now: str
    prior: str
    mean: float


@require_safe
@member_page
def index(request: MemberRequest) -> HttpResponse:
    """The agents of the space."""
    writers = [(writer, _statuses(writer)) for writer in agents_of(request.actor)]
    return render(request, "review/agents.html", {"writers": writers})


@require_safe
@member_page
def detail(request: MemberRequest, agent_id: UUID) -> HttpResponse:
    """One agent: its credibility and where it comes from, and what it may do."""
    writer = get_agent(request.actor, agent_id)
    agent = writer.agent
    context = {
        "writer": writer,
        "agent": agent,
        "standing": writer.standing,
        "curve": _curve(writer.standing),
        "statuses": _statuses(writer),
        "sources": _sources(request, agent),
        "decisions": [_told(one, agent) for one in decisions_about(request.actor, agent)],
        "keys": [(key, _scopes(key), _holds(key)) for key in agent.keys.all()],
    }
    return render(request, "review/agent.html", context)


def _statuses(writer: Writer) -> list[tuple[str, str, int]]:
    """Return how many of its memories have which status, those without any left out."""
    counts = ((code, str(word), writer.memories.get(code, 0)) for code, word in Status.choices)
    return [(code, word, count) for code, word, count in counts if count]


def _curve(standing: Standing) -> Curve:
    now, prior = curves(standing.beta, standing.prior)
    return Curve(now, prior, round(100 * standing.mean, 2))


def _sources(request: MemberRequest, agent: Agent) -> list[RateRow]:
    words = dict(Source.choices)
    rates = by_source(request.actor, agent)
    return [rate_row(str(words.get(code, code)), "", rate) for code, rate in rates.items()]


def _told(decision: Decision, agent: Agent) -> Told:
    flag = decision.flag
    other = flag.counterpart if flag.memory.agent_id != agent.pk else None
    upheld, refuted = decision.lessons.get(str(agent.pk), (0, 0))
    return Told(decision, other or flag.memory, upheld, refuted)


def _scopes(key: AgentKey) -> list[str]:
    return [str(word) for scope, word in AgentKey.Scope.choices if scope in key.scopes]


def _holds(key: AgentKey) -> bool:
    """Whether a key still opens anything."""
    expired = key.expires_at is not None and key.expires_at <= timezone.now()
    return key.revoked_at is None and not expired
