"""The shapes in which flags, decisions and batches leave through any door."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, TypedDict

from django.utils import timezone

from memories.lifecycle import Case, Change, Ruling, case_of
from memories.models.flag import Flag
from memories.payloads import MemoryPayload, memory_payload
from memories.permissions import Actor
from memories.reading import memories_of
from review.handling import comments_of
from review.kinds import Offer, kind_of
from review.models import Batch, BatchItem, Claim, Comment, Decision
from review.queue import decision_of


class DecisionPayload(TypedDict):
    """What a person, or a rule a person wrote, decided."""

    id: str
    flag_id: str
    kind: str
    choice: str
    reason: str
    note: str
    content: str
    user: str
    automatic: bool
    batch_id: str | None
    created_at: str
    undone_at: str | None
    undone_by: str


class FlagVersions(TypedDict):
    """The versions that the memories had when the flag was opened."""

    new: int
    old: int | None


class ClaimPayload(TypedDict):
    """Who is looking at a flag, and until when."""

    user: str
    until: str
    mine: bool


class FlagPayload(TypedDict):
    """A flag as plain JSON: `new` is the memory it was opened for, `old` what it speaks against,
    None when it is about one memory alone. Who looks at it or should is not for agents."""

    id: str
    kind: str
    status: str
    reason: str
    scores: dict[str, Any]
    evidence: dict[str, Any]
    new: MemoryPayload
    old: MemoryPayload | None
    flagged_versions: FlagVersions
    created_at: str
    resolved_at: str | None
    resolution: str
    decision: DecisionPayload | None
    claim: ClaimPayload | None
    assignee: str | None
    snoozed_until: str | None


class SourcePayload(TypedDict):
    """One of the memories that a merge proposal would stand in for."""

    memory: MemoryPayload
    flagged_version: int


class EffectPayload(TypedDict):
    """What a decision would do to one memory."""

    memory_id: str
    status: dict[str, str]
    confidence: dict[str, float]


class OfferPayload(TypedDict):
    """A decision that may be made on a flag, with what it would do."""

    choice: str
    label: str
    effect: str
    takes_text: bool
    takes_reason: bool
    asks_note: str
    effects: list[EffectPayload]


class CommentPayload(TypedDict):
    """What somebody said about a flag."""

    id: str
    user: str
    text: str
    created_at: str


class OneFlagPayload(FlagPayload):
    """A flag with all it takes to decide it."""

    sources: list[SourcePayload]
    offers: list[OfferPayload]
    comments: list[CommentPayload]


class RefusalPayload(TypedDict):
    """An item of a batch that was not decided, or not undone."""

    flag_id: str
    state: str
    why: str


class BatchPayload(TypedDict):
    """One decision on many flags; `refusals` is a page of RefusalPayload."""

    id: str
    state: str
    choice: str
    reason: str
    note: str
    filter: str
    user: str
    created_at: str
    confirmed_at: str | None
    finished_at: str | None
    counts: Mapping[str, int]
    refusals: Any


def flag_payload(flag: Flag, actor: Actor) -> FlagPayload:
    """Return a flag of review.queue as plain JSON; times are ISO 8601 in UTC."""
    decision = decision_of(flag)
    person = actor.kind == "user"
    return {
        "id": str(flag.pk),
        "kind": flag.kind,
        "status": flag.status,
        "reason": flag.reason,
        "scores": flag.scores,
        "evidence": flag.evidence,
        "new": memory_payload(flag.memory),
        "old": memory_payload(flag.counterpart) if flag.counterpart else None,
        "flagged_versions": {"new": flag.memory_version, "old": flag.counterpart_version},
        "created_at": flag.created_at.isoformat(),
        "resolved_at": _iso(flag.resolved_at),
        "resolution": flag.resolution,
        "decision": decision_payload(decision, flag) if decision else None,
        "claim": _claim_on(flag, actor) if person else None,
        "assignee": flag.assignee.get_username() if person and flag.assignee else None,
        "snoozed_until": _iso(flag.snoozed_until),
    }


def one_flag_payload(flag: Flag, actor: Actor) -> OneFlagPayload:
    """Return a flag of review.queue with its sources and, for people, offers and comments."""
    person = actor.kind == "user"
    is_open = flag.status == Flag.Status.OPEN
    return {
        **flag_payload(flag, actor),
        "sources": _sources(flag, actor),
        "offers": _offers(flag, actor) if person and is_open else [],
        "comments": [comment_payload(one) for one in comments_of(flag)] if person else [],
    }


def decision_payload(decision: Decision, flag: Flag) -> DecisionPayload:
    """Return a decision on a flag as plain JSON."""
    return {
        "id": str(decision.pk),
        "flag_id": str(decision.flag_id),
        "kind": flag.kind,
        "choice": decision.choice,
        "reason": decision.reason,
        "note": decision.note,
        "content": decision.content,
        "user": decision.user_name,
        "automatic": decision.automatic,
        "batch_id": str(decision.batch_id) if decision.batch_id else None,
        "created_at": decision.created_at.isoformat(),
        "undone_at": _iso(decision.undone_at),
        "undone_by": decision.undone_by,
    }


def claim_payload(claim: Claim, actor: Actor) -> ClaimPayload:
    """Return a claim as plain JSON."""
    return {
        "user": claim.user.get_username(),
        "until": claim.expires_at.isoformat(),
        "mine": claim.user_id == actor.id,
    }


def comment_payload(comment: Comment) -> CommentPayload:
    """Return a comment as plain JSON."""
    return {
        "id": str(comment.pk),
        "user": comment.user_name,
        "text": comment.text,
        "created_at": comment.created_at.isoformat(),
    }


def batch_payload(batch: Batch, *, counts: Mapping[str, int], refusals: Any) -> BatchPayload:
    """Return a batch as plain JSON, with how many of its items are in which state."""
    return {
        "id": str(batch.pk),
        "state": batch.state,
        "choice": batch.choice,
        "reason": batch.reason,
        "note": batch.note,
        "filter": batch.query,
        "user": batch.user_name,
        "created_at": batch.created_at.isoformat(),
        "confirmed_at": _iso(batch.confirmed_at),
        "finished_at": _iso(batch.finished_at),
        "counts": counts,
        "refusals": refusals,
    }


def refusal_payload(item: BatchItem) -> RefusalPayload:
    """Return an item that was not decided, or not undone, as plain JSON."""
    return {"flag_id": str(item.flag_id), "state": item.state, "why": item.why}


def _claim_on(flag: Flag, actor: Actor) -> ClaimPayload | None:
    held: Claim | None = getattr(flag, "claim", None)
    if held is None or held.expires_at <= timezone.now():
        return None
    return claim_payload(held, actor)


def _sources(flag: Flag, actor: Actor) -> list[SourcePayload]:
    sources = list(flag.sources.all())
    memories = memories_of(actor).in_bulk([source.memory_id for source in sources])
    return [
        {
            "memory": memory_payload(memories[source.memory_id]),
            "flagged_version": source.memory_version,
        }
        for source in sources
    ]


def _offers(flag: Flag, actor: Actor) -> list[OfferPayload]:
    case = case_of(actor, flag.pk, Ruling(""))
    return [_offer(offer, case) for offer in kind_of(flag).offers]


def _offer(offer: Offer, case: Case) -> OfferPayload:
    return {
        "choice": offer.choice,
        "label": str(offer.label),
        "effect": str(offer.effect),
        "takes_text": offer.takes_text,
        "takes_reason": offer.takes_reason,
        "asks_note": str(offer.asks_note),
        "effects": [
            _effect(change) for change in offer.plan(replace(case, ruling=Ruling(offer.choice)))
        ],
    }


def _effect(change: Change) -> EffectPayload:
    memory = change.memory
    return {
        "memory_id": str(memory.pk),
        "status": {"before": memory.status, "after": change.status},
        "confidence": {
            "before": round(memory.confidence, 4),
            "after": round(change.confidence, 4),
        },
    }


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
