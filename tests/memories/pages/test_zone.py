"""Times are told in the zone of whoever looks at them."""

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.utils import timezone

from hindsight_site.accounts.models import User
from memories.models import Memory
from memories.permissions import Actor
from memories.writing import write_memory
from tests.people import signed_in

pytestmark = pytest.mark.django_db
# Half past eleven at night in UTC: already tomorrow in Shanghai, still afternoon in Los Angeles.
MOMENT = datetime(2026, 3, 9, 23, 30, tzinfo=UTC)
NONSENSE = ["", "Mars/Olympus", "../../etc/passwd", "/etc/localtime", "Asia", "a\0b", "Zürich"]


@pytest.fixture
def looking(actor: Actor, reviewer: User, embedder: str) -> Client:
    """Somebody who looks at memories, the only one of which is of MOMENT."""
    write_memory(actor=actor, content="The office cat is called Miso.", source="user_input")
    Memory.objects.update(created_at=MOMENT, updated_at=MOMENT)
    return signed_in(reviewer)


def told(client: Client) -> str:
    page = client.get(f"/memories/{Memory.objects.get().pk}/")
    assert page.status_code == 200
    return page.content.decode()


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ("Asia/Shanghai", "2026-03-10T07:30:00+08:00"),
        ("America/Los_Angeles", "2026-03-09T16:30:00-07:00"),
        ("UTC", "2026-03-09T23:30:00+00:00"),
    ],
)
def test_it_tells_times_in_the_viewers_zone(looking: Client, zone: str, said: str) -> None:
    looking.cookies["timezone"] = zone
    assert f'datetime="{said}"' in told(looking)


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_it_ignores_what_is_no_zone(looking: Client, nonsense: str) -> None:
    looking.cookies["timezone"] = nonsense
    assert 'datetime="2026-03-09T23:30:00+00:00"' in told(looking)


def test_it_leaves_no_zone_behind(looking: Client) -> None:
    looking.cookies["timezone"] = "Asia/Shanghai"
    told(looking)
    assert timezone.get_current_timezone_name() == "UTC"


def test_it_keeps_a_choice_and_shows_it(client: Client) -> None:
    answer = client.post("/memories/choose-zone/", {"timezone": "Asia/Shanghai", "next": "/login/"})
    assert answer["Location"] == "/login/"
    kept = answer.cookies["timezone"]
    assert (kept.value, kept["samesite"], kept["httponly"]) == ("Asia/Shanghai", "Lax", "")
    page = client.get("/login/").content.decode()
    assert '<option value="Asia/Shanghai" selected>Asia/Shanghai (+08:00)</option>' in page


def test_it_offers_a_zone_that_is_not_among_the_usual_ones(client: Client) -> None:
    assert "Asia/Kathmandu" not in client.get("/login/").content.decode()
    client.cookies["timezone"] = "Asia/Kathmandu"
    assert '"Asia/Kathmandu" selected' in client.get("/login/").content.decode()


@pytest.mark.parametrize("nonsense", NONSENSE[1:])
def test_it_keeps_no_choice_that_is_no_zone(client: Client, nonsense: str) -> None:
    client.post("/memories/choose-zone/", {"timezone": nonsense})
    assert "timezone" not in client.cookies


def test_it_forgets_a_choice(client: Client) -> None:
    client.post("/memories/choose-zone/", {"timezone": "Asia/Shanghai"})
    client.post("/memories/choose-zone/", {"timezone": ""})
    assert client.cookies["timezone"].value == ""
    assert '"UTC" selected' in client.get("/login/").content.decode()


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:x", "x"])
def test_it_goes_back_only_within_this_site(client: Client, target: str) -> None:
    answer = client.post("/memories/choose-zone/", {"timezone": "UTC", "next": target})
    assert answer["Location"] == "/"


def test_it_takes_a_choice_only_from_a_form(client: Client) -> None:
    assert client.get("/memories/choose-zone/?timezone=UTC").status_code == 405
