"""The next rows of a query, for jobs whose rows are memories."""

from uuid import UUID

from django.db.models import QuerySet

from memories.jobs.base import Asked, Row
from memories.models.memory import Memory

# So many memories are looked at by one query at the most. Left to itself the planner reads and
# sorts the whole space for each batch, since it cannot know how many a rule is true of.
WINDOW = 2000


def keys_after(asked: Asked, found: "QuerySet[Memory]", after: str, size: int) -> list[Row]:
    """Return the ids of at most `size` memories found after the id `after`, in their order."""
    while True:
        beyond = {"pk__gt": UUID(after)} if after else {}
        here = Memory.objects.filter(space_id=asked.space_id, **beyond).order_by("pk")
        last = here.values_list("pk", flat=True)[WINDOW - 1 : WINDOW].first()
        within = beyond if last is None else beyond | {"pk__lte": last}
        keys = found.filter(**within).order_by("pk").values_list("pk", flat=True)[:size]
        rows = [(str(key), key) for key in keys]
        if rows or last is None:
            return rows
        after = str(last)
