"""Reading a request's body: one JSON object of bounded size, or a sentence saying what is wrong."""

import json
from collections.abc import Mapping
from typing import IO, Any, NoReturn

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from memories.api.errors import TooLarge


class ObjectParser(BaseParser):
    """Parses application/json in UTF-8 into a dict.

    The framework's own parser has no limit of size, fails on deep nesting and takes lists.
    """

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the object, or raise ParseError (400) or TooLarge (413)."""
        raw = stream.read(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
        if len(raw) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise TooLarge(
                _("The body is larger than %(most)d bytes.")
                % {"most": settings.DATA_UPLOAD_MAX_MEMORY_SIZE}
            )
        try:
            data = json.loads(raw.decode(), parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise ParseError(_("The body is not valid JSON: %(why)s") % {"why": error}) from error
        if not isinstance(data, dict):
            raise ParseError(_('The body must be a JSON object, as in {"content": "…"}.'))
        return data


def _no_constant(name: str) -> NoReturn:
    raise ValueError(_("%(name)s is not JSON") % {"name": name})
