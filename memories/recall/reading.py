"""The log of recalls, as people read it: what was asked, by whom, and what was answered (C6).

A question may tell more than its answer does. So the log is for people who see every memory of
their space, private ones too; whoever does not see it reads what memories.recall.usage counts.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from memories.errors import NotFound
from memories.inputs import MAX_NAME, one_of, short_text
from memories.models.memory import Memory
from memories.models.recall import Hit, Recall
from memories.permissions import Actor
from memories.reading import memories_of

SLOW_MS = 80.0
"""What a recall may take at the most, 99 times of 100 (C8)."""

_answered = Exists(Hit.objects.filter(recall=OuterRef("pk")))
# What may be odd about a recall; a page lists one sort at a time.
STATES = {
    "empty": ~Q(_answered),
    "degraded": Q(degraded=True),
    "slow": Q(took_ms__gt=SLOW_MS),
}


@dataclass(frozen=True, slots=True)
class RecallFilters:
    """Which recalls: empty fields do not restrict.

    `asked_by` is the name of an agent or a person; `text` is searched in the question; `state` is
    one of STATES; `memory` names one that was among the hits.
    """

    asked_by: str = ""
    user_id: str = ""
    text: str = ""
    state: str = ""
    memory: UUID | None = None

    def condition(self) -> Q:
        """Return the filters as one condition on recalls, or raise Invalid."""
        given = {
            "actor_name": short_text(self.asked_by, "asked_by", MAX_NAME),
            "user_id": short_text(self.user_id, "user_id", MAX_NAME),
            "query__icontains": short_text(self.text, "text", MAX_NAME),
        }
        condition = Q(**{name: value for name, value in given.items() if value})
        if self.state:
            condition &= STATES[one_of(self.state, list(STATES), "state")]
        if self.memory:
            found = Hit.objects.filter(memory=self.memory).order_by()
            condition &= Q(pk__in=found.values("recall"))
        return condition


@dataclass(frozen=True, slots=True)
class Answer:
    """The first hits of a recall, each with its memory; how many there are in all."""

    hits: Sequence[Hit]
    count: int

    @property
    def more(self) -> int:
        """Return how many hits there are beside those shown."""
        return self.count - len(self.hits)


def recalls_of(actor: Actor, filters: RecallFilters | None = None) -> "QuerySet[Recall]":
    """Return the recalls of the actor's space, newest first. Raises NotAllowed or Invalid."""
    actor.require("see_private")
    found: QuerySet[Recall] = Recall.objects.filter(space_id=actor.space_id)
    return found.filter((filters or RecallFilters()).condition())


def get_recall(*, actor: Actor, recall_id: UUID) -> Recall:
    """Return one recall of the actor's space, or raise NotFound; NotAllowed as recalls_of()."""
    recall = recalls_of(actor).filter(pk=recall_id).first()
    if recall is None:
        raise NotFound(_("There is no such recall here."), field="recall_id")
    return recall


def answers_to(
    actor: Actor, recalls: Sequence[Recall], most: int | None = None
) -> Mapping[UUID, Answer]:
    """Return what each recall answered, by its id: three queries, however many there are.

    `most` is the rank down to which hits are shown. Their memories are read as they are now, with
    `.disputed`; what the actor does not see is no hit here.
    """
    rows = Hit.objects.filter(recall__in=recalls)
    counted = rows.order_by().values("recall").annotate(n=Count("pk"))
    counts = dict(counted.values_list("recall", "n"))
    shown = list(rows if most is None else rows.filter(rank__lte=most))
    known = {one.pk: one for one in _known(actor, shown)}
    found: dict[UUID, list[Hit]] = defaultdict(list)
    for hit in shown:
        if hit.memory_id in known:
            hit.memory = known[hit.memory_id]
            found[hit.recall_id].append(hit)
    return {recall.pk: Answer(found[recall.pk], counts.get(recall.pk, 0)) for recall in recalls}


def _known(actor: Actor, hits: Sequence[Hit]) -> "QuerySet[Memory]":
    return memories_of(actor).filter(pk__in={hit.memory_id for hit in hits}).order_by()
