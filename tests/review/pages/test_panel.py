"""What a flag's page offers besides the decision (G3)."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.utils import timezone

from hindsight_site.accounts.models import User
from memories.models import Flag, Space
from memories.pages.context import ZONE_COOKIE
from memories.permissions import Actor
from review.decisions import decide
from review.handling import snooze
from review.models import Claim, Comment
from tests.people import conflict, member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
HTMX = {"HX-Request": "true"}
# A Wednesday.
NOW = datetime(2026, 7, 1, 20, tzinfo=ZoneInfo("UTC"))


@pytest.fixture
def flag(actor: Actor) -> Flag:
    return conflict(actor)


@pytest.mark.parametrize(
    ("form", "until"),
    [
        ({"until": "tomorrow"}, "2026-07-03T08:00:00+08:00"),  # it is Thursday there
        ({"until": "week"}, "2026-07-06T08:00:00+08:00"),
        ({"until": "date", "date": "2026-08-01"}, "2026-08-01T08:00:00+08:00"),
    ],
)
def test_it_puts_off_until_a_morning_of_the_viewer(
    reviewer: User, actor: Actor, form: dict[str, str], until: str
) -> None:
    with time_machine.travel(NOW, tick=False):
        flag, client = conflict(actor), signed_in(reviewer)
        client.cookies[ZONE_COOKIE] = "Asia/Shanghai"
        page = client.post(f"/review/{flag.pk}/snooze/", form, follow=True)
    flag.refresh_from_db()
    assert flag.snoozed_until == datetime.fromisoformat(until)
    assert "Put off until" in page.content.decode()


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"until": "date"}, "Choose a date."),
        ({"until": "date", "date": "2001-01-01"}, "between now and a year from now"),
    ],
)
def test_it_says_why_it_cannot_put_off(
    reviewer: User, flag: Flag, form: dict[str, str], why: str
) -> None:
    page = signed_in(reviewer).post(f"/review/{flag.pk}/snooze/", form, follow=True)
    assert why in page.content.decode()
    flag.refresh_from_db()
    assert flag.snoozed_until is None


def test_it_goes_on_after_putting_off_and_keeps_the_filter(reviewer: User, actor: Actor) -> None:
    other, flag = conflict(actor, "Backups run at 02:00.", "Backups run at 04:30."), conflict(actor)
    url = f"/review/{flag.pk}/snooze/?kind=conflict"
    answer = signed_in(reviewer).post(url, {"until": "week"})
    assert answer["Location"] == f"/review/{other.pk}/?kind=conflict"


def test_it_shows_what_is_put_off_and_brings_it_back(
    reviewer: User, person: Actor, flag: Flag
) -> None:
    snooze(actor=person, flag_id=flag.pk, until=timezone.now() + timedelta(days=2))
    client = signed_in(reviewer)
    assert "Bring it back now" in client.get(f"/review/{flag.pk}/").content.decode()
    page = client.post(f"/review/{flag.pk}/wake/", follow=True).content.decode()
    assert "It waits again." in page
    assert "Bring it back now" not in page


def test_it_gives_it_to_somebody(reviewer: User, space: Space, flag: Flag) -> None:
    ada, client = member(space, "ada"), signed_in(reviewer)
    page = client.post(f"/review/{flag.pk}/assign/", {"user": str(ada.pk)}, follow=True)
    assert f'<option value="{ada.pk}" selected>ada</option>' in page.content.decode()
    client.post(f"/review/{flag.pk}/assign/", {"user": str(ada.pk), "me": str(reviewer.pk)})
    flag.refresh_from_db()
    assert flag.assignee == reviewer


def test_it_answers_htmx_with_the_part_that_changed(reviewer: User, flag: Flag) -> None:
    answer = signed_in(reviewer).post(
        f"/review/{flag.pk}/comment/", {"text": "<b>Hm.</b>"}, headers=HTMX
    )
    part = answer.content.decode()
    assert "&lt;b&gt;Hm.&lt;/b&gt;" in part
    assert "data-announce" in part
    assert "<html" not in part


def test_it_keeps_a_comment_that_it_refuses(reviewer: User, flag: Flag) -> None:
    said = "x" * 2001
    answer = signed_in(reviewer).post(f"/review/{flag.pk}/comment/", {"text": said}, headers=HTMX)
    assert answer.status_code == 400
    assert f"{said}</textarea>" in answer.content.decode()
    assert not Comment.objects.exists()


def test_it_works_without_javascript(reviewer: User, flag: Flag) -> None:
    page = signed_in(reviewer).post(
        f"/review/{flag.pk}/comment/?kind=conflict", {"text": "Hm."}, follow=True
    )
    assert page.redirect_chain == [(f"/review/{flag.pk}/?kind=conflict", 302)]
    assert "Hm.</p>" in page.content.decode()


@pytest.mark.parametrize("action", ["snooze", "assign", "wake"])
def test_it_says_that_it_is_decided_already(
    reviewer: User, person: Actor, flag: Flag, action: str
) -> None:
    decide(actor=person, flag_id=flag.pk, choice="keep_new", expected_versions=(1, 1))
    form = {"until": "week", "user": ""}
    page = signed_in(reviewer).post(f"/review/{flag.pk}/{action}/", form, follow=True)
    assert "This is decided already." in page.content.decode()


def test_a_viewer_is_refused(space: Space, flag: Flag) -> None:  # G4
    viewer = signed_in(member(space, "vera", "viewer"))
    form = {"until": "week", "text": "Hm."}
    for action in ("snooze", "wake", "assign", "comment", "take-over"):
        assert viewer.post(f"/review/{flag.pk}/{action}/", form).status_code == 403


@pytest.mark.parametrize("to", ["before", "after"])
def test_it_leaves_a_flag_to_others_when_it_is_skipped(
    reviewer: User, actor: Actor, to: str
) -> None:
    flags = [conflict(actor, "Backups run at 02:00.", "Backups run at 04:30."), conflict(actor)]
    here, there = flags if to == "before" else flags[::-1]
    client = signed_in(reviewer)
    client.get(f"/review/{here.pk}/?sort=newest")
    answer = client.post(f"/review/{here.pk}/skip/?sort=newest", {"to": to})
    assert answer["Location"] == f"/review/{there.pk}/?sort=newest"
    assert not Claim.objects.exists()


def test_it_goes_back_to_the_queue_when_the_last_is_skipped(reviewer: User, flag: Flag) -> None:
    answer = signed_in(reviewer).post(f"/review/{flag.pk}/skip/", {"to": "after"})
    assert answer["Location"] == "/review/"
