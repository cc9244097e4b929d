"""What the endpoints of review share: people alone, and pages of a queue in its own order."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.request import Request

from memories.api.door import Door
from memories.errors import Invalid, NotAllowed
from memories.models.flag import Flag
from memories.ordering import Order, moment, written

# Who comes back later begins anew: what the order was reckoned by has changed too much.
LAPSES = timedelta(days=7)


class PeopleDoor(Door):
    """What an agent's key never opens, whatever it says and whether or not the id exists (F5)."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse whoever is no person before anything else is looked at."""
        super().initial(request, *args, **kwargs)
        if self.actor.kind != "user":
            raise NotAllowed(
                _("Review decisions are for people; an agent's key may only read flags.")
            )


def cursor_read(text: str | None, order: Order) -> tuple[datetime, tuple[Any, ...] | None]:
    """Return the moment that a list's order is reckoned by, and the key of the last row seen.

    Raises Invalid for what is no cursor of this list.
    """
    now = timezone.now()
    if text is None:
        return now, None
    try:
        at, _between, key = urlsafe_b64decode(text.encode()).decode().partition(" ")
        reckoned, seen = moment(at), order.read(key)
    except ValueError:
        raise _no_cursor() from None
    if seen is None or abs(now - reckoned) > LAPSES:
        raise _no_cursor()
    return reckoned, seen


def _no_cursor() -> Invalid:
    return Invalid(
        _("cursor is not the “next” of a page of this list. Leave it out to begin anew."),
        field="cursor",
    )


def cut(
    rows: "QuerySet[Flag]", order: Order, at: datetime, seen: tuple[Any, ...] | None, limit: int
) -> tuple[list[Flag], str | None]:
    """Return the rows after the one seen, `limit` at most, and the cursor of the page after."""
    after = rows if seen is None else rows.filter(order.beyond(seen))
    found = list(after.order_by(*order.by())[: limit + 1])
    if len(found) <= limit:
        return found, None
    last = f"{at.isoformat()} {written(order.key(found[limit - 1]))}"
    return found[:limit], urlsafe_b64encode(last.encode()).decode()
