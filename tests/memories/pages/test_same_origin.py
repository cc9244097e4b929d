"""Everything else from one session, or from one agent."""

import re
from html import unescape

import pytest

from hindsight_site.accounts.models import User
from memories.permissions import Actor
from tests.memories.recall.helpers import jot
from tests.people import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def _told(actor: Actor, teammate: Actor) -> None:
    jot(actor, "docker needs a proxy", session="a&b")
    jot(actor, "green tea is liked", session="other")
    jot(teammate, "the move happened", session="a&b")


def found(user: User, url: str) -> list[str]:
    page = signed_in(user).get(url).content.decode()
    return [text for text in ("a proxy", "green tea", "the move") if text in page]


@pytest.mark.usefixtures("_told")
@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("session=a%26b", ["a proxy", "the move"]),
        ("session=a%26b&agent=coder", ["a proxy"]),
        ("agent=helper", ["the move"]),
        ("session=nowhere", []),
    ],
)
def test_it_shows_what_came_from_a_session(reviewer: User, query: str, texts: list[str]) -> None:
    assert found(reviewer, f"/memories/?{query}") == texts


@pytest.mark.usefixtures("_told")
def test_it_keeps_the_session_in_the_form(reviewer: User) -> None:
    page = signed_in(reviewer).get("/memories/?session=a%26b").content.decode()
    assert re.search(r'name="session" value="a&amp;b"', page)


def test_a_memory_leads_to_the_rest_of_its_session(actor: Actor, reviewer: User) -> None:
    memory = jot(actor, "docker needs a proxy", session="a&b")
    jot(actor, "green tea is liked", session="a&b")
    page = signed_in(reviewer).get(f"/memories/{memory.pk}/").content.decode()
    (link,) = re.findall(r'href="(/memories/\?status=any&amp;session=[^"]+)"', page)
    assert found(reviewer, unescape(link)) == ["a proxy", "green tea"]
    assert f'href="/agents/{actor.id}/"' in page
