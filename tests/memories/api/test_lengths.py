"""A text is as long as the OpenAPI document counts it: as it came, white space and all."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import get_resolver
from rest_framework import serializers

from memories.api.fields import Name, Strict


def shapes(base: type[Strict] = Strict) -> Iterator[type[Strict]]:
    get_resolver().url_patterns  # noqa: B018 - imports every door
    for shape in base.__subclasses__():
        yield shape
        yield from shapes(shape)


def texts(field: Any, place: str) -> Iterator[tuple[str, serializers.CharField]]:
    """Yield every bounded text in a shape, however deep."""
    if isinstance(field, serializers.CharField):
        if field.max_length is not None:
            yield place, field
    elif isinstance(field, serializers.Serializer):
        for name, inner in field.fields.items():
            yield from texts(inner, f"{place}.{name}")
    elif child := getattr(field, "child", None):
        yield from texts(child, f"{place}[]")


BOUNDED = dict(found for shape in shapes() for found in texts(shape(), shape.__name__))


def test_there_are_bounded_texts() -> None:
    assert {"FilterInput.tags[]", "WriteManyInput.memories[].content"} <= set(BOUNDED)


@pytest.mark.parametrize("place", sorted(BOUNDED))
def test_white_space_around_it_counts(place: str) -> None:
    field = BOUNDED[place]
    assert field.max_length is not None
    assert field.run_validation("x".ljust(field.max_length))
    with pytest.raises(serializers.ValidationError):
        field.run_validation("x".ljust(field.max_length + 1))


def test_nothing_may_be_said_where_that_is_allowed() -> None:
    assert Name(allow_null=True, required=True).run_validation(None) is None


def test_a_name_is_looked_up_as_it_was_stored() -> None:
    assert Name().run_validation(" e\u0301\x00 ") == "é�"
