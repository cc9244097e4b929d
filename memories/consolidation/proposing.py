"""A cluster becomes a proposal: its text outside of transactions, the rest within one."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from memories.consolidation.clusters import Cluster
from memories.consolidation.near import eligible
from memories.consolidation.writer import merged_text
from memories.embedding.client import EmbedderDown
from memories.embedding.spaces import embed_for
from memories.errors import Stale
from memories.lifecycle import Text, propose_merge
from memories.models.flag import Flag
from memories.models.memory import Memory, Status
from memories.permissions import Actor
from memories.policies import ConsolidatingPolicy
from memories.writing.judge import Related
from memories.writing.store import hold_owner, open_conflict

LLM_SECONDS, CLUSTER_SECONDS = 120.0, 60.0
"""That an LLM may take for a batch, which is below the lease of a run, and for one cluster."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A cluster with its text, if it is more than contradictions."""

    cluster: Cluster
    text: Text | None = None
    evidence: Mapping[str, Any] | None = None


def planned(
    space_id: UUID, clusters: Mapping[UUID, Cluster], policy: ConsolidatingPolicy
) -> dict[UUID, Planned]:
    """Write and embed the texts of some clusters; the LLM may take LLM_SECONDS. It only reads."""
    until = time.monotonic() + LLM_SECONDS
    drafts = {}
    for key, cluster in clusters.items():
        if cluster.members:
            left = min(CLUSTER_SECONDS, until - time.monotonic())
            drafts[key] = merged_text(cluster.members, policy, seconds=left)
    texts = _embedded(space_id, [written.content for written in drafts.values()])
    plans = {key: Planned(cluster) for key, cluster in clusters.items()}
    for (key, written), text in zip(drafts.items(), texts, strict=True):
        plans[key] = Planned(clusters[key], text, written.evidence)
    return plans


def _embedded(space_id: UUID, contents: Sequence[str]) -> list[Text]:
    """Return the texts with their embeddings; without the embedder they wait for them."""
    try:
        answer = embed_for(space_id, contents)
    except EmbedderDown:
        return [Text(content, None, "") for content in contents]
    made = zip(contents, answer.vectors, strict=True)
    return [Text(content, vector, answer.model) for content, vector in made]


def propose(actor: Actor, plan: Planned) -> Flag:
    """Propose a cluster to people, inside the caller's transaction.

    Raises Stale when any of it was changed, or put to a person, since it was read: then what was
    written meanwhile stays as it is, and a later run looks at it anew.
    """
    members, text = plan.cluster.members, plan.text
    if not members or text is None:
        raise ValueError("a cluster without members has nothing to propose")
    hold_owner(members[0])  # from here on nobody opens a flag about them
    free = eligible(actor.space_id).filter(pk__in=plan.cluster.versions)
    if free.count() != len(members):
        raise Stale("")
    return propose_merge(
        actor=actor,
        memory_ids=[memory.pk for memory in members],
        content=text,
        scores=plan.cluster.scores,
        evidence=plan.evidence,
        expected_versions=plan.cluster.versions,
    )


def flag_conflict(actor: Actor, pair: Related) -> Flag | None:
    """Put two fragments that contradict one another to a person (E3).

    None when one of them was changed since, or people were asked or said already.
    """
    sides = {side.pk: side.version for side in (pair.new, pair.old)}
    with transaction.atomic():
        hold_owner(pair.new)
        rows = Memory.objects.select_for_update(no_key=True).filter(pk__in=sides).order_by("pk")
        live = rows.filter(status=Status.ACTIVE, withheld=False)
        if dict(live.values_list("pk", "version")) != sides:
            return None
        return open_conflict(pair, actor)
