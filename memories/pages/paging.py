"""Pages by key: as fast on the thousandth page as on the first, and steady while rows arrive."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet
from django.http import QueryDict

from memories.ordering import Order, written

Row = TypeVar("Row", bound=Model)
CURSOR = ("before", "after", "at")

NEWEST = Order()


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows in their order, and the query strings of the pages beside them ("" = none)."""

    rows: Sequence[Row]
    newer: str
    older: str


def page_of(
    rows: "QuerySet[Row]",
    query: QueryDict,
    size: int,
    order: Order = NEWEST,
    at: datetime | None = None,
) -> Page[Row]:
    """Cut the page that `query` asks for: `before=<key>` the later rows, `after=<key>` the earlier.

    By default the newest of UUIDv7-keyed rows come first. `at` is kept in the links: the moment at
    which what the rows are ordered by was reckoned (see moment_of). A broken cursor is ignored: the
    first page is the honest answer to it.
    """
    before, after = order.read(query.get("before")), order.read(query.get("after"))
    if after and not before:
        earlier = rows.filter(order.beyond(after, backwards=True))
        cut = _cut(earlier, order.by(backwards=True), size + 1)
        found, more_older, more_newer = cut[:size][::-1], True, len(cut) > size
    else:
        later = rows.filter(order.beyond(before)) if before else rows
        cut = _cut(later, order.by(), size + 1)
        found, more_older, more_newer = cut[:size], len(cut) > size, before is not None
    if not found:
        return Page([], "", "")
    return Page(
        found,
        _moved(query, at, after=order.key(found[0])) if more_newer else "",
        _moved(query, at, before=order.key(found[-1])) if more_older else "",
    )


def _cut(rows: "QuerySet[Row]", by: Sequence[str], size: int) -> Sequence[Row]:
    """Return the first rows in an order.

    By anything but its key a row is found first and read after: sorting would carry all of it
    along. Measured on 10,000 flags by priority: 51 ms in one step, 30 in two.
    """
    ordered = rows.order_by(*by)
    if len(by) == 1:
        return list(ordered[:size])
    keys = list(ordered.values_list("pk", flat=True)[:size])
    found = {row.pk: row for row in rows.filter(pk__in=keys).order_by()}
    return [found[key] for key in keys if key in found]


def moment_of(query: QueryDict) -> datetime | None:
    """Return the moment that the links of a page keep, None for anything else."""
    try:
        return datetime.fromtimestamp(float(query.get("at", "")), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def without_cursor(query: QueryDict) -> QueryDict:
    """Return the query string's filters alone."""
    kept = query.copy()
    for name in CURSOR:
        kept.pop(name, None)
    return kept


def _moved(query: QueryDict, at: datetime | None, **cursor: tuple[Any, ...]) -> str:
    moved = without_cursor(query)
    for name, key in cursor.items():
        moved[name] = written(key)
    if at:
        moved["at"] = repr(at.timestamp())
    return moved.urlencode()


def key_of(text: str | None) -> UUID | None:
    """Return the id that a query gives, None for anything else."""
    try:
        return UUID(text) if text else None
    except ValueError:
        return None
