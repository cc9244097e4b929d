"""From a key or a signed-in person to an Actor. The only place where keys are read."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from memories.models.agent import Agent, AgentKey
from memories.models.space import Membership
from memories.permissions import Actor

PREFIX = "hs_"
_AGENT_VERBS = {"read": frozenset({"read"}), "write": frozenset({"write"})}
ROLE_VERBS = {
    Membership.Role.VIEWER: frozenset({"read"}),
    Membership.Role.REVIEWER: frozenset({"read", "write", "see_private", "decide"}),
    Membership.Role.ADMIN: frozenset({"read", "write", "see_private", "decide", "administer"}),
}


def issue_key(
    agent: Agent,
    *,
    scopes: Iterable[str] = ("read", "write"),
    expires_at: datetime | None = None,
) -> tuple[AgentKey, str]:
    """Make a key for an agent. The returned text is shown once and never stored."""
    token = PREFIX + secrets.token_urlsafe(32)
    key = AgentKey.objects.create(
        agent=agent,
        digest=_digest(token),
        hint=token[:10],
        scopes=sorted(set(scopes)),
        expires_at=expires_at,
    )
    return key, token


def actor_for_key(token: str) -> Actor | None:
    """Return the agent that holds this key, or None when it is unknown, revoked or expired."""
    if not token.startswith(PREFIX):
        return None
    key = (
        AgentKey.objects.select_related("agent")
        .filter(digest=_digest(token), revoked_at__isnull=True, agent__is_active=True)
        .filter(Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now()))
        .first()
    )
    if key is None:
        return None
    return agent_actor(key.agent, scopes=key.scopes)


def agent_actor(agent: Agent, *, scopes: Iterable[str] = AgentKey.Scope.values) -> Actor:
    """Return an agent as the actor that a key with these scopes makes it."""
    verbs = frozenset[str]().union(*(_AGENT_VERBS[scope] for scope in scopes))
    return Actor("agent", agent.pk, agent.name, agent.space_id, verbs, agent.user_id)


def actor_for_user(user: Any, space_id: UUID | None = None) -> Actor | None:
    """Return a person acting in a space (by default the first of theirs), or None without one."""
    memberships = Membership.objects.filter(user=user).order_by("space__name", "space_id")
    if space_id is not None:
        memberships = memberships.filter(space_id=space_id)
    membership = memberships.first()
    if membership is None:
        return None
    verbs = ROLE_VERBS[Membership.Role(membership.role)]
    return Actor("user", user.pk, user.get_username(), membership.space_id, verbs)


def system_actor(space_id: UUID, name: str = "system") -> Actor:
    """Return the product itself, acting in one space: jobs and commands."""
    return Actor("system", None, name, space_id, frozenset({"read", "write", "see_private"}))


def operator_actor(space_id: UUID) -> Actor:
    """Return whoever runs a command on the server, with an admin's rights in one space."""
    return Actor("system", None, "command", space_id, ROLE_VERBS[Membership.Role.ADMIN])


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
