"""Questions in the log, put there as agents would have, and rounds of judging them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from memories.evaluation.judging import finish_evaluation, judge
from memories.evaluation.sampling import begin_evaluation
from memories.models import Evaluation, Hit, Judgement, Memory, Recall
from memories.models.ids import least_id, new_id
from memories.permissions import Actor


def asked(actor: Actor, query: str, *hits: Memory, days: float = 0.0, **said: Any) -> Recall:
    """Log a recall of so many days ago, with these hits in their order."""
    moment = timezone.now() - timedelta(days=days)
    recall = Recall.objects.create(
        pk=made_at(moment) if days else new_id(),
        space_id=actor.space_id,
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_name=actor.name,
        user_id=actor.user_id,
        query=query,
        policy_version=said.pop("policy_version", 0),
        took_ms=1.0,
        **said,
    )
    if days:
        Recall.objects.filter(pk=recall.pk).update(created_at=moment)
    Hit.objects.bulk_create(
        Hit(recall=recall, memory=memory, rank=rank, score=1.0 - rank / 10)
        for rank, memory in enumerate(hits, 1)
    )
    return recall


def made_at(moment: datetime) -> UUID:
    """Return an id as it would have been made then."""
    return UUID(int=least_id(moment).int | new_id().int & ((1 << 62) - 1))


def judgements_of(evaluation: Evaluation) -> Sequence[Judgement]:
    return list(Judgement.objects.filter(evaluation=evaluation).order_by("recall_id", "rank"))


def say(actor: Actor, judgement: Judgement, relevant: bool | None) -> Judgement:
    """Judge a hit as whoever sees it as it is given."""
    return judge(
        actor=actor, judgement_id=judgement.pk, relevant=relevant, expected=judgement.relevant
    )


def judged(person: Actor, *verdicts: bool) -> Evaluation:
    """Begin a round, say this of its first hits, and finish it."""
    evaluation = begin_evaluation(actor=person)
    for one, verdict in zip(judgements_of(evaluation), verdicts, strict=False):
        say(person, one, verdict)
    return finish_evaluation(actor=person, evaluation_id=evaluation.pk)
