"""The operator's back room offers nothing that the append-only history refuses (E1)."""

import pytest
from django.contrib import admin
from django.test import Client, RequestFactory
from rest_framework.authtoken.models import Token

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


# --- Moving ---------------------------------------------------------------------------------------
def test_an_agent_stays_in_its_space(
    client: Client, space: Space, agent: Agent, memory: Memory
) -> None:  # D1: its private memories and its keys would go with it
    far = Space.objects.create(slug="far", name="Far")
    form = {"space": far.pk, "name": "renamed", "profile": "chat", "is_active": "on"}
    answer = client.post(f"/admin/memories/agent/{agent.pk}/change/", form)
    assert answer.status_code == 302
    agent.refresh_from_db()
    assert (agent.space, agent.name) == (space, "renamed")
    assert Memory.objects.get(pk=memory.pk).space == space


def test_a_new_agent_gets_a_space(client: Client, space: Space) -> None:
    form = {"space": space.pk, "name": "newcomer", "profile": "chat", "is_active": "on"}
    assert client.post("/admin/memories/agent/add/", form).status_code == 302
    assert Agent.objects.get(name="newcomer").space == space


def test_a_key_stays_with_its_agent(client: Client, agent: Agent, teammate: Actor) -> None:
    key, secret = issue_key(agent)
    there = f"/admin/memories/agentkey/{key.pk}/change/"
    form = {"agent": teammate.id, "scopes": "read", "expires_at_0": "", "expires_at_1": ""}
    assert client.post(there, form).status_code == 302
    holder = actor_for_key(secret)
    assert holder is not None
    assert (holder.id, holder.verbs) == (agent.pk, frozenset({"read", "write"}))


def test_a_membership_stays_in_its_space(client: Client, space: Space, reviewer: User) -> None:
    far = Space.objects.create(slug="far", name="Far")
    member = reviewer.memberships.get()
    rows = {
        "memberships-TOTAL_FORMS": 1,
        "memberships-INITIAL_FORMS": 1,
        "memberships-0-id": member.pk,
        "memberships-0-user": reviewer.pk,
        "memberships-0-role": "admin",
    }
    for owner, named in ((far, far), (space, far)):
        form = {"name": owner.name, "slug": owner.slug} | rows
        form["memberships-0-space"] = named.pk
        client.post(f"/admin/memories/space/{owner.pk}/change/", form)
    member.refresh_from_db()
    assert (member.space, member.role) == (space, "reviewer")
    form = {"name": space.name, "slug": space.slug, **rows, "memberships-0-space": space.pk}
    client.post(f"/admin/memories/space/{space.pk}/change/", form)
    member.refresh_from_db()
    assert member.role == "admin"  # so that it was no other fault that kept it where it is


def test_a_persons_token_stays_with_them(client: Client, reviewer: User) -> None:
    token = Token.objects.create(user=reviewer)
    other = User.objects.create_user("nia", password="look-back-1")
    client.post(f"/admin/authtoken/tokenproxy/{reviewer.pk}/change/", {"user": other.pk})
    assert Token.objects.get(key=token.key).user == reviewer
    assert client.post("/admin/authtoken/tokenproxy/add/", {"user": other.pk}).status_code == 302
    assert Token.objects.filter(user=other).exists()


def test_nothing_that_exists_can_be_moved(rf: RequestFactory, client: Client) -> None:
    """No form of the back room offers another space, agent or owner for a row that is there."""
    request = rf.get("/admin/")
    request.user = User.objects.get(username="olga")
    movable = {
        (model.__name__, field.name)
        for model, form in admin.site._registry.items()
        if form.has_change_permission(request)
        for field in model._meta.fields
        if field.related_model in {Space, Agent, User}
        and field.name not in form.get_readonly_fields(request, model())
    }
    assert movable == set()
