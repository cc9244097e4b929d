"""The numbers of a space as typed, immutable objects, and pure functions over them."""

import math
from functools import lru_cache
from typing import Annotated, Any, Literal
from uuid import UUID

from django.db import connection
from pydantic import BaseModel, ConfigDict, Field

from memories.models.memory import Source

Share = Annotated[float, Field(ge=0.0, le=1.0)]


class Numbers(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceConfidence(Numbers):
    """How far a statement is believed by where it comes from (B4)."""

    user_input: Share = 1.0
    person: Share = 0.95
    tool_result: Share = 0.8
    incident_analysis: Share = 0.6
    llm_reasoning: Share = 0.5
    unknown: Share = 0.4
    llm_summary: Share = 0.3


class WritingPolicy(Numbers):
    refuse_below: Share = 0.3  # B5
    neighbours: Annotated[int, Field(ge=1, le=100)] = 20
    # One statement opens at most so many review items, against the nearest that it contradicts.
    most_conflicts: Annotated[int, Field(ge=1, le=20)] = 3
    same_subject_hours: Annotated[float, Field(ge=0, le=720)] = 24.0  # B7
    # How far under the duplicate threshold two statements on one subject still count as one.
    same_subject_margin: Share = 0.03
    # Whether what steers agents, hides or is a secret waits for a person first (F2).
    screen: bool = True
    confidence: SourceConfidence = SourceConfidence()


class SourceCredibility(Numbers):
    """How much a hit's score keeps by where the memory comes from (C2).

    Gentle, because confidence speaks of the source already: enough to decide between equals.
    """

    user_input: Share = 1.0
    person: Share = 1.0
    tool_result: Share = 0.97
    incident_analysis: Share = 0.95
    llm_reasoning: Share = 0.93
    unknown: Share = 0.93
    llm_summary: Share = 0.9


class RecallPolicy(Numbers):
    """How memories are ranked for a question."""

    keyword_weight: Share = 0.4  # C1
    semantic_weight: Share = 0.6  # C1
    importance_weight: Share = 0.02  # C1
    top_k: Annotated[int, Field(ge=1, le=50)] = 5  # C4
    # Memories a single arm may propose, and the newest ones proposed in any case.
    candidates: Annotated[int, Field(ge=50, le=1000)] = 100
    newest: Annotated[int, Field(ge=0, le=200)] = 20
    # Answered only if the best candidate reaches the minimum; no hit may lie far below it (C7).
    # Measured: of 300 questions put to the memories of another set 80% got the honest empty answer;
    # of 1,794 put to their own none did, of 80 bilingual ones 6%.
    minimum_relevance: Share = 0.34
    hit_relevance: Share = 0.2
    # The same for a memory that only its words can speak for: no embedding, or no embedder.
    minimum_coverage: Share = 0.1
    session_bonus: Share = 0.2  # C2
    context_weight: Share = 0.25
    # How far a memory is read with those told just before and after it in its session.
    before_weight: Share = 0.3
    after_weight: Share = 0.2
    date_boost: Share = 0.3  # C3
    # What a memory gets that shares a named thing with what was found (J1); 0 switches it off.
    # R@10 at 0, .05, .1 and .2 (LoCoMo of two of five conversations): LoCoMo turns .712 .720 .723
    # .724, facts .800 .800 .800 .800; MADial en .708 .723 .723 .726, zh .719 .721 .717 .727;
    # HaluMem .946 .946 .953 .953, but R@5 .783 .783 .778 .768.
    graph_weight: Share = 0.1
    date_half_days: Annotated[float, Field(gt=0, le=366)] = 7.0
    doubtful_below: Share = 0.6  # C2
    doubtful_factor: Share = 0.7  # C2
    decay_curve: Literal["hyperbolic", "exponential", "none"] = "hyperbolic"  # C2
    decay_per_day: Share = 0.1  # C2
    # How much of a score age may take: enough to order equals, not to let a vague note of today
    # beat the exact answer of last year. R@10 on LoCoMo facts, a day after the last session:
    # .803 without decay, .796 at 0.1, .787 at 0.2, .693 at 0.5, .170 at 1.
    decay_weight: Share = 0.1
    # The share of a score that everybody's feedback may add or take (C6), and how many voices it
    # takes for half of that: one agent alone moves a score by a fiftieth.
    feedback_weight: Share = 0.1
    feedback_prior: Annotated[float, Field(ge=1, le=1000)] = 4.0
    # How far a cross-encoder's word replaces the score of the first hits, where there is one.
    rerank_weight: Share = 0.7
    credibility: SourceCredibility = SourceCredibility()


class SessionPolicy(Numbers):
    """How sessions are recorded and how long what they hold is kept."""

    working_seconds: Annotated[int, Field(ge=10, le=30 * 86_400)] = 3600  # A1
    chat_turns: Annotated[int, Field(ge=1, le=200)] = 15  # A1
    tool_turns: Annotated[int, Field(ge=1, le=200)] = 8  # A1
    context_tokens: Annotated[int, Field(ge=100, le=20_000)] = 1_500
    idle_minutes: Annotated[float, Field(ge=1, le=30 * 1440)] = 30.0
    retention_days: Annotated[float, Field(ge=1, le=3650)] = 30.0  # A2


class AgingPolicy(Numbers):
    """How what nobody needs fades, expires and is removed (E5, E6, E7)."""

    half_life_days: Annotated[float, Field(gt=0, le=3650)] = 30.0  # E5
    # Archived below this warmth, but not before so many days without a recall (E5).
    archive_below: Annotated[float, Field(ge=0, le=1000)] = 0.2
    archive_after_days: Annotated[float, Field(ge=1, le=3650)] = 90.0
    # Spared if it was recalled within so many days of the same time last quarter or last year.
    season_days: Annotated[float, Field(ge=0, le=45)] = 14.0
    # E6: what is believed less and was recalled less often expires after so many days without a
    # recall; people are warned before.
    expire_below: Share = 0.5
    expire_recalls: Annotated[int, Field(ge=0, le=1000)] = 2
    expire_after_days: Annotated[float, Field(ge=1, le=3650)] = 60.0
    warn_days: Annotated[float, Field(ge=0, le=365)] = 7.0
    # E7: believed less and unrecalled for so long is put to a person.
    audit_below: Share = 0.5
    audit_after_days: Annotated[float, Field(ge=1, le=3650)] = 30.0
    trash_days: Annotated[float, Field(ge=0, le=3650)] = 30.0  # E6
    # How long the log of recalls is kept. Less than a year, and no season is known to be spared.
    log_days: Annotated[float, Field(ge=1, le=3650)] = 400.0


class ConsolidatingPolicy(Numbers):
    """Which fragments become one fuller memory (E4, E8)."""

    # How many make a topic, at the least and at the most.
    fragments: Annotated[int, Field(ge=2, le=20)] = 3
    most_fragments: Annotated[int, Field(ge=2, le=20)] = 8
    # How far over what is merely related (a cosine of the model's own) fragments must lie, 0-1.
    nearness: Share = 0.2
    writer: Literal["auto", "rules"] = "auto"  # auto: the LLM if there is one


class JobsPolicy(Numbers):
    """How many days lie between two runs of a job; 0: only when a person starts it."""

    # Soon after each write, so that the graph leads to it; a run without rows costs one query.
    link_days: Annotated[float, Field(ge=0, le=365)] = 0.05
    fade_days: Annotated[float, Field(ge=0, le=365)] = 1.0
    expire_days: Annotated[float, Field(ge=0, le=365)] = 1.0
    audit_days: Annotated[float, Field(ge=0, le=365)] = 7.0  # E7
    consolidate_days: Annotated[float, Field(ge=0, le=365)] = 1.0
    purge_days: Annotated[float, Field(ge=0, le=365)] = 1.0
    trim_log_days: Annotated[float, Field(ge=0, le=365)] = 1.0
    index_days: Annotated[float, Field(ge=0, le=365)] = 1.0


class DistillingPolicy(Numbers):
    """What of a session becomes a memory (B2, B5)."""

    distiller: Literal["auto", "rules"] = "auto"  # auto: the LLM if there is one
    # The least worth, 0-1, that a candidate must have: the third question of the gate.
    keep_from: Share = 0.5
    # Below it a candidate is not stored as active, but what `doubtful` says (B5).
    store_from: Share = 0.6
    doubtful: Literal["drop", "review"] = "drop"
    # Runs that may fail before a session waits for a person.
    attempts: Annotated[int, Field(ge=1, le=10)] = 3


class Credibility(Numbers):
    """How a writer's credibility begins, as Beta(right, wrong), and how far it counts (F4)."""

    prior_right: Annotated[float, Field(gt=0, le=100)] = 8.0
    prior_wrong: Annotated[float, Field(gt=0, le=100)] = 2.0
    # What is left of a score, at the least, of a writer that nobody believes any more.
    least: Share = 0.6


class ReviewPolicy(Numbers):
    """How people decide what waits."""

    # Whether a text that a person wrote needs somebody else's word before agents believe it.
    two_people: bool = False
    claim_minutes: Annotated[float, Field(ge=1, le=240)] = 10.0
    # How grave it is to leave an item of a kind open, 0-1, where it differs from the kind's own.
    risks: dict[str, Share] = {}
    credibility: Credibility = Credibility()


def credibility(upheld: int, refuted: int, policy: Credibility) -> float:
    """Return the mean of a writer's Beta, 0-1: (prior_right + upheld) / all."""
    right, wrong = policy.prior_right + upheld, policy.prior_wrong + refuted
    return right / (right + wrong)


def credit(upheld: int, refuted: int, policy: Credibility) -> float:
    """Return the factor that a writer's credibility leaves of a score, `least` to 1 (F4).

    1 for a writer nobody judged yet and for a better one: being upheld never outranks the answer.
    """
    usual = credibility(0, 0, policy)
    share = min(1.0, credibility(upheld, refuted, policy) / usual)
    return policy.least + (1.0 - policy.least) * share


def priority(risk: float, recalls: int, age_days: float) -> float:
    """Return how much an open flag presses: risk × (1 + ln(1 + recalls)) × (1 + ln(1 + days)).

    A wrong memory does harm as often as it is recalled; logarithms keep one of the three from
    drowning the others.
    """
    return risk * (1 + math.log1p(max(recalls, 0))) * (1 + math.log1p(max(age_days, 0.0)))


def recency(age_days: float, policy: RecallPolicy) -> float:
    """Return 1 for now, falling with age along the policy's curve, never below 0 (C2)."""
    age = max(age_days, 0.0)
    if policy.decay_curve == "hyperbolic":
        return 1.0 / (1.0 + policy.decay_per_day * age)
    if policy.decay_curve == "exponential":
        return math.exp(-policy.decay_per_day * age)
    return 1.0


def importance(heat: float) -> float:
    """Return 0 for a memory never recalled, rising towards 1; 0.5 at 10 recalls (C1)."""
    return heat / (heat + 10.0) if heat > 0 else 0.0


def warmth(heat: float, days: float, half_life_days: float) -> float:
    """Return what is left of a heat after so many days: heat · ½^(days / half-life) (E5).

    A function of timestamps alone: nothing has to run for a memory to cool, nothing cools twice.
    """
    return heat * math.pow(0.5, max(days, 0.0) / half_life_days)


def believable(source: str, policy: RecallPolicy) -> float:
    """Return the factor a memory's source leaves of its score (C2)."""
    factor: float = getattr(policy.credibility, Source(source).value)
    return factor


def regard(useful: int, wrong: int, policy: RecallPolicy) -> float:
    """Return what voices make of a memory, −1 (wrong) to 1 (useful), 0 without any (C6).

    (useful − wrong) / (all + prior): one voice moves it 1 / (1 + prior), however loud it is.
    """
    return (useful - wrong) / (useful + wrong + policy.feedback_prior)


class PolicyNumbers(Numbers):
    """Every number a space admin may change; what a Policy row leaves out is the default here."""

    writing: WritingPolicy = WritingPolicy()
    recall: RecallPolicy = RecallPolicy()
    sessions: SessionPolicy = SessionPolicy()
    distilling: DistillingPolicy = DistillingPolicy()
    review: ReviewPolicy = ReviewPolicy()
    aging: AgingPolicy = AgingPolicy()
    consolidating: ConsolidatingPolicy = ConsolidatingPolicy()
    jobs: JobsPolicy = JobsPolicy()


def policy_for(space_id: UUID) -> tuple[int, PolicyNumbers]:
    """Return the newest policy of a space as (version, numbers); version 0 is the defaults.

    Each recall asks, and so do many others: hence plain SQL, and the same text is read once.
    """
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST, [space_id])
        version, numbers = cursor.fetchone() or (0, "{}")
    return version, _read(numbers)


_NEWEST = """
SELECT version, numbers::text FROM memories_policy
WHERE space_id = %s ORDER BY version DESC LIMIT 1
"""


@lru_cache(maxsize=1_000)
def _read(numbers: str) -> PolicyNumbers:
    return PolicyNumbers.model_validate_json(numbers)


def believed(source: str, claimed: float | None, policy: WritingPolicy) -> float:
    """Confidence of a statement: its source's ceiling, which a writer may only lower (B4)."""
    ceiling: float = getattr(policy.confidence, Source(source).value)
    return ceiling if claimed is None else min(ceiling, claimed)


def validated(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return `numbers` as stored: only what differs from the defaults. Raises ValidationError."""
    return PolicyNumbers.model_validate(numbers).model_dump(exclude_defaults=True)
