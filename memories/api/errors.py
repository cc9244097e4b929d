"""One shape for every refusal: {"error": {"code", "message", "field"?, "details"?}}."""

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.signals import got_request_exception
from django.http import UnreadablePostError
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler as drf_handler

from memories.errors import Invalid, NotAllowed, NotFound, Refused, ServiceError, Stale
from memories.payloads import refusal_payload

logger = logging.getLogger(__name__)

STATUS: dict[type[ServiceError], int] = {
    Invalid: 400,
    Refused: 400,
    NotAllowed: 403,
    NotFound: 404,
    Stale: 409,
}
# Codes are part of the API: a script may branch on them, so they never change with a library.
CODE = {
    400: "invalid",
    401: "unauthenticated",
    403: "not_allowed",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "too_large",
    415: "unsupported_media_type",
    429: "throttled",
    500: "internal",
}


class TooLarge(exceptions.APIException):
    """The body is longer than the server reads."""

    status_code = 413
    default_code = "too_large"


def exception_handler(error: Exception, context: Mapping[str, Any]) -> Response:
    """Turn whatever a view raised into the one shape; what nobody foresaw becomes a logged 500."""
    if isinstance(error, ServiceError):
        body = refusal_payload(error.code, error.message, error.field, error.details)
        return Response(body, status=STATUS[type(error)])
    if isinstance(error, exceptions.ValidationError):
        wrong = invalid(error.detail)
        body = refusal_payload(wrong.code, wrong.message, wrong.field, wrong.details)
        return Response(body, status=400)
    response = drf_handler(_known(error), dict(context))
    if response is None:
        return _unforeseen(error, context)
    response.data = refusal_payload(
        CODE.get(response.status_code, "error"), _sentence(error, response), "", _details(response)
    )
    return response


def _known(error: Exception) -> Exception:
    """Give what Django itself raises while a request is read the status that it means."""
    if isinstance(error, RequestDataTooBig):
        return TooLarge(_("The body is too large."))
    if isinstance(error, SuspiciousOperation | UnreadablePostError):
        return exceptions.ParseError(_("The request could not be read."))
    return error


def _sentence(error: Exception, response: Response) -> str:
    if response.status_code == 404:
        return _("There is nothing at this address. /api/docs/ lists what there is.")
    if isinstance(error, exceptions.NotAuthenticated):
        return _("Send an agent's key as “Authorization: Bearer hs_…”, or sign in.")
    if isinstance(error, exceptions.UnsupportedMediaType):
        return _("Send JSON, with the header “Content-Type: application/json”.")
    return str(response.data["detail"])


def _details(response: Response) -> dict[str, int]:
    wait = response.get("Retry-After")
    return {} if wait is None else {"retry_after": int(wait)}


def invalid(detail: Any) -> Invalid:
    """Name the first field that is wrong in the sentence, and all of them in the details."""
    wrong = dict(_flat(detail))
    field, message = next(iter(wrong.items()))
    sentence = f"{field}: {message}" if field else message
    return Invalid(sentence, field=field, fields=wrong)


def _flat(detail: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield (path as “turns[0].role”, sentence) for each wrong field, however nested."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from _flat(inner, path if name == "non_field_errors" else _inside(path, name))
    elif all(isinstance(one, str) for one in detail):
        yield path, " ".join(detail)
    else:
        for number, inner in enumerate(detail):
            if inner:
                yield from _flat(inner, _inside(path, number))


def _inside(path: str, name: str | int) -> str:
    return f"{path}[{name}]" if isinstance(name, int) else f"{path}.{name}".lstrip(".")


def _unforeseen(error: Exception, context: Mapping[str, Any]) -> Response:
    # The signal is what error reporters and Django's test client listen to.
    got_request_exception.send(sender=type(context["view"]), request=context["request"]._request)
    logger.error("unforeseen error in the API", exc_info=error)
    message = _("Something went wrong on the server. It was logged; trying again may help.")
    return Response(refusal_payload("internal", message), status=500)
