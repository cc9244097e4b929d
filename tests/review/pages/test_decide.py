"""Deciding in the browser (G3)."""

import uuid

import pytest
from django.http import HttpResponse

from hindsight_site.accounts.models import User
from memories.lifecycle import update_memory
from memories.models import Flag, Memory, Space
from memories.permissions import Actor
from review.claims import claim
from review.models import Decision
from tests.people import conflict, decision, member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def flag(actor: Actor) -> Flag:
    return conflict(actor)


def send(user: User, flag: Flag, choice: str = "keep_new", **more: str | int) -> HttpResponse:
    client = signed_in(user)
    answer = client.post(f"/review/{flag.pk}/decide/", decision(choice, **more), follow=True)
    assert isinstance(answer, HttpResponse)
    return answer


@pytest.mark.parametrize(
    ("choice", "more", "new", "old"),
    [
        ("keep_new", {}, "active", "superseded"),
        ("keep_old", {"note": "seen in the console"}, "overturned", "active"),
        ("both_true", {"note": "MySQL only in staging"}, "active", "active"),
        ("merge", {"content": "Billing moved from PostgreSQL to MySQL."}, "active", "superseded"),
    ],
)
def test_it_carries_out_each_decision(
    reviewer: User, flag: Flag, choice: str, more: dict[str, str], new: str, old: str
) -> None:
    send(reviewer, flag, choice, **more)
    settled = Flag.objects.select_related("memory", "counterpart").get(pk=flag.pk)
    assert settled.counterpart is not None
    assert (settled.memory.status, settled.counterpart.status) == (new, old)


def test_it_goes_on_to_the_next_item_and_says_what_was_done(reviewer: User, actor: Actor) -> None:
    older = conflict(actor, "Backups run at 02:00.", "Backups run at 04:30.")
    newer = conflict(actor)
    page = send(reviewer, newer)
    assert page.redirect_chain == [(f"/review/{older.pk}/", 302)]  # type: ignore[attr-defined]
    assert "Decided: the new one is kept." in page.content.decode()
    assert f'href="/review/{newer.pk}/"' in page.content.decode()


def test_it_goes_back_to_the_queue_after_the_last(reviewer: User, flag: Flag) -> None:
    assert "Nothing to decide" in send(reviewer, flag).content.decode()


def test_it_skips_what_someone_else_looks_at(reviewer: User, space: Space, actor: Actor) -> None:
    other = conflict(actor, "Backups run at 02:00.", "Backups run at 04:30.")
    signed_in(member(space, "ada")).get(f"/review/{other.pk}/")
    page = send(reviewer, conflict(actor))
    assert page.redirect_chain == [("/review/", 302)]  # type: ignore[attr-defined]


def test_it_keeps_the_filter_on_the_way(reviewer: User, flag: Flag) -> None:
    url = f"/review/{flag.pk}/decide/?reason=value_replaced"
    answer = signed_in(reviewer).post(url, decision())
    assert answer["Location"] == "/review/?reason=value_replaced"


def test_it_asks_when_or_where_both_are_true(reviewer: User, flag: Flag) -> None:
    page = send(reviewer, flag, "both_true")
    assert page.status_code == 400
    assert "Say when or where each of the two is true." in page.content.decode()
    assert not Decision.objects.exists()


def test_it_asks_for_a_choice(reviewer: User, flag: Flag) -> None:
    assert "Choose one of the decisions." in send(reviewer, flag, "").content.decode()


def test_it_keeps_what_was_typed_when_a_memory_changed_meanwhile(
    reviewer: User, person: Actor, flag: Flag
) -> None:
    update_memory(
        actor=person,
        memory_id=flag.memory_id,
        expected_version=1,
        content="The billing service uses MySQL 9.",
    )
    page = send(reviewer, flag, "merge", content="My own merge", note="my own note")
    text = page.content.decode()
    assert page.status_code == 409
    assert "A memory was changed since you opened this page." in text
    assert "My own merge</textarea>" in text
    assert 'value="my own note"' in text
    assert "What changed since you opened this page" in text
    assert "version 1 → 2" in text
    assert text.count("<ins> 9</ins>") == 1  # from what was seen to what it says now
    assert "<ins>MySQL 9</ins>" in text  # the new difference of the two
    assert 'name="versions" value="2 1"' in text
    assert Memory.objects.get(pk=flag.memory_id).version == 2


def test_it_keeps_what_was_typed_when_someone_decided_meanwhile(
    reviewer: User, space: Space, flag: Flag
) -> None:
    send(member(space, "ada"), flag, "keep_old")
    page = send(reviewer, flag, "merge", content="My own merge", note="my own note")
    assert page.status_code == 409
    assert "ada decided this meanwhile: the old one is kept." in page.content.decode()
    assert "My own merge" in page.content.decode()
    assert "ada" in page.content.decode()
    assert Decision.objects.get().choice == "keep_old"


def test_it_does_not_let_two_decide_at_once(reviewer: User, space: Space, flag: Flag) -> None:
    signed_in(member(space, "ada")).get(f"/review/{flag.pk}/")
    page = send(reviewer, flag, note="mine")
    assert page.status_code == 409
    assert "ada is looking at this." in page.content.decode()
    assert 'value="mine"' in page.content.decode()


def test_it_counts_the_same_decision_of_two_people_as_one(
    reviewer: User, space: Space, flag: Flag
) -> None:
    send(member(space, "ada"), flag)
    page = send(reviewer, flag)
    assert "Decided: the new one is kept." in page.content.decode()
    assert Decision.objects.get().user_name == "ada"


def test_it_says_what_changed_when_only_the_status_did(
    reviewer: User, person: Actor, flag: Flag
) -> None:
    assert flag.counterpart_id is not None
    update_memory(
        actor=person, memory_id=flag.counterpart_id, expected_version=1, reflection="As of May."
    )
    text = send(reviewer, flag).content.decode()
    assert "<ins>As of May.</ins>" in text
    assert 'name="versions" value="1 2"' in text


@pytest.mark.parametrize("versions", ["", "1 x", "0 1", "1,1"])
def test_it_takes_no_form_without_its_versions(reviewer: User, flag: Flag, versions: str) -> None:
    page = send(reviewer, flag, versions=versions)
    assert page.status_code == 400
    assert "The page was sent without its versions: open it again." in page.content.decode()
    assert not Decision.objects.exists()


def test_it_leads_to_everything_else_from_a_rejected_source(reviewer: User, actor: Actor) -> None:
    flag = conflict(actor, session="s 7")
    page = send(reviewer, flag, "reject", reason="wrong").content.decode()
    assert 'href="/memories/?status=any&amp;session=s%207&amp;agent=coder"' in page
    assert 'href="/memories/?status=any&amp;agent=coder"' in page


def test_it_refuses_a_viewer(space: Space, flag: Flag) -> None:  # G4
    page = send(member(space, "vera", "viewer"), flag)
    assert page.status_code == 403
    assert "Ask a space admin for a higher one." in page.content.decode()
    assert not Decision.objects.exists()


def test_it_refuses_a_foreign_id_like_a_missing_one(flag: Flag) -> None:  # D1
    stranger = signed_in(member(Space.objects.create(slug="other", name="Other"), "sten"))
    answers = [
        stranger.post(f"/review/{key}/decide/", decision()) for key in (flag.pk, uuid.uuid4())
    ]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content


def test_it_shows_what_was_decided(reviewer: User, flag: Flag) -> None:
    send(reviewer, flag, "keep_old", note="seen in the console")
    page = signed_in(reviewer).get(f"/review/{flag.pk}/").content.decode()
    assert "the old one is kept" in page
    assert "seen in the console" in page
    assert 'class="decide"' not in page


def test_it_takes_no_decision_by_link(reviewer: User, flag: Flag) -> None:
    client = signed_in(reviewer)
    for action in ("decide", "take-over", "skip", "snooze", "wake", "assign", "comment"):
        answer = client.get(f"/review/{flag.pk}/{action}/", {"choice": "keep_new"})
        assert answer["Location"] == f"/review/{flag.pk}/"
    assert not Decision.objects.exists()


def test_it_releases_the_claim_with_the_decision(reviewer: User, person: Actor, flag: Flag) -> None:
    claim(actor=person, flag=flag)
    send(reviewer, flag)
    flag.refresh_from_db()
    assert not hasattr(Flag.objects.get(pk=flag.pk), "claim")
