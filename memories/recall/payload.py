"""The one JSON shape of a recall, for MCP and REST alike."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypedDict

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memories.payloads import MemoryPayload, memory_payload
from memories.recall.result import RecallResult, Scored

PLACES = 4


class HitPayload(MemoryPayload):
    """A memory and why it was found: `parts` add up to `score`, zeros left out.

    `age` is for a reader: “3 months ago”.
    """

    rank: int
    score: float
    arms: dict[str, float]
    parts: dict[str, float]
    explanation: str
    age: str


class RecallPayload(TypedDict):
    recall_id: str | None
    degraded: bool
    took_ms: float
    hits: list[HitPayload]


def recall_payload(result: RecallResult, *, now: datetime | None = None) -> RecallPayload:
    """Return a recall as plain JSON."""
    now = now or timezone.now()
    return {
        "recall_id": None if result.id is None else str(result.id),
        "degraded": result.degraded,
        "took_ms": round(result.took_ms, 1),
        "hits": [_hit(hit, now) for hit in result.hits],
    }


def _hit(hit: Scored, now: datetime) -> HitPayload:
    more: dict[str, Any] = {
        "rank": hit.rank,
        "score": round(hit.score, PLACES),
        "arms": {name: round(value, PLACES) for name, value in hit.arms.items()},
        "parts": rounded(hit.parts, round(hit.score, PLACES)),
        "explanation": hit.explanation,
        "age": age(hit.memory.happened_at or hit.memory.created_at, now),
    }
    return {**memory_payload(hit.memory), **more}  # type: ignore[typeddict-item]


def rounded(parts: Mapping[str, float], score: float) -> dict[str, float]:
    """Return the parts that say something, rounded so that they add up to the rounded score.

    What rounding takes or gives goes to the largest part, where it shows least.
    """
    shown = {name: part for name, value in parts.items() if (part := round(value, PLACES))}
    largest = max(shown, key=lambda name: abs(shown[name]), default="")
    if largest:
        rest = score - sum(value for name, value in shown.items() if name != largest)
        shown[largest] = round(rest, PLACES)
    return shown


def age(moment: datetime, now: datetime) -> str:
    """Return how long ago `moment` was, as a person would say it."""
    days = (now - moment).days
    if days < 0:
        return _("in the future")
    if days < 1:
        return _("today")
    if days < 60:
        return ngettext("%(n)d day ago", "%(n)d days ago", days) % {"n": days}
    if days < 730:
        months = round(days / 30.44)
        return ngettext("%(n)d month ago", "%(n)d months ago", months) % {"n": months}
    years = round(days / 365.25)
    return ngettext("%(n)d year ago", "%(n)d years ago", years) % {"n": years}
