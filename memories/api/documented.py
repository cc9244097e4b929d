"""What the OpenAPI document says of an endpoint, and of strict input."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers

from memories.api.fields import Strict

P = ParamSpec("P")
R = TypeVar("R")
_SPACE = [
    OpenApiParameter("space", str, description="A person in several spaces: the slug of one."),
    OpenApiParameter("X-Space", str, OpenApiParameter.HEADER, description="The same, as a header."),
]
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key", str, OpenApiParameter.HEADER, description="Makes a retry harmless."
)
# Any call may be answered with these.
_ALWAYS = (400, 401, 403, 404, 429)


class ErrorSerializer(serializers.Serializer[Any]):
    """Why a call was refused: branch on the code, show the message."""

    code = serializers.CharField(help_text="Stable: invalid, refused, stale, not_found, …")
    message = serializers.CharField(help_text="A sentence that says what to do.")
    field = serializers.CharField(required=False)
    details = serializers.DictField(required=False)


class RefusalSerializer(serializers.Serializer[Any]):
    """The one shape of every answer that is not a success."""

    error = ErrorSerializer()


class StrictExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Says in the document that unknown fields are refused."""

    target_class = "memories.api.fields.Strict"
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: str) -> dict[str, Any]:
        """Return the object schema with additionalProperties closed."""
        schema: dict[str, Any] = auto_schema._map_serializer(
            self.target, direction, bypass_extensions=True
        )
        return schema | {"additionalProperties": False}


def documented(
    operation: str,
    *,
    ok: dict[int, type[serializers.Serializer[Any]]],
    query: type[Strict] | None = None,
    body: type[Strict] | None = None,
    parameters: tuple[OpenApiParameter, ...] = (),
    errors: tuple[int, ...] = (),
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Describe one method of a view: its operationId and input and output shapes.

    `errors` are the statuses beyond those of every call.
    """
    decorate: Callable[[Callable[P, R]], Callable[P, R]] = extend_schema(
        operation_id=operation,
        summary=operation.replace("_", " ").capitalize(),
        request=body,
        parameters=[*([query] if query else []), *parameters, *_SPACE],
        responses={**ok, **dict.fromkeys((*_ALWAYS, *errors), RefusalSerializer)},
    )
    return decorate
