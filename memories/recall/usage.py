"""What recall makes of memories: never recalled, most recalled, recalled though said to be wrong.

For whoever reads memories; each sees the counts of those it sees (D1). What was asked is not told.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from memories.models.feedback import COMPLAINTS, Feedback
from memories.models.flag import Flag
from memories.models.ids import least_id
from memories.models.memory import LIVE, Memory, MemoryVersion
from memories.models.recall import Hit
from memories.permissions import Actor
from memories.reading import memories_of

KEPT = "keep"
"""What a review item of feedback is resolved with when people find that the memory holds."""


def never_recalled(actor: Actor, *, days: float, now: datetime) -> "QuerySet[Memory]":
    """Return what is in use, older than so many days, and was never recalled."""
    before = least_id(now - timedelta(days=days))
    return _in_use(actor).filter(recall_count=0, pk__lt=before)


def most_recalled(actor: Actor, *, since: datetime | None = None) -> "QuerySet[Memory]":
    """Return what is in use and was recalled, each with `.recalls`: how often.

    Without `since` all recalls count, also those that the log has forgotten.
    """
    if since is None:
        return _in_use(actor).filter(recall_count__gt=0).annotate(recalls=F("recall_count"))
    logged = Hit.objects.filter(memory=OuterRef("pk"), recall_id__gte=least_id(since)).order_by()
    counted = logged.values("memory").annotate(n=Count("recall")).values("n")
    recalled = _in_use(actor).filter(last_recalled_at__gte=since)
    return recalled.annotate(recalls=Coalesce(Subquery(counted), 0))


def marked_wrong(actor: Actor) -> "QuerySet[Memory]":
    """Return what is in use and was recalled after somebody had said it is wrong or outdated.

    Only what was said of the text that it still has counts, and only while people have not found
    since that it holds.
    """
    before = standing_complaints().filter(created_at__lt=F("memory__last_recalled_at"))
    here = before.filter(memory__space_id=actor.space_id)
    return _in_use(actor).filter(pk__in=here.order_by().values("memory"))


def standing_complaints() -> "QuerySet[Feedback]":
    """Return the complaints about what memories say now that no person has overruled since.

    Whoever says again what people overruled says nothing new.
    """
    said_of_it = MemoryVersion.objects.filter(
        memory=OuterRef("memory"),
        number=OuterRef("memory_version"),
        content=OuterRef("memory__content"),
    )
    complaints = Feedback.objects.filter(Exists(said_of_it), verdict__in=COMPLAINTS)
    own = {name: OuterRef(name) for name in ("memory", "actor_kind", "actor_id")}
    first = complaints.filter(**own).order_by("created_at").values("created_at")[:1]
    kept = Flag.objects.filter(
        kind=Flag.Kind.FEEDBACK,
        memory=OuterRef("memory"),
        resolution=KEPT,
        resolved_at__gte=OuterRef("first"),
    )
    return complaints.annotate(first=Subquery(first)).filter(~Exists(kept))


def recalls_since_said(memories: Sequence[Memory]) -> Mapping[UUID, int]:
    """Return how often each memory was recalled after the first standing complaint, by its id."""
    first = standing_complaints().filter(memory=OuterRef("memory")).order_by("id")
    hits = Hit.objects.filter(memory__in=memories).order_by()
    after = hits.filter(recall__created_at__gt=Subquery(first.values("created_at")[:1]))
    return dict(after.values("memory").annotate(n=Count("pk")).values_list("memory", "n"))


def _in_use(actor: Actor) -> "QuerySet[Memory]":
    return memories_of(actor).filter(status__in=LIVE, withheld=False)
