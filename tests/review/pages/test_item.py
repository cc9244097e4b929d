"""One flag's page: what a person sees before deciding (G2), and what they may do (G4)."""

import uuid

import pytest

from hindsight_site.accounts.models import User
from memories.lifecycle import update_memory
from memories.models import Flag, Space
from memories.permissions import Actor
from review.models import Claim
from tests.people import NEW, OLD, conflict, member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def flag(actor: Actor) -> Flag:
    return conflict(actor, session="s-7")


def text_of(user: User, flag: Flag) -> str:
    return signed_in(user).get(f"/review/{flag.pk}/").content.decode()


def test_it_shows_both_texts_with_their_difference(reviewer: User, flag: Flag) -> None:
    page = text_of(reviewer, flag)
    assert "The billing service uses <del>PostgreSQL</del>." in page
    assert "The billing service uses <ins>MySQL</ins>." in page


def test_it_shows_the_evidence(reviewer: User, flag: Flag) -> None:
    page = text_of(reviewer, flag)
    for word in ("tool result", "user input", "coder", "s-7", "0 times", "1 version", "0.80"):
        assert word in page


def test_it_says_what_each_decision_will_do(reviewer: User, flag: Flag) -> None:
    page = text_of(reviewer, flag)
    assert "The old one is superseded: agents no longer recall it." in page
    assert "The new one is overturned and keeps a link to the old one." in page


def test_it_starts_a_merge_with_both_texts(reviewer: User, flag: Flag) -> None:
    assert f"{NEW}\n{OLD}</textarea>" in text_of(reviewer, flag)


def test_it_escapes_what_agents_wrote(reviewer: User, actor: Actor) -> None:
    evil = "<script>alert(1)</script> uses "
    page = text_of(reviewer, conflict(actor, f"{evil}PostgreSQL.", f"{evil}MySQL."))
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_it_spells_out_invisible_characters(reviewer: User, actor: Actor) -> None:
    flag = conflict(actor, OLD, "The billing service\u202e uses MySQL.")
    page = text_of(reviewer, flag)
    assert '<span class="invisible">⟦U+202E⟧</span>' in page


def test_it_says_since_when_the_comparison_holds(reviewer: User, person: Actor, flag: Flag) -> None:
    update_memory(
        actor=person,
        memory_id=flag.memory_id,
        expected_version=1,
        content="The billing service uses MySQL 9.",
    )
    assert "compared again after version 2" in text_of(reviewer, flag)


def test_it_claims_what_is_opened(reviewer: User, flag: Flag) -> None:
    text_of(reviewer, flag)
    assert Claim.objects.get(flag=flag).user == reviewer


def test_it_tells_the_next_person_and_lets_them_take_over(
    reviewer: User, space: Space, flag: Flag
) -> None:
    text_of(reviewer, flag)
    ada = member(space, "ada")
    page = text_of(ada, flag)
    assert "rui is looking at this until" in page
    assert "disabled" in page
    signed_in(ada).post(f"/review/{flag.pk}/take-over/")
    assert Claim.objects.get(flag=flag).user == ada
    assert "looking at this" not in text_of(ada, flag)


def test_it_lets_a_viewer_look_but_not_decide(space: Space, flag: Flag) -> None:  # G4
    viewer = member(space, "vera", "viewer")
    page = text_of(viewer, flag)
    assert "Your role in this space does not allow this." in page
    assert '<fieldset class="choices" disabled' in page
    assert not Claim.objects.exists()


def test_it_refuses_a_viewer_to_take_over(space: Space, flag: Flag) -> None:  # G4
    viewer = signed_in(member(space, "vera", "viewer"))
    assert viewer.post(f"/review/{flag.pk}/take-over/").status_code == 403


def test_it_answers_a_foreign_id_like_a_missing_one(flag: Flag) -> None:  # D1
    stranger = signed_in(member(Space.objects.create(slug="other", name="Other"), "sten"))
    foreign = stranger.get(f"/review/{flag.pk}/")
    missing = stranger.get(f"/review/{uuid.uuid4()}/")
    assert foreign.status_code == missing.status_code == 404
    assert foreign.content == missing.content
    assert stranger.post(f"/review/{flag.pk}/decide/").status_code in (403, 404)
