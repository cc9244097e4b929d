"""What this room holds of a user or of flags besides the flags' own rows, and lets go (E6)."""

from collections.abc import Collection
from typing import Any
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from django.db.models import Model, Q, QuerySet
from django.dispatch import receiver

from memories.lifecycle.erasing import traces_erased
from memories.lifecycle.purging import flags_removed
from review.models import Batch, SavedView


@receiver(flags_removed)
def forget_notes(flags: Collection[UUID], **_signal: Any) -> None:
    """A batch's note is about its items: it goes when one of them does."""
    Batch.objects.filter(items__flag__in=flags).exclude(note="").update(note="")


@receiver(traces_erased)
def forget_filters(space_id: UUID, user_id: str, **_signal: Any) -> dict[str, int]:
    """Take a user out of the filters of saved views and batches."""
    named = Q(query__contains=urlencode({"user_id": user_id}))
    views = SavedView.objects.filter(named, space_id=space_id)
    batches = Batch.objects.filter(named, space_id=space_id)
    return {"savedview": _forget(views, user_id), "batch": _forget(batches, user_id)}


def _forget(rows: "QuerySet[Any]", user_id: str) -> int:
    changed: list[Model] = []
    for row in rows.select_for_update().order_by("pk"):
        pairs = parse_qsl(row.query, keep_blank_values=True)
        query = urlencode([pair for pair in pairs if pair != ("user_id", user_id)])
        if query != row.query:
            row.query = query
            row.save(update_fields=["query"])
            changed.append(row)
    return len(changed)
