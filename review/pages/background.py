"""What stands behind a flag's texts: who wrote them, who recalled them, what was said of them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F, FloatField, Subquery, Value, Window
from django.db.models.expressions import ExpressionWrapper
from django.db.models.functions import RowNumber
from pgvector.django import CosineDistance

from memories.embedding.profiles import profile_for
from memories.models.agent import Agent
from memories.models.event import Event
from memories.models.feedback import Feedback
from memories.models.flag import Flag
from memories.models.memory import Memory, vector_of
from memories.models.recall import Hit
from memories.permissions import Actor
from memories.policies import Credibility, credibility
from memories.reading import memories_of

# Of each memory a page shows the newest recalls and what was said of it last; of others, the
# nearest; of the log, the newest rows.
RECALLS, SAID, NEAR, ROWS = 5, 10, 5, 12


@dataclass(frozen=True, slots=True)
class Credit:
    """How often people upheld what an agent wrote, of how often they judged it; `mean` is 0-1."""

    upheld: int
    judged: int
    mean: float


@dataclass(frozen=True, slots=True)
class Past:
    """What became of a memory so far: recalls newest first, feedback newest first."""

    credit: Credit | None
    hits: Sequence[Hit]
    feedback: Sequence[Feedback]


def pasts_of(actor: Actor, memories: Sequence[Memory], policy: Credibility) -> dict[UUID, Past]:
    """Return the past of each memory by its id: two queries, however many there are."""
    hits, said = _hits(actor, memories), _feedback(memories)
    return {
        memory.pk: Past(credit_of(memory.agent, policy), hits[memory.pk], said[memory.pk])
        for memory in memories
    }


def credit_of(agent: Agent | None, policy: Credibility) -> Credit | None:
    """Return an agent's record, None for a person's memory."""
    if agent is None:
        return None
    judged = agent.upheld + agent.refuted
    return Credit(agent.upheld, judged, credibility(agent.upheld, agent.refuted, policy))


def _hits(actor: Actor, memories: Sequence[Memory]) -> dict[UUID, list[Hit]]:
    found: dict[UUID, list[Hit]] = defaultdict(list)
    # What was asked may tell more than what was found: it is for whoever sees private memories.
    if "see_private" not in actor.verbs:
        return found
    place = Window(RowNumber(), partition_by="memory", order_by=F("recall_id").desc())
    rows = Hit.objects.filter(memory__in=memories, recall__space_id=actor.space_id)
    newest = rows.annotate(place=place).filter(place__lte=RECALLS)
    for hit in newest.select_related("recall").order_by("-recall_id"):
        found[hit.memory_id].append(hit)
    return found


def _feedback(memories: Sequence[Memory]) -> dict[UUID, list[Feedback]]:
    found: dict[UUID, list[Feedback]] = defaultdict(list)
    place = Window(RowNumber(), partition_by="memory", order_by=F("id").desc())
    rows = Feedback.objects.filter(memory__in=memories)
    for said in rows.annotate(place=place).filter(place__lte=SAID).order_by("-id"):
        found[said.memory_id].append(said)
    return found


def similar_to(actor: Actor, memory: Memory, leaving_out: Sequence[Memory]) -> list[Memory]:
    """Return what the same owner holds about the same thing, nearest first, each with `.near`.

    One query. Texts further apart than the model's conflict gate have only words in common.
    """
    model = memory.embedding_model
    this = Memory.objects.filter(pk=memory.pk)
    distance = CosineDistance(vector_of(model), Subquery(this.values("embedding")))
    near = ExpressionWrapper(Value(1.0) - distance, output_field=FloatField())
    # Nothing is near a memory that has no embedding yet, nor one of another model.
    owned = Memory.objects.owned_like(memory).live().exclude(pk__in=[m.pk for m in leaving_out])
    rows = memories_of(actor).filter(pk__in=owned.values("pk")).annotate(near=near)
    nearest = rows.filter(near__isnull=False).order_by("-near", "pk")[:NEAR]
    gate = profile_for(model).conflict_gate
    return [one for one in nearest if one.near >= gate]


def trail_of(flag: Flag) -> list[Event]:
    """Return what the log says of a flag, newest first."""
    rows = Event.objects.filter(space_id=flag.space_id, memory_id=flag.memory_id)
    return list(rows.filter(data__flag=str(flag.pk)).order_by("-id")[:ROWS])
