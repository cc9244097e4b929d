"""What every endpoint shares: who acts, reading input, and a page of rows."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _
from rest_framework.fields import ListField
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.auth import actor_of
from memories.api.fields import IN_QUERY, Strict
from memories.api.parsing import ObjectParser
from memories.errors import Invalid
from memories.permissions import Actor

M = TypeVar("M", bound=Model)


class Door(APIView):
    """Base of all views: `self.actor` is known before a method runs."""

    parser_classes = [ObjectParser]
    # OPTIONS and TRACE are not part of this API.
    http_method_names = ["get", "head", "post", "patch", "delete"]
    actor: Actor
    # How many calls this one counts as.
    calls = 1

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate, throttle, and find out who acts in which space."""
        super().initial(request, *args, **kwargs)
        self.actor = actor_of(request)

    def query(self, shape: type[Strict]) -> dict[str, Any]:
        """Return the validated query string."""
        lists = {name for name, field in shape().fields.items() if isinstance(field, ListField)}
        data = {
            name: values if name in lists or len(values) > 1 else values[0]
            for name, values in self.request.query_params.lists()
            if name != "space"
        }
        return _validated(shape, data, {IN_QUERY: True})

    def body(self, shape: type[Strict]) -> dict[str, Any]:
        """Return the validated body; what stands in the query instead would be lost: refused."""
        if misplaced := sorted(set(self.request.query_params) - {"space"}):
            raise Invalid(
                _("Put these into the JSON body: %(names)s.") % {"names": ", ".join(misplaced)},
                field=misplaced[0],
            )
        return _validated(shape, self.request.data, {})

    def acting_for(self, given: dict[str, Any]) -> Actor:
        """Take user_id out of validated input and return the actor on behalf of that end user."""
        return self.actor.acting_for(given.pop("user_id", ""))


def about(actor: Actor, prefix: str = "") -> Q:
    """Return the condition by which a person who names an end user narrows a list, as recall does.

    An agent's sight says so by itself.
    """
    if actor.kind == "agent" or not actor.user_id:
        return Q()
    return Q(**{f"{prefix}user_id__in": ("", actor.user_id)})


def page(
    rows: "QuerySet[M]",
    render: Callable[[M], Any],
    *,
    key: str,
    cursor: Any,
    limit: int,
    rising: bool = False,
) -> Response:
    """Return up to `limit` rows in falling (or rising) order of `key`; new ones move nothing.

    `cursor` is the key of the last row seen; `next` is the cursor of the following page or None.
    """
    side, order = ("gt", key) if rising else ("lt", f"-{key}")
    after = rows.filter(**{f"{key}__{side}": cursor}) if cursor is not None else rows
    found = list(after.order_by(order)[: limit + 1])
    more = found[limit - 1] if len(found) > limit else None
    following = None if more is None else getattr(more, key)
    return Response({"items": [render(row) for row in found[:limit]], "next": following})


def _validated(shape: type[Strict], data: Any, context: dict[str, Any]) -> dict[str, Any]:
    serializer = shape(data=data, context=context)
    serializer.is_valid(raise_exception=True)
    given: dict[str, Any] = serializer.validated_data
    return given
