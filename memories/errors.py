"""What a service refuses, each with a sentence for whoever asked. Doors only translate the form."""

from typing import Any


class ServiceError(Exception):
    """Base of all refusals. `code` is stable, `message` is a sentence that says what to do."""

    code = "error"

    def __init__(self, message: str, *, field: str = "", **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.details = details


class Invalid(ServiceError):
    """The input cannot be used as it is (REST 400)."""

    code = "invalid"


class Refused(ServiceError):
    """The input was understood and a rule turned it away (REST 400)."""

    code = "refused"


class NotAllowed(ServiceError):
    """The actor may not do this (REST 403)."""

    code = "not_allowed"


class NotFound(ServiceError):
    """Missing or not visible: the two look the same (REST 404)."""

    code = "not_found"


class Stale(ServiceError):
    """Someone else changed it first (REST 409); `details` says what it is now."""

    code = "stale"
