"""The operator's back room offers nothing that the append-only history refuses (E1)."""

import pytest
from django.test import Client

from hindsight_site.accounts.models import User
from memories.identity import actor_for_key, issue_key
from memories.lifecycle import give_feedback
from memories.models import Agent, Flag, Membership, Memory, Policy, Space
from memories.permissions import Actor
from review.decisions import decide
from tests.memories.recall.helpers import jot
from tests.people import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return signed_in(User.objects.create_superuser("olga", password="look-back-1"))


@pytest.fixture
def memory(actor: Actor) -> Memory:
    """Private, so that without its agent nobody would be left who may read it."""
    return jot(actor, "Tea at four.", visibility="private")


@pytest.fixture
def policy(space: Space) -> Policy:
    return Policy.objects.create(space=space, version=1, numbers={})


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("space", "A space cannot be deleted"),
        ("agent", "An agent cannot be deleted"),
        ("policy", "none is deleted"),
    ],
)
def test_it_offers_no_deletion_of_what_history_is_about(
    client: Client,
    space: Space,
    agent: Agent,
    policy: Policy,
    memory: Memory,
    named: str,
    words: str,
) -> None:
    row = {"space": space, "agent": agent, "policy": policy}[named]
    there = f"/admin/memories/{named}/"
    page = client.get(f"{there}{row.pk}/change/").content.decode()
    assert words in page
    assert "/delete/" not in page
    assert "delete_selected" not in client.get(there).content.decode()
    assert client.post(f"{there}{row.pk}/delete/", {"post": "yes"}).status_code == 403
    client.post(there, {"action": "delete_selected", "_selected_action": row.pk, "post": "yes"})
    row.refresh_from_db()


def test_an_agent_that_is_not_active_is_locked_out(
    client: Client, space: Space, agent: Agent, memory: Memory
) -> None:
    key = issue_key(agent)[1]
    form = {"space": space.pk, "name": agent.name, "profile": "chat"}
    answer = client.post(f"/admin/memories/agent/{agent.pk}/change/", form)
    assert answer.status_code == 302
    assert actor_for_key(key) is None
    assert Memory.objects.get(pk=memory.pk).agent == agent


def test_a_person_can_be_deleted_and_their_decisions_stay(
    client: Client, reviewer: User, person: Actor, actor: Actor
) -> None:
    memory = jot(actor, "Tea at four.")
    give_feedback(actor=actor, memory_id=memory.pk, verdict="wrong")
    flag = Flag.objects.get()
    decide(actor=person, flag_id=flag.pk, choice="keep", expected_versions=(1,))
    there = f"/admin/accounts/user/{reviewer.pk}/delete/"
    assert client.post(there, {"post": "yes"}).status_code == 302
    assert not Membership.objects.exists()
    assert flag.decisions.get().user_name == "rui"
