"""Signing in, and the frame around every page."""

import pytest
from django.test import Client

from hindsight_site.accounts.models import User
from memories.models import Space
from tests.people import PASSWORD, member, signed_in

pytestmark = pytest.mark.django_db


def sign_in(name: str, password: str) -> tuple[int, str]:
    client = Client(REMOTE_ADDR="127.0.0.9")
    answer = client.post("/login/", {"username": name, "password": password})
    return answer.status_code, answer.content.decode()


def test_it_leads_to_the_queue_after_signing_in(reviewer: User) -> None:
    answer = Client().post("/login/", {"username": "rui", "password": PASSWORD})
    assert answer["Location"] == "/review/"


def test_it_says_when_name_and_password_do_not_match(reviewer: User) -> None:
    status, page = sign_in("rui", "wrong")
    assert status == 200
    assert "Name and password do not match." in page
    assert 'value="rui"' in page


def test_it_locks_a_name_out_with_a_page_that_says_so(reviewer: User) -> None:
    answers = [sign_in("rui", "wrong") for _ in range(11)]
    status, page = answers[-1]
    assert status == 429
    assert "Too many attempts" in page


def test_it_explains_what_to_do_without_a_space() -> None:
    answer = signed_in(member(None, "nobody")).get("/review/")
    assert answer.status_code == 403
    assert "Ask a space admin to add you" in answer.content.decode()


def test_it_changes_the_space(space: Space) -> None:
    user = member(space, "ada")
    second = Space.objects.create(slug="lab", name="Lab")
    second.memberships.create(user=user, role="viewer")
    client = signed_in(user)
    assert client.get("/review/").context["actor"].space_id == second.pk  # "Lab" before "Team"
    client.post("/memories/choose-space/", {"space": str(space.pk)})
    assert client.get("/review/").context["actor"].space_id == space.pk


@pytest.mark.parametrize("wanted", ["nonsense", ""])
def test_it_stays_where_it_is_for_a_space_that_is_none(reviewer: User, wanted: str) -> None:
    answer = signed_in(reviewer).post("/memories/choose-space/", {"space": wanted}, follow=True)
    assert "There is no such space here." in answer.content.decode()


def test_it_does_not_open_a_foreign_space(reviewer: User) -> None:  # D1
    foreign = Space.objects.create(slug="lab", name="Lab")
    client = signed_in(reviewer)
    answer = client.post("/memories/choose-space/", {"space": str(foreign.pk)}, follow=True)
    assert "There is no such space here." in answer.content.decode()
    assert client.get("/review/").context["actor"].space_id != foreign.pk


def test_it_leaves_a_space_when_the_membership_ends(space: Space) -> None:
    user = member(space, "ada")
    client = signed_in(user)
    client.post("/memories/choose-space/", {"space": str(space.pk)})
    user.memberships.all().delete()
    assert client.get("/review/").status_code == 403


def test_it_remembers_the_colours(client: Client) -> None:
    answer = client.post("/memories/choose-theme/", {"theme": "dark", "next": "/login/"})
    assert answer["Location"] == "/login/"
    assert 'data-theme="dark"' in client.get("/login/").content.decode()


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "javascript:x", "x", ""]
)
def test_it_goes_back_only_within_this_site(client: Client, target: str) -> None:
    answer = client.post("/memories/choose-theme/", {"theme": "dark", "next": target})
    assert answer["Location"] == "/"


def test_it_ignores_colours_it_does_not_know(client: Client) -> None:
    client.post("/memories/choose-theme/", {"theme": "sepia"})
    assert "theme" not in client.cookies
    client.cookies["theme"] = "sepia"
    assert 'data-theme="auto"' in client.get("/login/").content.decode()


def test_it_speaks_chinese(client: Client) -> None:
    client.post("/i18n/setlang/", {"language": "zh-hans", "next": "/login/"})
    page = client.get("/login/").content.decode()
    assert 'lang="zh-hans"' in page
    assert "登录" in page


def test_it_has_a_page_for_what_is_not_there(client: Client) -> None:
    answer = client.get("/no/such/page/")
    assert answer.status_code == 404
    assert "Nothing here" in answer.content.decode()


def test_it_has_a_page_for_a_form_without_its_token(reviewer: User) -> None:
    answer = Client(enforce_csrf_checks=True).post("/login/", {"username": "rui"})
    assert answer.status_code == 403
    assert "This form has expired" in answer.content.decode()


def test_it_has_a_page_for_a_mistake_of_ours() -> None:
    from django.template.loader import get_template

    # Django renders it without a context.
    assert "Something went wrong" in get_template("500.html").render()


def test_it_forbids_scripts_from_elsewhere(client: Client) -> None:
    policy = client.get("/login/").headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
