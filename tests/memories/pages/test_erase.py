"""The page that erases an end user: preview, the name once more, progress, receipt (E6)."""

import html

import pytest
from django.test import Client

from hindsight_site.accounts.models import User
from memories import jobs
from memories.models import JobRun, Memory
from memories.permissions import Actor
from tests.memories.recall.helpers import jot
from tests.people import signed_in

pytestmark = pytest.mark.django_db
X = "u-1 <b>张</b>"
PAGE = "/memories/erase/"


@pytest.fixture
def boss(admin: Actor) -> Client:
    return signed_in(User.objects.get(username=admin.name))


def said(answer: object) -> str:
    content: bytes = answer.content  # type: ignore[attr-defined]
    return html.unescape(content.decode())


def test_it_asks_for_a_name(boss: Client) -> None:
    answer = boss.get(PAGE)
    assert answer.status_code == 200
    assert "Show what would go" in said(answer)


def test_it_shows_what_would_go_and_removes_nothing(boss: Client, actor: Actor) -> None:
    jot(actor, "likes tea", user_id=X)
    answer = boss.post(PAGE, {"user_id": X})
    assert answer.context["tables"] == [("memories", 1), ("versions of memories", 1)]
    assert b"<b>" not in answer.content
    assert Memory.objects.exists()
    assert not JobRun.objects.exists()


@pytest.mark.parametrize("confirm", ["", "u-1", " "])
def test_it_wants_the_name_once_more(boss: Client, actor: Actor, confirm: str) -> None:
    answer = boss.post(PAGE, {"user_id": X, "confirm": confirm})
    assert answer.status_code == 400
    assert "Type the name of the user once more" in said(answer)
    assert not JobRun.objects.exists()


def test_it_erases_and_shows_the_receipt(boss: Client, actor: Actor) -> None:
    jot(actor, "likes tea", user_id=X)
    answer = boss.post(PAGE, {"user_id": X, "confirm": X})
    run = JobRun.objects.get()
    here = f"{PAGE}{run.pk}/"
    assert answer["Location"] == here
    assert 'hx-trigger="every 2s"' in said(boss.get(here))
    jobs.carry_on(run.pk)
    done = said(boss.get(here, headers={"HX-Request": "true"}))
    assert "hx-trigger" not in done
    assert "<html" not in done
    assert "Nothing about this user is left." in done
    assert "u-1" not in done
    assert run.pk in [one.pk for one in boss.get(PAGE).context["page"].rows]


def test_an_empty_name_is_refused(boss: Client) -> None:
    assert boss.post(PAGE, {"user_id": " "}).status_code == 400


def test_it_is_for_admins(reviewer: User, admin: Actor) -> None:
    client = signed_in(reviewer)
    assert client.get(PAGE).status_code == 403
    assert client.post(PAGE, {"user_id": X, "confirm": X}).status_code == 403
    assert not JobRun.objects.exists()


def test_another_spaces_receipt_is_a_missing_one(boss: Client, stranger: Actor) -> None:  # D1
    theirs = JobRun.objects.create(space_id=stranger.space_id, job="erase_user", state="done")
    assert boss.get(f"{PAGE}{theirs.pk}/").status_code == 404
