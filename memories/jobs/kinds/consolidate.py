"""Fragments of one topic are proposed as one memory, contradictions flagged (E4, E8)."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import accumulate
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from memories.consolidation import (
    Planned,
    find,
    flag_conflict,
    in_use,
    planned,
    propose,
    wants_llm,
)
from memories.errors import Stale
from memories.jobs.base import Asked, Job, Row
from memories.models.job import JobRun
from memories.models.memory import Memory
from memories.models.policy import Policy
from memories.policies import ConsolidatingPolicy

SLOW_BATCH = 20
"""Memories looked at between two steps when an LLM writes: each cluster is a question to it."""
MOST_PAIRS = 5_000_000
"""Comparisons in one batch: some seconds, whether an owner has a hundred memories or all."""
OVERLAP = timedelta(minutes=10)
"""What was written in a transaction that ended only after the last run had begun."""

Ready = Mapping[UUID, Planned]


def _seeds(asked: Asked) -> "QuerySet[Memory]":
    """What changed since the last whole run, or everything once the policy was changed.

    find() leaves out what people are asked about: to look that up for each batch would take longer.
    """
    rows = in_use(asked.space_id).filter(embedding__isnull=False)
    runs = JobRun.objects.filter(space_id=asked.space_id, job=JOB.code, trial=False)
    last = runs.filter(state=JobRun.State.DONE, failed=0).order_by("-pk").first()
    if last is None or last.started_at is None:
        return rows
    if Policy.objects.filter(space_id=asked.space_id, created_at__gte=last.started_at).exists():
        return rows
    return rows.filter(updated_at__gte=last.started_at - OVERLAP)


def _rows(asked: Asked, after: str, size: int) -> Sequence[Row]:
    """Return the next seeds, owner by owner: those of one are compared with the same others."""
    rows = _seeds(asked)
    if after:
        key, _slash, owner = after.partition("/")
        rows = rows.filter(user_id__gte=owner)
        rows = rows.filter(Q(user_id__gt=owner) | Q(pk__gt=UUID(key)))
    if wants_llm(_policy(asked)):
        size = min(size, SLOW_BATCH)
    found = list(rows.order_by("user_id", "pk").values_list("pk", "user_id")[:size])
    return [(f"{key}/{owner}", key) for key, owner in _bounded(asked, found)]


def _bounded(asked: Asked, found: list[tuple[UUID, str]]) -> list[tuple[UUID, str]]:
    """Return the first of these seeds, so many as can be compared with all of their owners."""
    owners = {owner for _key, owner in found}
    held = Memory.objects.filter(space_id=asked.space_id, user_id__in=owners).order_by()
    number = dict(held.values_list("user_id").annotate(Count("pk")))
    pairs = accumulate(number.get(owner, 0) for _key, owner in found)
    within = sum(so_far <= MOST_PAIRS for so_far in pairs)
    return found[: max(within, 1)]


def _policy(asked: Asked) -> ConsolidatingPolicy:
    """In a trial no LLM is asked."""
    policy = asked.policy.consolidating
    return policy.model_copy(update={"writer": "rules"}) if asked.trial else policy


def _prepare(asked: Asked, seeds: Sequence[UUID]) -> Ready:
    """Find the clusters of a batch and write their texts."""
    policy = _policy(asked)
    return planned(asked.space_id, find(asked.space_id, seeds, policy), policy)


def _work(asked: Asked, seed: UUID, ready: Ready) -> Mapping[str, int]:
    plan = ready.get(seed)
    if plan is None:
        return {}
    flags = [flag_conflict(asked.actor, pair) for pair in plan.cluster.conflicts]
    counts = {"conflict": sum(flag is not None for flag in flags)}
    if plan.cluster.members:
        counts[_proposed(asked, plan)] = 1
    return {outcome: count for outcome, count in counts.items() if count}


def _proposed(asked: Asked, plan: Planned) -> str:
    try:
        propose(asked.actor, plan)
    except Stale:
        return "moved"
    return "proposed"


JOB = Job(
    code="consolidate",
    order=50,
    label=_("Consolidation"),
    meaning=_(
        "Finds fragments of one topic and proposes one fuller memory for them. A person, or a rule "
        "that a person wrote, decides; fragments that contradict one another are flagged instead."
    ),
    outcomes={
        "proposed": _("merges proposed"),
        "conflict": _("contradictions flagged"),
        "moved": _("changed meanwhile, left for the next run"),
    },
    rows=_rows,
    work=_work,
    prepare=_prepare,
    total=lambda asked: _seeds(asked).count(),
    interval=lambda policy: policy.consolidate_days,
    batch=250,
)
