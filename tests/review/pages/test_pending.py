"""A doubtful memory in the browser: one text, why it waits, and three decisions (G2, G3)."""

import pytest
from django.http import HttpResponse

from hindsight_site.accounts.models import User
from memories.lifecycle import update_memory
from memories.models import Flag, Space
from memories.permissions import Actor
from review.models import Decision
from tests.doubts import DOUBTED, SURE, doubt
from tests.people import conflict, member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
WHY = "The look back at a session was not sure of this: confidence 0.45, 0.60 is needed."


@pytest.fixture
def flag(actor: Actor) -> Flag:
    return doubt(actor, session="s-7")


def text_of(user: User, flag: Flag) -> str:
    return signed_in(user).get(f"/review/{flag.pk}/").content.decode()


def send(user: User, flag: Flag, choice: str, **more: str | int) -> HttpResponse:
    """Send the form as the page has it: the text is filled in, whatever is chosen."""
    form = {"choice": choice, "note": "", "content": DOUBTED, "versions": "1"} | more
    answer = signed_in(user).post(f"/review/{flag.pk}/decide/", form, follow=True)
    assert isinstance(answer, HttpResponse)
    return answer


def test_it_shows_one_text_and_why_it_waits(reviewer: User, flag: Flag) -> None:
    page = text_of(reviewer, flag)
    assert WHY in page
    assert page.count("<article") == 1
    assert f"{DOUBTED}</p>" in page
    assert "<ins>" not in page
    assert "<del>" not in page
    for word in ("LLM reasoning", "coder", "s-7", "0.45"):
        assert word in page


def test_it_offers_what_fits_a_doubt_and_nothing_else(reviewer: User, flag: Flag) -> None:
    page = text_of(reviewer, flag)
    for words in ("Approve", "Edit and approve", "Reject", "written to steer agents"):
        assert words in page
    assert "Keep old" not in page
    assert f"{DOUBTED}</textarea>" in page


def test_it_says_less_when_the_numbers_are_unknown(
    reviewer: User, actor: Actor, flag: Flag
) -> None:
    Flag.objects.update(scores={})
    assert "The look back at a session was not sure of this.</h1>" in text_of(reviewer, flag)
    Flag.objects.update(reason="new_reason")
    assert "This waits for a person&#x27;s word: new reason." in text_of(reviewer, flag)


@pytest.mark.parametrize(
    ("choice", "more", "status", "text", "told"),
    [
        ("approve", {}, "active", DOUBTED, "approved"),
        ("edit_approve", {"content": SURE}, "active", SURE, "edited and approved"),
        ("reject", {"reason": "trivial"}, "overturned", DOUBTED, "rejected"),
    ],
)
def test_it_carries_out_each_decision(
    reviewer: User,
    flag: Flag,
    choice: str,
    more: dict[str, str],
    status: str,
    text: str,
    told: str,
) -> None:
    page = send(reviewer, flag, choice, **more).content.decode()
    assert f"Decided: {told}." in page
    flag.refresh_from_db()
    assert (flag.memory.status, flag.memory.content) == (status, text)


def test_it_forgets_a_reason_that_was_chosen_before_approving(reviewer: User, flag: Flag) -> None:
    send(reviewer, flag, "approve", reason="wrong")
    decision = Decision.objects.get()
    assert (decision.choice, decision.reason, decision.content) == ("approve", "", "")


def test_it_asks_why_it_is_rejected_and_keeps_what_was_typed(reviewer: User, flag: Flag) -> None:
    page = send(reviewer, flag, "reject", note="see the log", content="My text")
    text = page.content.decode()
    assert page.status_code == 400
    assert "Say why you reject it." in text
    assert 'value="see the log"' in text
    assert "My text</textarea>" in text
    assert not Decision.objects.exists()


def test_it_shows_what_is_there_now_when_it_changed_meanwhile(
    reviewer: User, person: Actor, flag: Flag
) -> None:  # G3
    update_memory(actor=person, memory_id=flag.memory_id, expected_version=1, content=SURE)
    page = send(reviewer, flag, "edit_approve", content="My text")
    text = page.content.decode()
    assert page.status_code == 409
    assert "The memory was changed since you opened this page." in text
    assert "My text</textarea>" in text
    assert SURE in text
    assert 'name="versions" value="2"' in text


def test_it_takes_no_decision_of_another_kind(reviewer: User, flag: Flag) -> None:
    page = send(reviewer, flag, "keep_new")
    assert page.status_code == 400
    assert "keep_new is not one of the available choices" in page.content.decode()


def test_it_shows_what_was_decided_and_why(reviewer: User, flag: Flag) -> None:
    send(reviewer, flag, "reject", reason="private", note="health data")
    page = text_of(reviewer, flag)
    assert "too private to keep" in page
    assert "health data" in page
    assert 'class="decide"' not in page


def test_a_viewer_sees_it_and_why_they_may_not_decide(space: Space, flag: Flag) -> None:  # G4
    viewer = member(space, "vera", "viewer")
    assert "Your role in this space does not allow this." in text_of(viewer, flag)
    assert send(viewer, flag, "approve").status_code == 403


@pytest.mark.parametrize(
    ("query", "doubts", "conflicts"),
    [
        ("", True, True),
        ("kind=pending", True, False),
        ("kind=conflict", False, True),
        ("reason=low_confidence", True, False),
    ],
)
def test_the_queue_shows_it_with_its_kind(
    reviewer: User, actor: Actor, flag: Flag, query: str, doubts: bool, conflicts: bool
) -> None:
    conflict(actor)
    page = signed_in(reviewer).get(f"/review/?{query}").content.decode()
    assert (WHY in page, "low confidence · not sure enough" in page) == (doubts, doubts)
    assert ("<ins>MySQL</ins>" in page) is conflicts
