"""Relative dates, resolved against the day on which they were said: Monday, 8 May 2023."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.distillation.rules.times import dated

MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("I ran yesterday.", "I ran yesterday (2023-05-07)."),
        ("the day before yesterday", "the day before yesterday (2023-05-06)"),
        ("last night", "last night (2023-05-07)"),
        ("this morning", "this morning (2023-05-08)"),
        ("tomorrow evening we go", "tomorrow evening (2023-05-09) we go"),
        ("two days ago we met", "two days ago (2023-05-06) we met"),
        ("3 weeks ago", "3 weeks ago (2023-04-17/23)"),
        ("a couple of weeks ago", "a couple of weeks ago (2023-04-24/30)"),
        ("two months ago", "two months ago (2023-03)"),
        ("ten years ago", "ten years ago (2013)"),
        ("I will go in two weeks", "I will go in two weeks (2023-05-22/28)"),
        ("last Friday", "last Friday (2023-05-05)"),
        ("last Monday", "last Monday (2023-05-01)"),
        ("next Friday", "next Friday (2023-05-12)"),
        ("last weekend", "last weekend (2023-05-06/07)"),
        ("last week", "last week (2023-05-01/07)"),
        ("next week", "next week (2023-05-15/21)"),
        ("last month", "last month (2023-04)"),
        ("next month", "next month (2023-06)"),
        ("last year", "last year (2022)"),
        ("last December", "last December (2022-12)"),
        ("last March", "last March (2023-03)"),
        ("next March", "next March (2024-03)"),
        ("昨天我跑步了", "昨天（2023-05-07）我跑步了"),
        ("昨天晚上加班", "昨天晚上（2023-05-07）加班"),
        ("前天", "前天（2023-05-06）"),
        ("大后天出发", "大后天（2023-05-11）出发"),
        ("三天前", "三天前（2023-05-05）"),
        ("两个月前", "两个月前（2023-03）"),
        ("两周后上线", "两周后（2023-05-22/28）上线"),
        ("上周五去了医院", "上周五（2023-05-05）去了医院"),
        ("上个星期天", "上个星期天（2023-05-07）"),
        ("下周三上线", "下周三（2023-05-17）上线"),
        ("下个月搬家", "下个月（2023-06）搬家"),
        ("去年三月搬的家", "去年三月（2022-03）搬的家"),
        ("今年5月1日结婚", "今年5月1日（2023-05-01）结婚"),
        ("明年毕业", "明年（2024）毕业"),
        ("上周末", "上周末（2023-05-06/07）"),
    ],
)
def test_it_writes_the_date_after_the_word(told: str, expected: str) -> None:
    assert dated(told, MONDAY).text == expected


@pytest.mark.parametrize(
    "told",
    [
        "It opened on 3 May 2023.",
        "Rome wasn't built in a day.",
        "We finished it in two weeks.",
        "yesterday (2023-05-07)",
        "以前天天跑步",
        "the last day",
        "a few days ago",
        "last but not least",
        "",
    ],
)
def test_it_leaves_the_rest_alone(told: str) -> None:
    assert dated(told, MONDAY).text == told


@pytest.mark.parametrize(
    ("told", "day"),
    [
        ("I ran yesterday.", date(2023, 5, 7)),
        ("上周五去了医院", date(2023, 5, 5)),
        ("I ran yesterday and last Friday.", None),  # two days
        ("I ran last week.", None),  # no day
        ("I go next Friday.", None),  # this week's, or the one after?
        ("I ran.", None),
    ],
)
def test_it_names_the_day_when_one_is_certain(told: str, day: date | None) -> None:
    moment = dated(told, MONDAY).moment()
    assert (moment and moment.date()) == day


def test_it_counts_from_the_month_before() -> None:
    assert dated("last month", datetime(2024, 1, 31, tzinfo=UTC)).text == "last month (2023-12)"


@given(st.text(max_size=80), st.datetimes(timezones=st.just(UTC)))
def test_it_never_raises(told: str, now: datetime) -> None:
    assert dated(told, now).text.startswith(told[:1])


@pytest.mark.parametrize("year", [1, 9999])
def test_it_lives_at_the_ends_of_the_calendar(year: int) -> None:
    now = datetime(year, 6, 1, tzinfo=UTC)
    assert "yesterday (" in dated("yesterday, 900 years ago, 十二年后", now).text
