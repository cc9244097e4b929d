"""Who calls: an agent by its key, a person by session or token; and in which space they act."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from memories.errors import Invalid, NotAllowed, NotFound
from memories.identity import actor_for_key, actor_for_user
from memories.models.space import Space
from memories.permissions import Actor

SCHEME = "Bearer"


@dataclass(frozen=True, slots=True)
class KeyHolder:
    """What Django REST framework knows as the user when an agent's key was shown."""

    actor: Actor
    is_authenticated: bool = True


class AgentKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer hs_…`. Any other scheme is left to the next authentication."""

    def authenticate(self, request: Request) -> tuple[KeyHolder, Actor] | None:
        """Return who holds the key, None without one; raise AuthenticationFailed for a bad one."""
        scheme, _space, token = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != SCHEME.lower():
            return None
        actor = actor_for_key(token.strip())
        if actor is None:
            raise AuthenticationFailed(
                _("This key is unknown, revoked or expired. Ask a space admin for a new one.")
            )
        return KeyHolder(actor), actor

    def authenticate_header(self, request: Request) -> str:
        """Return what a 401 asks for."""
        return SCHEME


class AgentKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the OpenAPI document describes an agent's key."""

    target_class = AgentKeyAuthentication
    name = "agentKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Return the OpenAPI security scheme."""
        return {"type": "http", "scheme": "bearer", "description": "An agent's key, hs_…"}


def actor_of(request: Request) -> Actor:
    """Return who acts, and where: an agent in its space, a person in the one they name.

    Raises NotAllowed for a person without a space, NotFound for a space they are not in, Invalid
    when they are in several and name none.
    """
    slug = request.query_params.get("space") or request.headers.get("X-Space", "")
    if isinstance(request.auth, Actor):
        return _agent_in(request.auth, slug)
    person: Any = request.user
    spaces = list(Space.objects.filter(memberships__user=person).only("slug"))
    if not spaces:
        raise NotAllowed(_("You are not a member of any space. Ask a space admin to add you."))
    chosen = [space for space in spaces if space.slug == slug] if slug else spaces
    if not chosen:
        raise _no_such_space()
    if len(chosen) > 1:
        raise Invalid(
            _("Say which space you mean with ?space= or the header X-Space: %(spaces)s.")
            % {"spaces": ", ".join(space.slug for space in chosen)},
            field="space",
        )
    actor = actor_for_user(person, chosen[0].pk)
    if actor is None:  # the membership ended between the two questions
        raise _no_such_space()
    return actor


def _agent_in(actor: Actor, slug: str) -> Actor:
    """A key belongs to one space; naming another one is a mistake worth telling."""
    if slug and not any(
        space.slug == slug for space in Space.objects.filter(pk=actor.space_id).only("slug")
    ):
        raise _no_such_space()
    return actor


def _no_such_space() -> NotFound:
    return NotFound(_("You are in no space of that name."), field="space")
