"""The page of the queue's numbers."""

from datetime import timedelta
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.models import Agent, Space
from review.pages.numbers import lasted
from tests.people import member, signed_in
from tests.review.made import decided, opened

pytestmark = pytest.mark.django_db
URL = "/review/numbers/"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def text_of(user: User, query: str = "", **headers: str) -> str:
    return signed_in(user).get(f"{URL}{query}", headers=headers).content.decode()


class Cells(HTMLParser):
    """The table rows of a page, each as the words in its cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._within = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")
            self._within = True

    def handle_endtag(self, tag: str) -> None:
        self._within = self._within and tag not in {"td", "th"}

    def handle_data(self, data: str) -> None:
        if self._within:
            self.rows[-1][-1] += data.strip()


def test_it_asks_to_sign_in_first() -> None:
    assert Client().get(URL)["Location"] == f"/login/?next={URL}"


def test_it_says_that_there_is_nothing_to_count(reviewer: User) -> None:
    assert "Nothing to count yet" in text_of(reviewer)


def test_it_tells_in_words_what_its_charts_draw(reviewer: User, space: Space, agent: Agent) -> None:
    now = timezone.now()
    for choice in ("keep_new", "keep_new", "keep_new", "keep_new", "reject"):
        decided(opened(space, now - 9 * DAY, agent=agent), 3 * HOUR, choice)
    opened(space, now, kind="pending", reason="low_confidence")
    page = text_of(reviewer)
    rows = Cells(page).rows
    assert ["low confidence", "", "1", "1", "0", "0", "0"] in rows  # what waits
    assert ["conflict", "5", "3 hours", "3 hours"] in rows  # how long it took
    assert ["coder", "", "4 of 5", "80%38% to 96%"] in rows
    assert ["conflict: one denies the other", "", "4 of 5", "80%38% to 96%"] in rows
    assert ["rui", "", "5", "0"] in rows
    assert f'href="/agents/{agent.pk}/"' in page


def test_it_calls_few_decisions_no_rate(reviewer: User, space: Space, agent: Agent) -> None:
    decided(opened(space, timezone.now() - DAY, agent=agent), HOUR)
    assert ["coder", "", "1 of 1", "–Too few to be called a rate"] in Cells(text_of(reviewer)).rows


def test_it_draws_every_day_of_the_period(reviewer: User, space: Space) -> None:
    decided(opened(space, timezone.now() - 2 * DAY), HOUR)
    for query, days in (("", 30), ("?days=7", 7), ("?days=90", 90), ("?days=x", 30)):
        page = text_of(reviewer, query)
        assert page.count('<g class="slot">') == days
        assert page.count('class="s-people" x=') >= 1


def test_it_lists_the_days_for_whoever_cannot_see_the_chart(reviewer: User, space: Space) -> None:
    day = timezone.now() - 2 * DAY
    decided(opened(space, day), timedelta(0))
    (row,) = [row for row in Cells(text_of(reviewer, "?days=7")).rows if row[1:] == ["1", "1", "0"]]
    assert str(day.year) in row[0]


def test_it_counts_nothing_of_another_space(space: Space) -> None:  # D1
    opened(space, timezone.now())
    elsewhere = Space.objects.create(slug="other", name="Other")
    assert "Nothing to count yet" in text_of(member(elsewhere, "sten"))


def test_it_shows_names_as_text(reviewer: User, space: Space) -> None:  # F2
    agent = Agent.objects.create(space=space, name="<b>bold</b>")
    decided(opened(space, timezone.now() - DAY, agent=agent, reason="<i>"), HOUR)
    page = text_of(reviewer)
    assert "&lt;b&gt;bold&lt;/b&gt;" in page
    assert "<i>" not in page


def test_it_asks_as_often_however_much_there_is(
    reviewer: User, space: Space, agent: Agent, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = signed_in(reviewer)
    opened(space, timezone.now())
    with django_assert_num_queries(13):
        client.get(URL)
    for days in range(9):
        decided(opened(space, timezone.now() - days * DAY, agent=agent), timedelta(0))
    with django_assert_num_queries(13):
        client.get(URL)


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (None, "–"),
        (timedelta(seconds=59), "under a minute"),
        (timedelta(minutes=1), "1 minute"),
        (timedelta(minutes=119), "119 minutes"),
        (2 * HOUR, "2 hours"),
        (47 * HOUR, "47 hours"),
        (48 * HOUR, "2 days"),
    ],
)
def test_it_says_how_long_something_took(time: timedelta | None, words: str) -> None:
    assert lasted(time) == words
