"""The page where a space wants two people (G4)."""

import pytest

from hindsight_site.accounts.models import User
from memories.lifecycle import update_memory
from memories.models import Flag, Policy, Space
from memories.permissions import Actor
from review.models import Decision
from tests.doubts import SURE, doubt
from tests.people import member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
ALONE = "You wrote this text: in this space somebody else has to approve it."


@pytest.fixture(autouse=True)
def _two_people(space: Space) -> None:
    Policy.objects.create(space=space, numbers={"review": {"two_people": True}})


@pytest.fixture
def written(actor: Actor, person: Actor) -> Flag:
    """A doubt whose text rui wrote anew."""
    flag = doubt(actor)
    update_memory(actor=person, memory_id=flag.memory_id, expected_version=1, content=SURE)
    return flag


def text_of(user: User, flag: Flag) -> str:
    return signed_in(user).get(f"/review/{flag.pk}/").content.decode()


def test_it_says_why_its_author_may_not_approve_it(reviewer: User, written: Flag) -> None:
    page = text_of(reviewer, written)
    assert page.count(ALONE) == 1
    assert 'value="approve" required data-key="a" disabled' in page
    assert 'value="reject" required data-key="r" data-then="id_reason_0" aria' in page


def test_it_lets_somebody_else_approve_it(space: Space, written: Flag) -> None:
    assert ALONE not in text_of(member(space, "ada"), written)


def test_it_says_that_a_text_waits_before_and_after(reviewer: User, actor: Actor) -> None:
    flag = doubt(actor)
    assert "Your text will wait for a second person." in text_of(reviewer, flag)
    form = {"choice": "edit_approve", "content": SURE, "versions": "1"}
    page = signed_in(reviewer).post(f"/review/{flag.pk}/decide/", form, follow=True)
    assert "Your text waits for a second person." in page.content.decode()
    assert not Decision.objects.exists()


def test_it_refuses_its_author_and_keeps_what_was_typed(reviewer: User, written: Flag) -> None:
    form = {"choice": "approve", "note": "my note", "versions": "2"}
    page = signed_in(reviewer).post(f"/review/{written.pk}/decide/", form)
    assert page.status_code == 403
    assert ALONE in page.content.decode()
    assert 'value="my note"' in page.content.decode()
