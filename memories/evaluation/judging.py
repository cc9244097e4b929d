"""What people say of the hits of a round, and what comes of it: precision@3 (H4, J5)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from memories import history
from memories.errors import Invalid, NotFound, Stale
from memories.evaluation.sampling import require_judge
from memories.models.evaluation import Evaluation, Judgement
from memories.models.memory import WIDE, MemoryVersion
from memories.models.recall import Hit, Recall
from memories.permissions import Actor
from memories.rates import wilson

# To be judged, judged, gone: a memory that was purged before anybody judged it.
WAITING = Q(relevant__isnull=True, memory__isnull=False)
JUDGED = Q(relevant__isnull=False)
GONE = Q(relevant__isnull=True, memory__isnull=True)


@dataclass(frozen=True, slots=True)
class Figures:
    """What a round says: of its `questions` with `waiting` hits to judge and `judged` ones.

    `relevant` of the judged hits are, `asked` of the questions have a judged hit, `found` a
    relevant one. `gone` were removed before they were judged. `first_policy` and `last_policy` are
    the versions of the policy that the questions were answered by, None without any.
    """

    questions: int = 0
    waiting: int = 0
    judged: int = 0
    gone: int = 0
    relevant: int = 0
    asked: int = 0
    found: int = 0
    first_policy: int | None = None
    last_policy: int | None = None

    @property
    def hits(self) -> int:
        """How many hits can be judged."""
        return self.waiting + self.judged

    @property
    def precision(self) -> float:
        """Precision@3: the relevant share of the judged hits, 0–1; 0 of none."""
        return self.relevant / self.judged if self.judged else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Between what values precision@3 lies, with 95% confidence (Wilson)."""
        return wilson(self.relevant, self.judged)

    @property
    def helped(self) -> float:
        """hit@3: the share of the questions with at least one relevant hit, 0–1; 0 of none."""
        return self.found / self.asked if self.asked else 0.0


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a round by its place, from 1; how many hits wait, are judged, are relevant."""

    number: int
    recall: Recall
    waiting: int
    judged: int
    relevant: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit to be judged: what it said when it was recalled, None once that is gone."""

    judgement: Judgement
    version: MemoryVersion | None
    score: float | None

    @property
    def moment(self) -> datetime | None:
        """When it happened, or else when it was written."""
        memory = self.judgement.memory
        if self.version is None or memory is None:
            return None
        return self.version.happened_at or memory.created_at


def evaluations_of(actor: Actor) -> "QuerySet[Evaluation]":
    """Return the rounds of a space, newest first."""
    actor.require("read")
    return Evaluation.objects.filter(space_id=actor.space_id).order_by("-pk")


def get_evaluation(*, actor: Actor, evaluation_id: UUID) -> Evaluation:
    """Return a round, or raise NotFound."""
    found = evaluations_of(actor).filter(pk=evaluation_id).first()
    if found is None:
        raise _missing("evaluation_id")
    return found


def figures_of(evaluations: Iterable[Evaluation]) -> Mapping[UUID, Figures]:
    """Return what these rounds say, by their ids; with one query."""
    keys = [evaluation.pk for evaluation in evaluations]
    rows = Judgement.objects.filter(evaluation__in=keys).order_by().values_list("evaluation")
    counted = rows.annotate(
        questions=Count("recall", distinct=True),
        waiting=Count("pk", filter=WAITING),
        judged=Count("pk", filter=JUDGED),
        gone=Count("pk", filter=GONE),
        right=Count("pk", filter=Q(relevant=True)),
        asked=Count("recall", distinct=True, filter=JUDGED),
        found=Count("recall", distinct=True, filter=Q(relevant=True)),
        first_policy=Min("recall__policy_version"),
        last_policy=Max("recall__policy_version"),
    )
    # In the order of the fields of Figures.
    found = {row[0]: Figures(*row[1:]) for row in counted}
    return {key: found.get(key, Figures()) for key in keys}


def questions_of(actor: Actor, evaluation: Evaluation) -> list[Question]:
    """Return the questions of a round in the order in which they were asked. Raises NotAllowed."""
    require_judge(actor)
    recalls = Recall.objects.filter(judgements__evaluation=evaluation).order_by("pk")
    counted = recalls.annotate(
        waiting=Count(
            "judgements",
            filter=Q(judgements__relevant__isnull=True, judgements__memory__isnull=False),
        ),
        judged=Count("judgements", filter=Q(judgements__relevant__isnull=False)),
        right=Count("judgements", filter=Q(judgements__relevant=True)),
    )
    return [
        Question(number, recall, recall.waiting, recall.judged, recall.right)
        for number, recall in enumerate(counted, 1)
    ]


def hits_of(actor: Actor, evaluation: Evaluation, recall: Recall) -> Sequence[Shown]:
    """Return the hits of one question in their order. Raises NotAllowed."""
    require_judge(actor)
    logged = Hit.objects.filter(recall=OuterRef("recall"), memory=OuterRef("memory"))
    rows = Judgement.objects.filter(evaluation=evaluation, recall=recall).order_by("rank")
    rows = rows.select_related("memory__agent").defer(*(f"memory__{name}" for name in WIDE))
    judgements = list(rows.annotate(score=Subquery(logged.values("score")[:1])))
    told = MemoryVersion.objects.filter(memory__in=[one.memory_id for one in judgements])
    texts: dict[tuple[UUID | None, int], MemoryVersion] = {
        (version.memory_id, version.number): version for version in told
    }
    return [
        Shown(one, texts.get((one.memory_id, one.memory_version)), one.score) for one in judgements
    ]


def judge(
    *, actor: Actor, judgement_id: UUID, relevant: bool | None, expected: bool | None
) -> Judgement:
    """Say whether a hit is relevant, or with None that nobody knows yet; return the judgement.

    `expected` is what the person saw there: if somebody said something else meanwhile, nothing is
    written. Saying the same again changes nothing. Raises NotAllowed, NotFound, or Stale.
    """
    require_judge(actor)
    with transaction.atomic():
        judgement = _held(actor, judgement_id)
        if judgement.relevant == relevant:
            return judgement
        if judgement.relevant != expected:
            raise Stale(_overtaken(judgement))
        if judgement.memory_id is None:
            raise Stale(_("This memory has been removed for good: there is nothing to judge."))
        _say(actor, [judgement], relevant)
    return judgement


def reject_rest(*, actor: Actor, evaluation_id: UUID, recall_id: UUID) -> int:
    """Say that the hits of a question that nobody judged yet are not relevant; return how many.

    Raises NotAllowed, NotFound, or Stale.
    """
    require_judge(actor)
    with transaction.atomic():
        evaluation = _open(actor, evaluation_id)
        rows = Judgement.objects.filter(WAITING, evaluation=evaluation, recall=recall_id)
        waiting = list(rows)
        _say(actor, waiting, False)
    return len(waiting)


def finish_evaluation(*, actor: Actor, evaluation_id: UUID) -> Evaluation:
    """Close a round: its judgements stay as they are. A closed one is returned as it is.

    What nobody judged is left out. Raises NotAllowed, NotFound, or Invalid if nothing was judged.
    """
    require_judge(actor)
    with transaction.atomic():
        evaluation = _locked(actor, evaluation_id)
        if evaluation.closed_at is not None:
            return evaluation
        figures = figures_of([evaluation])[evaluation.pk]
        if not figures.judged:
            raise Invalid(_("Judge at least one hit first: there is no figure without one."))
        evaluation.closed_at = timezone.now()
        evaluation.save(update_fields=["closed_at"])
        history.log(
            actor,
            "evaluation_finished",
            evaluation=str(evaluation.pk),
            judged=figures.judged,
            relevant=figures.relevant,
        )
    return evaluation


def _say(actor: Actor, judgements: Collection[Judgement], relevant: bool | None) -> None:
    """Write a verdict with who gave it; taking it back leaves no name."""
    said: dict[str, Any] = {"actor_kind": "", "actor_id": None, "actor_name": "", "judged_at": None}
    if relevant is not None:
        said = {"actor_kind": actor.kind, "actor_id": actor.id, "actor_name": actor.name}
        said["judged_at"] = timezone.now()
    said["relevant"] = relevant
    for judgement in judgements:
        for name, value in said.items():
            setattr(judgement, name, value)
    Judgement.objects.filter(pk__in=[one.pk for one in judgements]).update(**said)


def _held(actor: Actor, judgement_id: UUID) -> Judgement:
    """Return a judgement of an open round, locked with it."""
    own = Judgement.objects.filter(evaluation__space_id=actor.space_id)
    found = own.filter(pk=judgement_id).values_list("evaluation", flat=True).first()
    if found is None:
        raise _missing("judgement_id")
    _open(actor, found)
    held = own.filter(pk=judgement_id).select_for_update(of=("self",)).first()
    if held is None:
        raise _missing("judgement_id")
    return held


def _open(actor: Actor, evaluation_id: UUID) -> Evaluation:
    """Return a round, locked, or raise Stale when it is closed."""
    evaluation = _locked(actor, evaluation_id)
    if evaluation.closed_at is not None:
        raise Stale(_("This round is finished: its judgements stay as they are."))
    return evaluation


def _locked(actor: Actor, evaluation_id: UUID) -> Evaluation:
    rows = Evaluation.objects.filter(space_id=actor.space_id, pk=evaluation_id)
    found = rows.select_for_update(no_key=True).first()
    if found is None:
        raise _missing("evaluation_id")
    return found


def _overtaken(judgement: Judgement) -> str:
    if judgement.relevant is None:
        return _("Somebody took back what was said of this hit. Look again.")
    said = (
        _("%(who)s said meanwhile that this hit is relevant. Look again.")
        if judgement.relevant
        else _("%(who)s said meanwhile that this hit is not relevant. Look again.")
    )
    return said % {"who": judgement.actor_name}


def _missing(field: str) -> NotFound:
    return NotFound(_("There is no such evaluation here."), field=field)
