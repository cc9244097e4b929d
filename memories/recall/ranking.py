"""From what the arms say to one order: fuse, then the policy's rules. Pure functions."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memories.policies import Credibility, RecallPolicy, credit, importance, recency, trusted
from memories.recall.arms import Candidate, Proposed
from memories.recall.dates import Span, closeness

NARROW = 0.04
"""Cosines of one scope that lie closer together than this are not spread further apart."""
COVERAGE_WORTH, COVERAGE_COUNTED = 0.8, 0.3
"""Words add this share of their coverage to relevance, of which no more than the second counts."""


@dataclass(frozen=True, slots=True)
class Setting:
    """In what a question is asked: its moment, named times, session, and its model's floor.

    `credibility` is how the space weighs what people said of the writers (F4).
    """

    now: datetime
    times: tuple[Span, ...] = ()
    session: str = ""
    unrelated: float = 0.0
    credibility: Credibility = field(default_factory=Credibility)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score, and what each arm and rule said, by name.

    Bonuses may lift a score over 1; that orders the best, and is shown as 1.
    """

    candidate: Candidate
    score: float
    arms: Mapping[str, float]


def ranked(proposed: Proposed, policy: RecallPolicy, setting: Setting) -> list[Ranked]:
    """Return the relevant candidates, best first; none when nothing reaches the minimum (C7).

    Fused by the policy's weights after each arm is stretched to 0–1 over the scope. On LoCoMo,
    MADial and HaluMem together that ranked better than z-scores or the bare cosine.
    """
    near = {
        one.id: closeness(one.moment, setting.times, policy.date_half_days)
        for one in proposed.candidates
    }
    relevant = _relevant(proposed.candidates, near, policy, setting.unrelated)
    parts = {one.id: _fused(one, proposed, policy) for one in relevant}
    context = _context(relevant, {key: arms["fused"] for key, arms in parts.items()})
    for key, arms in parts.items():
        arms |= {"context": context[key], "time": near[key]}
    scored = [_ruled(one, parts[one.id], policy, setting) for one in relevant]
    return sorted(scored, key=lambda one: (-one.score, one.candidate.id))


def relevance(one: Candidate, near: float, policy: RecallPolicy, unrelated: float) -> float:
    """Return how far a candidate is about the question, whatever else is in the scope: about 0–1.

    0 is what any two texts have in common under this model. A memory that only its words can speak
    for passes by the share of the query's words that it has.
    """
    if one.cosine is None:
        enough = one.coverage >= policy.minimum_coverage
        return policy.minimum_relevance if enough else 0.0
    meaning = (one.cosine - unrelated) / (1.0 - unrelated)
    words = COVERAGE_WORTH * min(one.coverage, COVERAGE_COUNTED)
    return meaning + words + policy.date_boost * near


def _relevant(
    candidates: Sequence[Candidate],
    near: Mapping[UUID, float],
    policy: RecallPolicy,
    unrelated: float,
) -> list[Candidate]:
    weighed = [(one, relevance(one, near[one.id], policy, unrelated)) for one in candidates]
    if max((weight for _one, weight in weighed), default=0.0) < policy.minimum_relevance:
        return []
    return [one for one, weight in weighed if weight >= policy.hit_relevance]


def _fused(one: Candidate, proposed: Proposed, policy: RecallPolicy) -> dict[str, float]:
    """Return each arm's word stretched over the scope, and their weighted sum."""
    keyword = one.bm25 / proposed.most_bm25 if proposed.most_bm25 else 0.0
    low, high = proposed.least_cosine, proposed.most_cosine
    if one.cosine is None or low is None or high is None:
        # The embedder is away, or has not seen this memory yet: its words alone decide.
        return {"keyword": keyword, "fused": keyword}
    low = min(low, high - NARROW)
    semantic = (one.cosine - low) / (high - low)
    weights = (policy.keyword_weight + policy.semantic_weight) or 1.0
    fused = (policy.keyword_weight * keyword + policy.semantic_weight * semantic) / weights
    return {"keyword": keyword, "semantic": semantic, "fused": fused}


def _context(candidates: Sequence[Candidate], fused: Mapping[UUID, float]) -> dict[UUID, float]:
    """Return for each candidate the best fused score of another one said in the same session.

    An answer often stands beside the sentence that shares its words with the question. Measured on
    LoCoMo: R@10 .677 → .725 (turns), .765 → .800 (facts).
    """
    best: defaultdict[str, list[tuple[float, UUID]]] = defaultdict(list)
    for one in candidates:
        if one.session:
            best[one.session].append((fused[one.id], one.id))
    top = {session: sorted(said, reverse=True)[:2] for session, said in best.items()}
    return {
        one.id: next((score for score, key in top.get(one.session, ()) if key != one.id), 0.0)
        for one in candidates
    }


def _ruled(
    one: Candidate, said: dict[str, float], policy: RecallPolicy, setting: Setting
) -> Ranked:
    """Apply the rules of C2, C3 and F4 to what the arms said."""
    age = (setting.now - one.moment).total_seconds() / 86_400
    said["recency"] = recency(age, policy)
    said["importance"] = importance(one.heat)
    said["trust"] = trusted(one.source, one.confidence, policy)
    said["writer"] = credit(one.upheld, one.refuted, setting.credibility)
    said["session"] = float(bool(setting.session) and one.session == setting.session)
    score = said.pop("fused")
    score += policy.context_weight * said["context"]
    score += policy.date_boost * said["time"]
    score += policy.session_bonus * said["session"]
    score += policy.importance_weight * said["importance"]
    score *= said["trust"] * said["writer"] * (1.0 - policy.decay_weight * (1.0 - said["recency"]))
    return Ranked(one, score, said)
