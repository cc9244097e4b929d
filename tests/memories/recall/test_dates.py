"""Times that a question names (C3)."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.recall.dates import Span, closeness, named_times

NOW = datetime(2024, 3, 15, 12, tzinfo=UTC)


def at_noon(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


def named(text: str) -> list[tuple[str, str]]:
    return [(str(span.first), str(span.last)) for span in named_times(text, NOW)]


@pytest.mark.parametrize(
    "text",
    [
        *("on 2023-05-08?", "2023/5/8", "May 8, 2023", "on May 8th 2023", "8 May 2023"),
        *("the 8th of May, 2023", "2023年5月8日", "2023 年 5 月 8 号"),
    ],
)
def test_it_reads_a_day(text: str) -> None:
    assert named(text) == [("2023-05-08", "2023-05-08")]


@pytest.mark.parametrize("text", ["in May 2023", "May, 2023", "2023-05", "2023年5月", "2023年五月"])
def test_it_reads_a_month(text: str) -> None:
    assert named(text) == [("2023-05-01", "2023-05-31")]


@pytest.mark.parametrize("text", ["in May", "early May", "五月份", "5月"])
def test_it_reads_a_month_of_any_year(text: str) -> None:
    (span,) = named_times(text, NOW)
    assert span.yearly
    assert (span.first.month, span.last.day) == (5, 31)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("in 2023", "2023-01-01", "2023-12-31"),
        ("2023年", "2023-01-01", "2023-12-31"),
        ("yesterday", "2024-03-14", "2024-03-14"),
        ("the day before yesterday", "2024-03-13", "2024-03-13"),
        ("昨天", "2024-03-14", "2024-03-14"),
        ("last week", "2024-03-04", "2024-03-10"),
        ("上周", "2024-03-04", "2024-03-10"),
        ("last month", "2024-02-01", "2024-02-29"),
        ("上个月", "2024-02-01", "2024-02-29"),
        ("去年", "2023-01-01", "2023-12-31"),
        ("3 days ago", "2024-03-12", "2024-03-12"),
        ("三天前", "2024-03-12", "2024-03-12"),
    ],
)
def test_it_reads_relative_times(text: str, first: str, last: str) -> None:
    assert named(text) == [(first, last)]


def test_it_reads_a_vague_unit_as_a_wide_span() -> None:
    ((first, last),) = named("two months ago")
    assert first < "2024-01-10" < "2024-01-20" < last


@pytest.mark.parametrize(
    "text",
    [
        *("may I ask", "we march on", "version 2.2023.1", "30有几个人", "10.12", "Feb 30", ""),
        *("2023-99-99", "room 2023", "99999 years ago", "second"),
    ],
)
def test_it_does_not_guess(text: str) -> None:
    assert named(text) == []


def test_it_reads_several_times() -> None:
    assert len(named_times("between May 31, 2030 and July", NOW)) == 2


def test_it_finds_the_nearest_year_of_a_day_without_one() -> None:
    (span,) = named_times("on 29 February", NOW)
    assert span.distance(date(2023, 2, 28)) == 0
    assert span.distance(date(2024, 3, 1)) == 1
    assert Span(date(2000, 12, 31), date(2000, 12, 31), yearly=True).distance(date(2023, 1, 1)) == 1


def test_it_is_closest_inside_and_half_as_close_a_week_away() -> None:
    times = (Span(date(2024, 3, 1), date(2024, 3, 31)),)
    assert closeness(NOW, times, 7) == 1.0
    assert closeness(datetime(2024, 4, 7, tzinfo=UTC), times, 7) == 0.5
    assert closeness(NOW, (), 7) == 0.0


@given(near=st.integers(0, 2_000), far=st.integers(0, 2_000))
def test_it_is_never_closer_when_further_away(near: int, far: int) -> None:
    near, far = sorted((near, far))
    times = (Span(NOW.date(), NOW.date()),)
    first, second = (closeness(NOW + timedelta(days=days), times, 7) for days in (near, far))
    assert 1.0 >= first >= second >= 0.0


@given(st.text())
def test_it_survives_any_text(text: str) -> None:
    named_times(text, NOW)


@given(st.dates(date(2, 1, 1), date(9998, 1, 1)).map(at_noon))
def test_it_survives_any_moment(moment: datetime) -> None:
    times = named_times("on 29 February, last week, 999 years ago, 2023年5月", moment)
    assert 0.0 <= closeness(moment, times, 7) <= 1.0
    assert all(first < last for first, last in (span.bounds() for span in times))
