"""Ages and codes in words."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import translation

from memories.models.memory import Status
from memories.pages import words

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("age", "english", "chinese"),
    [
        (timedelta(seconds=59), "just now", "刚刚"),
        (timedelta(minutes=1), "1 minute ago", "1 分钟前"),
        (timedelta(hours=23, minutes=59), "23 hours ago", "23 小时前"),
        (timedelta(days=5), "5 days ago", "5 天前"),
        (timedelta(days=45), "1 month ago", "1 个月前"),
        (timedelta(days=800), "2 years ago", "2 年前"),
        (timedelta(days=-1), "04/01/2026 noon", "2026年4月1日 12:00"),
    ],
)
def test_it_says_how_old_something_is(age: timedelta, english: str, chinese: str) -> None:
    assert words.ago(NOW - age, NOW) == english
    with translation.override("zh-hans"):
        assert words.ago(NOW - age, NOW) == chinese


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.OVERTURNED, Status.DELETED])
def test_it_has_words_for_what_became_of_a_memory(status: Status) -> None:
    assert words.verb(status) != status


def test_it_shows_a_code_that_it_does_not_know() -> None:
    assert (words.verb("new_verb"), words.arm("new_arm")) == ("new_verb", "new arm")
