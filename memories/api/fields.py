"""Fields as strict as the OpenAPI document says: a number is no text, a text is no number."""

import math
import re
from datetime import datetime, timedelta
from typing import Any

from django.core.validators import ProhibitNullCharactersValidator
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.fields import (  # type: ignore[attr-defined]
    ProhibitSurrogateCharactersValidator,
)

from memories.api.errors import invalid
from memories.errors import Invalid
from memories.text.clean import storable

# Says in a serializer's context that its values come from a query string: all are texts.
IN_QUERY = "in_query"
_BARE_DATE = re.compile(r"\d{4}-?\d\d-?\d\d")
_PROHIBITIONS = (ProhibitNullCharactersValidator, ProhibitSurrogateCharactersValidator)


class Text(serializers.CharField):
    """A text handed on as it came: the services clean what cannot be stored, and note it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"trim_whitespace": False} | options)
        self.validators = [one for one in self.validators if not isinstance(one, _PROHIBITIONS)]

    def to_internal_value(self, data: Any) -> str:
        """Return the text, or raise ValidationError for anything else."""
        if not isinstance(data, str):
            self.fail("invalid")
        return data


class Name(Text):
    """A short text to look something up by, in the form in which the services stored it.

    Its characters are counted as they came, as the OpenAPI document says.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"required": False, "allow_blank": True, "max_length": 200} | options)

    def run_validation(self, data: Any = serializers.empty) -> str | None:
        """Return the text as it would have been stored, None where that may be said."""
        text: str | None = super().run_validation(data)
        return text and storable(text)[0]


class Number(serializers.FloatField):
    """A finite number; in a body it is a JSON number, in a query it is written out."""

    def to_internal_value(self, data: Any) -> float:
        """Return the number, or raise ValidationError."""
        number = super().to_internal_value(data) if _is_number(self, data) else math.nan
        if not math.isfinite(number):
            self.fail("invalid")
        return number


class Whole(serializers.IntegerField):
    """An integer; in a body it is a JSON number, in a query it is written out."""

    def to_internal_value(self, data: Any) -> int:
        """Return the integer, or raise ValidationError."""
        if not _is_number(self, data):
            self.fail("invalid")
        return super().to_internal_value(data)


class YesNo(serializers.BooleanField):
    """A JSON boolean, in a query written out; the framework's own takes "yes", 1 and more."""

    def to_internal_value(self, data: Any) -> bool:
        """Return the boolean, or raise ValidationError."""
        if IN_QUERY in self.context:
            data = {"true": True, "false": False}.get(str(data), data)
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class Each(serializers.ListField):
    """A list of objects of which each is judged for itself: Invalid stands in a wrong one's place.

    What is wrong with the list as a whole is raised.
    """

    def run_child_validation(self, data: Any) -> list[dict[str, Any] | Invalid]:
        """Return the validated objects, and what is wrong with the others, in their order."""
        return [self._judged(one) for one in data]

    def _judged(self, one: Any) -> dict[str, Any] | Invalid:
        try:
            found: dict[str, Any] = self.child.run_validation(one)
        except serializers.ValidationError as error:
            return invalid(error.detail)
        return found


def _is_number(field: serializers.Field[Any, Any, Any, Any], data: Any) -> bool:
    kinds = (str,) if IN_QUERY in field.context else (int, float)
    return isinstance(data, kinds) and not isinstance(data, bool)


class Until(serializers.DateTimeField):
    """The end of a span, exclusive; a bare date includes that day, as over MCP."""

    def to_internal_value(self, value: Any) -> datetime:
        """Return the moment, or raise ValidationError."""
        moment: datetime = super().to_internal_value(value)
        if not _BARE_DATE.fullmatch(str(value)):
            return moment
        try:
            return moment + timedelta(days=1)
        except OverflowError:
            self.fail("overflow")


class Strict(serializers.Serializer[Any]):
    """Input in which an unknown name is an error: a misspelt filter must not widen an answer."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the validated values, or raise ValidationError naming every unknown field."""
        unknown = [] if not isinstance(data, dict) else sorted(set(data) - set(self.fields))
        if unknown:
            known = ", ".join(self.fields)
            sentence = _("There is no such field here. Known: %(known)s.") % {"known": known}
            raise serializers.ValidationError({name: [sentence] for name in unknown})
        values: dict[str, Any] = super().to_internal_value(data)
        return values


def user_id_field() -> Name:
    """Return the field by which every call says for which end user it acts."""
    return Name(
        help_text=(
            "The end user an agent acts for: it sees that user's memories and those about no user. "
            "A person narrows an answer to the same."
        )
    )
