"""Where two people are wanted, nobody is alone the author and the judge of a text (G4)."""

from typing import Any

import pytest

from memories.errors import NotAllowed, Stale
from memories.identity import actor_for_user
from memories.lifecycle import update_memory
from memories.models import Flag, Memory, Policy, Space
from memories.permissions import Actor
from review.decisions import decide
from review.models import Decision
from tests.doubts import doubt
from tests.people import conflict, member

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
TEXT = "The billing service uses MySQL 8 since the move."


@pytest.fixture(autouse=True)
def _two_people(space: Space) -> None:
    Policy.objects.create(space=space, numbers={"review": {"two_people": True}})


@pytest.fixture
def ada(space: Space) -> Actor:
    found = actor_for_user(member(space, "ada"))
    assert found is not None
    return found


def said(who: Actor, flag: Flag, choice: str, *versions: int, **more: Any) -> Flag:
    return decide(
        actor=who, flag_id=flag.pk, choice=choice, expected_versions=versions, **more
    ).flag


@pytest.fixture
def proposed(person: Actor, actor: Actor) -> Flag:
    """A conflict for which rui wrote a text."""
    return said(person, conflict(actor), "merge", 1, 1, content=TEXT)


def test_a_persons_text_waits_for_somebody_else(proposed: Flag) -> None:
    assert (proposed.status, proposed.memory.content) == ("open", TEXT)
    assert (proposed.memory.status, proposed.memory.version) == ("pending", 2)
    assert not Decision.objects.exists()


def test_its_author_cannot_approve_it(person: Actor, proposed: Flag) -> None:
    with pytest.raises(NotAllowed, match="somebody else"):
        said(person, proposed, "keep_new", 2, 1)


def test_its_author_can_reject_it(person: Actor, proposed: Flag) -> None:
    assert said(person, proposed, "reject", 2, 1, reason="wrong").status == "resolved"


def test_somebody_else_approves_it(ada: Actor, proposed: Flag) -> None:
    assert said(ada, proposed, "keep_new", 2, 1).status == "resolved"
    assert Memory.objects.get(content=TEXT).status == "active"


def test_somebody_elses_text_waits_in_turn(person: Actor, ada: Actor, proposed: Flag) -> None:
    said(ada, proposed, "merge", 2, 1, content="The billing service uses MySQL 8.4.")
    with pytest.raises(NotAllowed, match="somebody else"):
        said(ada, proposed, "keep_new", 3, 1)
    assert said(person, proposed, "keep_new", 3, 1).status == "resolved"


def test_a_text_that_was_changed_on_its_page_is_its_authors_too(
    person: Actor, actor: Actor
) -> None:
    flag = doubt(actor)
    update_memory(actor=person, memory_id=flag.memory_id, expected_version=1, content=TEXT)
    with pytest.raises(NotAllowed, match="somebody else"):
        said(person, flag, "approve", 2)


def test_an_agents_text_needs_one_person(person: Actor, actor: Actor) -> None:
    assert said(person, doubt(actor), "approve", 1).status == "resolved"


def test_a_proposal_on_another_text_than_was_seen_is_refused(
    person: Actor, ada: Actor, proposed: Flag
) -> None:
    with pytest.raises(Stale):
        said(ada, proposed, "merge", 1, 1, content="The billing service uses SQLite.")
    assert Memory.objects.get(pk=proposed.memory_id).content == TEXT
