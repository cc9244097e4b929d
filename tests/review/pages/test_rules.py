"""The pages of a space's rules: written, tried, put in order and deleted without JavaScript."""

from typing import Any

import pytest
from django.http import HttpResponse

from hindsight_site.accounts.models import User
from memories.models import Flag, Space
from memories.permissions import Actor
from review.models import Decision, Rule
from review.rules import consider
from tests.doubts import doubt
from tests.people import conflict, member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
URL = "/policies/rules/"


@pytest.fixture
def admin(space: Space) -> User:
    return member(space, "ada", "admin")


@pytest.fixture
def rule(space: Space) -> Rule:
    return Rule.objects.create(space=space, name="newer wins", kind="conflict", choice="keep_new")


def send(user: User, address: str, **form: Any) -> HttpResponse:
    answer = signed_in(user).post(URL + address, form, follow=True)
    assert isinstance(answer, HttpResponse)
    return answer


def page(user: User, address: str = "") -> str:
    answer = signed_in(user).get(URL + address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_it_asks_for_the_kind_first_and_then_for_what_fits_it(admin: User) -> None:
    assert '?kind=conflict"' in page(admin, "new/")
    form = page(admin, "new/?kind=conflict")
    assert 'value="keep_new"' in form
    assert 'value="value_replaced"' in form
    for unfit in ("approve", "merge", "both_true", "low_confidence"):
        assert f'value="{unfit}"' not in form


def test_a_rule_for_quarantine_offers_to_reject_only(admin: User) -> None:  # F2
    form = page(admin, "new/?kind=quarantine")
    assert 'value="reject"' in form
    assert 'value="approve"' not in form


def test_it_saves_a_rule_and_lists_it_in_words(admin: User) -> None:
    listed = send(
        admin,
        "new/?kind=pending",
        name="small talk",
        choice="reject",
        reason="trivial",
        memory_kinds=["fact", "lesson"],
        most_confidence="0.5",
        is_active="on",
        do="save",
    ).content.decode()
    made = Rule.objects.get()
    assert (made.memory_kinds, made.most_confidence) == (["fact", "lesson"], 0.5)
    assert (made.created_by, made.is_active) == ("ada", True)
    assert "kind: fact or lesson · confidence: at most 0.5" in listed
    assert "Reject: not worth keeping" in listed
    assert "decided 0 times" in listed


def test_a_refusal_keeps_what_was_typed(admin: User, rule: Rule) -> None:
    answer = send(admin, "new/?kind=conflict", name=rule.name, choice="keep_old", do="save")
    assert answer.status_code == 400
    assert "There is a rule named “newer wins” already." in answer.content.decode()
    assert 'value="keep_old" selected' in answer.content.decode()


def test_it_changes_a_rule(admin: User, rule: Rule) -> None:
    form = {"name": "older wins", "choice": "keep_old", "do": "save"}
    send(admin, f"{rule.pk}/", seen=rule.updated_at.isoformat(), **form)
    rule.refresh_from_db()
    assert (rule.name, rule.choice, rule.is_active) == ("older wins", "keep_old", False)
    answer = send(admin, f"{rule.pk}/", seen="2020-01-01T00:00:00+00:00", **form)
    assert answer.status_code == 409
    assert "Look again" in answer.content.decode()


def test_trying_shows_what_fits_before_saving(admin: User, actor: Actor) -> None:
    flag = conflict(actor)
    form = {"name": "r", "choice": "keep_new", "sources": ["user_input"], "do": "try"}
    found = send(admin, "new/?kind=conflict", **form).content.decode()
    assert "1 open item fits." in found
    assert "people decided on none like these" in found
    assert f"/review/{flag.pk}/" in found
    assert not Rule.objects.exists()
    assert Flag.objects.get().status == "open"


def test_a_rules_page_shows_what_it_decided(admin: User, rule: Rule, actor: Actor) -> None:
    flag = conflict(actor)
    consider(flag.pk)
    found = page(admin, f"{rule.pk}/")
    assert f'<a href="/review/{flag.pk}/">the new one is kept</a>' in found
    assert "decided 1 time" in page(admin)


def test_it_begins_with_what_waits(admin: User, rule: Rule, actor: Actor) -> None:
    flag = conflict(actor)
    Flag.objects.update(considered_at=flag.created_at)
    assert "Let it decide these now" in page(admin, f"{rule.pk}/")
    told = send(admin, f"{rule.pk}/waiting/").content.decode()
    assert "The rules look at 1 open item in a moment." in told
    assert Flag.objects.get().considered_at is None
    consider(flag.pk)
    assert Decision.objects.get().rule == rule


def test_it_moves_switches_and_deletes(admin: User, space: Space, rule: Rule) -> None:
    other = Rule.objects.create(
        space=space, name="other", kind="conflict", choice="keep_old", position=1
    )
    send(admin, f"{other.pk}/move/", to="up")
    assert list(Rule.objects.values_list("name", flat=True)) == ["other", "newer wins"]
    assert "switched off" in send(admin, f"{rule.pk}/switch/", to="off").content.decode()
    assert "Delete “other”?" in page(admin, f"{other.pk}/delete/")
    assert Rule.objects.count() == 2
    send(admin, f"{other.pk}/delete/")
    assert Rule.objects.get() == rule


def test_it_suggests_a_rule_until_there_is_one(admin: User) -> None:
    assert "Explicit corrections by the user supersede at once" in page(admin)
    form = page(admin, "new/?kind=conflict&suggested=1")
    assert 'value="Explicit corrections by the user supersede at once"' in form
    assert form.count(" checked") == 3  # correction, user input, switched on
    send(
        admin,
        "new/?kind=conflict",
        name="corrections",
        choice="keep_new",
        memory_kinds=["correction"],
        sources=["user_input"],
        do="save",
    )
    assert "Suggested" not in page(admin)


def test_others_read_rules_with_the_reason_why_they_cannot_write_them(
    space: Space, rule: Rule
) -> None:  # G4
    viewer = member(space, "vi", "viewer")
    for address in ("", f"{rule.pk}/"):
        assert "Your role in this space does not allow this." in page(viewer, address)
    assert "<form" not in page(viewer).partition("<main")[2]
    for address in ("new/", f"{rule.pk}/delete/"):
        assert signed_in(viewer).get(URL + address).status_code == 403
    for address in ("", "move/", "switch/", "waiting/", "delete/"):
        assert signed_in(viewer).post(f"{URL}{rule.pk}/{address}").status_code == 403
    assert Rule.objects.get().is_active


def test_a_viewer_sees_nothing_private_beside_a_rule(space: Space, actor: Actor) -> None:  # D1
    rule = Rule.objects.create(space=space, name="r", kind="pending", choice="approve")
    said = "Ada's own number is 4711."
    made = doubt(actor, said, visibility="private")
    viewer = member(space, "vi", "viewer")
    assert "4711" not in page(viewer, f"{rule.pk}/")
    consider(made.pk)
    assert Decision.objects.get().rule == rule
    assert "4711" not in page(viewer, f"{rule.pk}/")


def test_another_spaces_rule_does_not_exist(admin: User, stranger: Actor) -> None:  # D1
    foreign = Rule.objects.create(
        space_id=stranger.space_id, name="theirs", kind="conflict", choice="keep_new"
    )
    assert "theirs" not in page(admin)
    assert signed_in(admin).get(f"{URL}{foreign.pk}/").status_code == 404
    assert signed_in(admin).post(f"{URL}{foreign.pk}/switch/", {"to": "off"}).status_code == 404


def test_text_of_a_memory_is_text(admin: User, rule: Rule, actor: Actor) -> None:  # G3
    conflict(actor, "The <b>backup</b> runs at 02:00.", "The <b>backup</b> runs at 04:30.")
    found = page(admin, f"{rule.pk}/")
    assert "<b>backup</b>" not in found
    assert "&lt;b&gt;backup&lt;/b&gt; runs at 04:30" in found
