"""Keys: hashed, scoped, revocable; identity comes from the key alone."""

from datetime import timedelta

import pytest
from django.utils import timezone

from hindsight_site.accounts.models import User
from memories.identity import actor_for_key, actor_for_user, issue_key
from memories.models import Agent, AgentKey, Membership, Space

pytestmark = pytest.mark.django_db


def test_it_knows_an_agent_by_its_key(agent: Agent) -> None:
    _key, token = issue_key(agent)
    actor = actor_for_key(token)
    assert actor is not None
    assert (actor.kind, actor.id, actor.space_id) == ("agent", agent.pk, agent.space_id)
    assert actor.verbs == {"read", "write"}


def test_it_stores_no_key(agent: Agent) -> None:
    _key, token = issue_key(agent)
    stored = AgentKey.objects.values().get()
    assert token not in str(stored)
    assert stored["hint"] == token[:10]


@pytest.mark.parametrize("token", ["", "hs_", "hs_wrong", "Bearer x", "hs_\ud800", "hs_\x00"])
def test_it_knows_no_one_by_another_text(agent: Agent, token: str) -> None:
    issue_key(agent)
    assert actor_for_key(token) is None


def test_it_forgets_revoked_expired_and_inactive(agent: Agent) -> None:
    revoked, expired, inactive = (issue_key(agent) for _ in range(3))
    AgentKey.objects.filter(pk=revoked[0].pk).update(revoked_at=timezone.now())
    AgentKey.objects.filter(pk=expired[0].pk).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )
    assert actor_for_key(revoked[1]) is None
    assert actor_for_key(expired[1]) is None
    assert actor_for_key(inactive[1]) is not None
    Agent.objects.update(is_active=False)
    assert actor_for_key(inactive[1]) is None


def test_it_gives_an_agent_only_its_keys_scopes(agent: Agent) -> None:
    actor = actor_for_key(issue_key(agent, scopes=["read"])[1])
    assert actor is not None
    assert actor.verbs == {"read"}


@pytest.mark.parametrize(
    ("role", "decides", "sees_private"),
    [("viewer", False, False), ("reviewer", True, True), ("admin", True, True)],
)
def test_it_gives_a_person_the_verbs_of_the_role(
    space: Space, role: str, decides: bool, sees_private: bool
) -> None:  # G4
    user = User.objects.create_user("u")
    Membership.objects.create(space=space, user=user, role=role)
    actor = actor_for_user(user)
    assert actor is not None
    assert ("decide" in actor.verbs, "see_private" in actor.verbs) == (decides, sees_private)


def test_a_person_without_membership_is_no_actor(space: Space) -> None:
    assert actor_for_user(User.objects.create_user("u")) is None
    assert actor_for_user(User.objects.create_superuser("root"), space.pk) is None
