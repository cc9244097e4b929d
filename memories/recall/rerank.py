"""The last word on the first hits, by a cross-encoder that reads question and memory together.

Off without RERANK_MODEL. When it does not answer in time, the order stays as it is.
"""

from collections.abc import Sequence
from dataclasses import replace

from memories.embedding.reranker import RerankerDown, rerank, reranking
from memories.policies import RecallPolicy
from memories.recall.ranking import Ranked

CAP = 30
"""Hits that are judged anew: each costs a pass through the model."""


def reranked(query: str, best: Sequence[Ranked], policy: RecallPolicy) -> Sequence[Ranked]:
    """Return the hits by (1 − w) · score + w · judgement, w being the policy's rerank_weight.

    `best` is in order, best first. What is not asked about is judged 0, so that no hit beyond the
    cap overtakes one within.
    """
    if not best or not policy.rerank_weight or not reranking():
        return best
    first, others = best[:CAP], best[CAP:]
    try:
        judged = rerank(query, [one.candidate.text for one in first])
    except RerankerDown:
        return best
    blended = [_blended(one, given, policy) for one, given in zip(first, judged, strict=True)]
    blended += [_blended(one, None, policy) for one in others]
    return sorted(blended, key=_place)


def _blended(one: Ranked, judgement: float | None, policy: RecallPolicy) -> Ranked:
    """Return a hit with its score, 1 at most, moved towards the judgement."""
    parts = one.shown()
    moved = policy.rerank_weight * ((judgement or 0.0) - sum(parts.values()))
    arms = one.arms if judgement is None else {**one.arms, "rerank": judgement}
    return replace(one, arms=arms, parts={**parts, "rerank": moved})


def _place(one: Ranked) -> float:
    """Best first; equals, but for what adding up floats leaves, stay in their order."""
    return -round(one.score, 9)
