"""Arguments as models send them.

What a provider's validator may refuse never appears in a schema: each property has one plain
`type`, nothing is nullable, nothing refers elsewhere. What models do send is accepted instead:
"5" and 5.0 for 5, and null, "" or "null" for an optional argument that is left out.
"""

import json
import math
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import PydanticCustomError, core_schema

from memories.errors import Invalid
from memories.text.clean import storable

Schema = dict[str, Any]
_LEFT_OUT = {"", "null", "none"}
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: how it is published, and how a model's value is read into ours.

    `read` raises ValueError with a sentence that follows the argument's name. Of a `verbatim` one
    the words "null" and "none" are meant as they stand.
    """

    published: Schema
    read: Callable[[Any], Any]
    required: bool = False
    verbatim: bool = False

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._validate)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> Schema:
        return dict(self.published)

    def taken(self, value: Any) -> Any:
        """Return what was meant, None for an optional one left out; raise as `read` does."""
        empty = value is None or value == ""
        if self.required and empty:
            raise Missing(_("is required."))
        if not self.required and (empty if self.verbatim else _left_out(value)):
            return None
        return self.read(value)

    def _validate(self, value: Any) -> Any:
        try:
            return self.taken(value)
        except ValueError as error:
            kind = "missing" if isinstance(error, Missing) else "argument"
            raise PydanticCustomError(kind, "{said}", {"said": str(error)}) from error


class Missing(ValueError):
    """A required argument was not given."""


def published(schema: Schema) -> Schema:
    """Return a tool's schema without what pydantic adds for its own use."""
    properties = {
        name: {key: value for key, value in part.items() if key not in {"title", "default"}}
        for name, part in schema.get("properties", {}).items()
    }
    kept = {key: value for key, value in schema.items() if key in {"type", "required"}}
    return kept | {"properties": properties}


# --- Kinds of arguments ---------------------------------------------------------------------------
def words(about: str, *, required: bool = False, verbatim: bool = False) -> Argument:
    """Free text; a number is taken as its digits."""
    return Argument({"type": "string", "description": about}, _text, required, verbatim)


def one_of(about: str, allowed: Iterable[str], *, required: bool = False) -> Argument:
    """One word of a fixed list."""
    choices = list(allowed)

    def read(value: Any) -> str:
        word = _text(value).casefold()
        if word in choices:
            return word
        raise ValueError(_("must be one of: %(allowed)s.") % {"allowed": ", ".join(choices)})

    return Argument({"type": "string", "enum": choices, "description": about}, read, required)


def whole(about: str, *, least: int, most: int | None = None, required: bool = False) -> Argument:
    """A whole number, also as "5" or 5.0."""
    bounds = {"minimum": least} | ({} if most is None else {"maximum": most})

    def read(value: Any) -> int:
        number = _number(value)
        if number is None or number != int(number) or number < least or number > (most or number):
            raise ValueError(_whole_sentence(least, most))
        return int(number)

    return Argument({"type": "integer", "description": about} | bounds, read, required)


def share(about: str) -> Argument:
    """A number from 0 to 1."""

    def read(value: Any) -> float:
        number = _number(value)
        if number is None or not 0.0 <= number <= 1.0:
            raise ValueError(_("must be a number from 0 to 1."))
        return number

    return Argument({"type": "number", "minimum": 0, "maximum": 1, "description": about}, read)


def labels(about: str) -> Argument:
    """A list of texts; a single text, also one with commas, is taken as such a list."""

    def read(value: Any) -> list[str] | None:
        items = value.replace("，", ",").split(",") if isinstance(value, str) else value
        if not isinstance(items, list):
            raise ValueError(_("must be a list of texts."))  # noqa: TRY004 - what pydantic reads
        found = [_text(item) for item in items if not _left_out(item)]
        return [item for item in found if item] or None

    return Argument({"type": "array", "items": {"type": "string"}, "description": about}, read)


def moment(about: str, *, end_of_day: bool = False) -> Argument:
    """An ISO 8601 date or time; without an offset in the server's time zone.

    A bare date is its first moment, or the first moment after it with `end_of_day`.
    """

    def read(value: Any) -> datetime:
        try:
            return _moment(value.strip(), end_of_day)
        except (AttributeError, ValueError, OverflowError) as error:
            raise ValueError(
                _("must be an ISO 8601 date or time such as 2026-03-31 or 2026-03-31T18:00:00Z.")
            ) from error

    return Argument({"type": "string", "description": about}, read)


def identifier(about: str, *, required: bool = True) -> Argument:
    """The id of a memory or a recall."""

    def read(value: Any) -> uuid.UUID:
        try:
            return uuid.UUID(value.strip())
        except (AttributeError, ValueError) as error:
            raise ValueError(
                _("must be an id as write_memory and search_memory return it.")
            ) from error

    return Argument({"type": "string", "description": about}, read, required)


def identifiers(about: str) -> Argument:
    """A list of ids, also written as one text with commas."""
    one = identifier(about)

    def read(value: Any) -> list[uuid.UUID]:
        found = labels(about).read(value)
        if not found:
            raise ValueError(_("must be a list of ids."))
        return [one.read(item) for item in found]

    published = {"type": "array", "items": {"type": "string"}, "description": about}
    return Argument(published, read, required=True)


def truth(about: str) -> Argument:
    """True or false, also as a word."""

    def read(value: Any) -> bool:
        word = str(value).strip().casefold()
        if word not in _TRUTHS:
            raise ValueError(_("must be true or false."))
        return _TRUTHS[word]

    return Argument({"type": "boolean", "description": about}, read)


def json_text(about: str) -> Argument:
    """Any JSON: as it is, or written as text; a text that is no JSON is a JSON string."""

    def read(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            return value

    return Argument({"type": "string", "description": about}, read)


def objects(about: str, parts: Mapping[str, Argument]) -> Argument:
    """A list of objects with these parts, also written as JSON text; unknown parts are ignored."""

    def read(value: Any) -> list[Schema]:
        items = _items(value)
        if not all(isinstance(one, dict) for one in items):
            raise ValueError(_("must be a list of objects."))
        return [_parts(one, parts, f"[{place}].") for place, one in enumerate(items)]

    return Argument(_listing(about, parts), read, required=True)


def each_object(about: str, parts: Mapping[str, Argument]) -> Argument:
    """As objects(), but each is read for itself: Invalid stands in the place of a wrong one."""

    def one(value: Any) -> Schema | Invalid:
        if not isinstance(value, dict):
            return Invalid(_("must be an object."))
        try:
            return _parts(value, parts)
        except ValueError as error:
            said = str(error)
            return Invalid(said, field=said.partition(" ")[0])

    return Argument(
        _listing(about, parts), lambda value: [one(each) for each in _items(value)], required=True
    )


# --- Reading values -------------------------------------------------------------------------------
def _left_out(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().casefold() in _LEFT_OUT
    return value is None or value == []


def _listing(about: str, parts: Mapping[str, Argument]) -> Schema:
    item = {
        "type": "object",
        "properties": {name: part.published for name, part in parts.items()},
        "required": [name for name, part in parts.items() if part.required],
    }
    return {"type": "array", "items": item, "description": about}


def _items(value: Any) -> list[Any]:
    """Return a list, also one that is written as JSON text; a single object is a list of one."""
    items = json_text("").read(value)
    items = [items] if isinstance(items, dict) else items
    if not isinstance(items, list):
        raise ValueError(_("must be a list of objects."))  # noqa: TRY004 - what pydantic reads
    return items


def _parts(item: Schema, parts: Mapping[str, Argument], place: str = "") -> Schema:
    """Return the parts of one object that were given; a complaint names the part after `place`."""
    found = {}
    for name, part in parts.items():
        try:
            taken = part.taken(item.get(name))
        except ValueError as error:
            raise ValueError(f"{place}{name} {error}") from error
        if taken is not None:
            found[name] = taken
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return storable(value)[0]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise ValueError(_("must be text."))


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _whole_sentence(least: int, most: int | None) -> str:
    if most is None:
        return _("must be a whole number from %(least)d.") % {"least": least}
    bounds = {"least": least, "most": most}
    return _("must be a whole number from %(least)d to %(most)d.") % bounds


def _moment(text: str, end_of_day: bool) -> datetime:
    if len(text) <= 10:
        day = date.fromisoformat(text) + timedelta(days=1 if end_of_day else 0)
        return timezone.make_aware(datetime.combine(day, time()))
    found = datetime.fromisoformat(text)
    return timezone.make_aware(found) if timezone.is_naive(found) else found
