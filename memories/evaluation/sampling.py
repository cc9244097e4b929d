"""A round of judging begins: real questions are drawn from the log of recalls (H4, J5)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import (
    Count,
    Exists,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.functions import MD5, Cast, Coalesce, Concat
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memories import history
from memories.errors import Invalid
from memories.models.evaluation import DEPTH, Evaluation, Judgement
from memories.models.ids import least_id, new_id
from memories.models.memory import Memory, MemoryVersion
from memories.models.recall import Hit, Recall
from memories.models.space import Space
from memories.permissions import Actor

SIZE = 20
"""Questions of a round: few enough to be judged over one cup of coffee."""
REACH = timedelta(days=30)
"""A round looks back to the one before it, and never further than this."""


def require_judge(actor: Actor) -> None:
    """Raise NotAllowed unless this actor may judge.

    A question may quote what its user said in private, and a hit may be an agent's own: whoever
    judges reads both.
    """
    actor.require("decide")
    actor.require("see_private")


def begin_evaluation(*, actor: Actor) -> Evaluation:
    """Draw up to SIZE questions of those that agents asked since the last round: a new round.

    The same text for the same user is one question; the newest time it was asked counts. What had
    no hit is counted, not drawn. While a round is open, that one is returned: two people who begin
    at once judge together. Raises NotAllowed, or Invalid when there is nothing to judge.
    """
    require_judge(actor)
    with transaction.atomic():
        # Whoever begins at the same moment waits here, and then finds this round.
        Space.objects.select_for_update(no_key=True).get(pk=actor.space_id)
        begun = Evaluation.objects.filter(space_id=actor.space_id)
        return begun.filter(closed_at__isnull=True).first() or _begun(actor, begun.first())


def _begun(actor: Actor, last: Evaluation | None) -> Evaluation:
    since = timezone.now() - REACH
    if last is not None:
        since = max(since, last.created_at)
    questions = asked_since(actor.space_id, since)
    counts = questions.aggregate(asked=Count("pk"), unanswered=Count("pk", filter=~Q(has_hit())))
    key = new_id()
    drawn = _drawn(questions, key)
    if not drawn:
        raise Invalid(_nothing(counts["asked"], since))
    evaluation = Evaluation(
        pk=key,
        space_id=actor.space_id,
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_name=actor.name,
        since=since,
        **counts,
    )
    evaluation.save(force_insert=True)
    Judgement.objects.bulk_create(_blank(evaluation, drawn))
    history.log(actor, "evaluation_begun", evaluation=str(key), questions=len(drawn), **counts)
    return evaluation


def asked_since(space_id: UUID, since: datetime) -> "QuerySet[Recall]":
    """Return what agents asked, each question once, as its newest recall."""
    asked = Recall.objects.filter(space_id=space_id, actor_kind="agent", pk__gte=least_id(since))
    newest = asked.order_by("query", "user_id", "-pk")
    once = newest.distinct("query", "user_id").values("pk")
    return Recall.objects.filter(pk__in=once).order_by()


def has_hit() -> Exists:
    """The condition on recalls that something was found, and is still there."""
    return Exists(Hit.objects.filter(recall=OuterRef("pk"), rank__lte=DEPTH))


def _drawn(questions: "QuerySet[Recall]", key: UUID) -> list[UUID]:
    """Shuffle the questions that had a hit by the key of the round, and take the first."""
    chance = MD5(Concat(Cast("pk", TextField()), Value(str(key))))
    shuffled = questions.filter(has_hit()).order_by(chance)
    return list(shuffled.values_list("pk", flat=True)[:SIZE])


def _blank(evaluation: Evaluation, drawn: Sequence[UUID]) -> list[Judgement]:
    """Return a judgement, not made yet, for each of the first hits of these recalls."""
    before = MemoryVersion.objects.filter(
        memory=OuterRef("memory"), created_at__lte=OuterRef("recall__created_at")
    )
    newest = Subquery(before.order_by("-number").values("number")[:1])
    hits = _held(drawn).annotate(version=Coalesce(newest, 1, output_field=IntegerField()))
    rows = hits.order_by("recall_id", "rank").values_list("recall", "memory", "rank", "version")
    return [
        Judgement(
            evaluation=evaluation,
            recall_id=recall,
            memory_id=memory,
            rank=rank,
            memory_version=version,
        )
        for recall, memory, rank, version in rows
    ]


def _held(drawn: Sequence[UUID]) -> "QuerySet[Hit]":
    """Return the hits to be judged; neither they nor their recalls can be purged meanwhile.

    Locked in the order of their ids, as every other writer does.
    """
    hits = Hit.objects.filter(recall__in=drawn, rank__lte=DEPTH)
    memories = Memory.objects.filter(pk__in=hits.values("memory")).order_by("pk")
    recalls = Recall.objects.filter(pk__in=drawn).order_by("pk")
    for rows in (memories, recalls):
        list(rows.select_for_update(no_key=True).values_list("pk", flat=True))
    return hits


def _nothing(asked: int, since: datetime) -> str:
    """Say why there is nothing to judge."""
    day = date_format(timezone.localtime(since), "DATETIME_FORMAT")
    if not asked:
        return _("No agent has asked anything since %(day)s. Begin when some have.") % {"day": day}
    return ngettext(
        "The one question that agents asked since %(day)s had no hit: there is nothing to judge.",
        "None of the %(n)d questions that agents asked since %(day)s had a hit: there is nothing to"
        " judge.",
        asked,
    ) % {"n": asked, "day": day}
