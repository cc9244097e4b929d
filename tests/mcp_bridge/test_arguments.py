"""What models really send is read; what cannot be read is refused by name."""

import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone
from pydantic import TypeAdapter, ValidationError

from mcp_bridge import arguments as given


def read(annotation: Any, value: Any) -> Any:
    return TypeAdapter(annotation).validate_python(value)


def complaint(annotation: Any, value: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        read(annotation, value)
    message: str = caught.value.errors()[0]["msg"]
    return message


@pytest.mark.parametrize("value", [5, "5", 5.0, "5.0", " 5 "])
def test_it_reads_numbers_however_they_are_written(value: Any) -> None:
    assert read(given.TopK, value) == 5


@pytest.mark.parametrize("value", [None, "", "null", "None", "  ", []])
@pytest.mark.parametrize(
    "annotation",
    [given.TopK, given.User, given.Tags, given.Since, given.Confidence, given.OnlyKind],
)
def test_it_takes_emptiness_for_an_optional_argument_left_out(annotation: Any, value: Any) -> None:
    assert read(annotation, value) is None


@pytest.mark.parametrize("value", ["many", 2.5, True, [5], {}, "NaN", float("inf"), 0, 51, 10**400])
def test_it_refuses_what_is_no_count(value: Any) -> None:
    assert complaint(given.TopK, value) == "must be a whole number from 1 to 50."


@pytest.mark.parametrize("value", [-0.1, 1.1, "high", True])
def test_it_refuses_what_is_no_share(value: Any) -> None:
    assert complaint(given.Confidence, value) == "must be a number from 0 to 1."


def test_it_reads_a_share_from_text() -> None:
    assert read(given.MinConfidence, "0.5") == 0.5


@pytest.mark.parametrize("value", [None, ""])
def test_it_insists_on_what_is_required(value: Any) -> None:
    assert complaint(given.Content, value) == "is required."
    assert complaint(given.Id, value) == "is required."


def test_it_keeps_a_required_text_that_reads_null() -> None:
    assert read(given.Query, "null") == "null"


def test_it_takes_a_number_for_text() -> None:
    assert read(given.User, 42) == "42"


@pytest.mark.parametrize("value", [{"a": 1}, ["a"], True])
def test_it_refuses_structures_for_text(value: Any) -> None:
    assert complaint(given.Query, value) == "must be text."


@pytest.mark.parametrize("value", [["a", "b"], "a, b", "a，b", ["a", "", None, "b"]])
def test_it_reads_tags_from_lists_and_texts(value: Any) -> None:
    assert read(given.Tags, value) == ["a", "b"]


def test_it_refuses_tags_that_are_no_texts() -> None:
    assert complaint(given.Tags, {"a": 1}) == "must be a list of texts."
    assert complaint(given.Tags, [["a"]]) == "must be text."


def test_it_reads_a_word_in_any_case() -> None:
    assert read(given.KindOf, "Fact") == "fact"


def test_it_names_the_words_that_are_allowed() -> None:
    said = complaint(given.VisibilityOf, "public")
    assert said == "must be one of: shared, private."


def test_it_reads_times_with_their_offset() -> None:
    noon = datetime(2026, 3, 31, 12, tzinfo=UTC)
    assert read(given.Since, "2026-03-31T12:00:00Z") == noon
    assert read(given.Since, "2026-03-31T20:00:00+08:00") == noon


@pytest.mark.parametrize("value", ["2026-03-31T12:00:00", "2026-03-31 12:00"])
def test_it_reads_times_without_offset_in_the_zone_of_the_server(value: str, settings: Any) -> None:
    settings.TIME_ZONE = "Asia/Shanghai"
    assert read(given.Since, value) == datetime(2026, 3, 31, 4, tzinfo=UTC)


def test_it_reads_a_bare_date_as_a_whole_day() -> None:
    day = timezone.make_aware(datetime(2026, 3, 31))  # noqa: DTZ001
    assert read(given.Since, "2026-03-31") == day
    assert (read(given.Until, "2026-03-31") - day).days == 1


@pytest.mark.parametrize(
    "value", ["yesterday", "31.03.2026", 20260331.5, "9999-12-31", ["2026-03-31"]]
)
def test_it_says_how_a_time_is_written(value: Any) -> None:
    assert "must be an ISO 8601 date or time" in complaint(given.Until, value)


def test_it_reads_an_id_with_spaces_around_it() -> None:
    known = uuid.uuid4()
    assert read(given.Id, f" {known} ") == known


@pytest.mark.parametrize("value", ["1", "not-an-id", 7, {"id": 1}])
def test_it_says_where_ids_come_from(value: Any) -> None:
    assert "as write_memory and search_memory return it" in complaint(given.Id, value)
