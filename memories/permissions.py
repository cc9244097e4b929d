"""Who acts, what they may see, and what they may do — with the reason when they may not."""

import uuid
from dataclasses import dataclass, replace
from typing import Literal

from django.db.models import Q
from django.utils.translation import gettext as _

from memories.errors import NotAllowed
from memories.models.memory import Visibility
from memories.text.clean import storable

ActorKind = Literal["user", "agent", "system"]


@dataclass(frozen=True, slots=True)
class Actor:
    """Someone acting in one space: an agent's key, a person's membership, or the product itself.

    `user_id` is the end user an agent acts for ("" = none). `verbs` are "read", "write" (keep and
    change memories), "see_private" (every agent's private memories), "decide" and "administer".
    """

    kind: ActorKind
    id: uuid.UUID | None
    name: str
    space_id: uuid.UUID
    verbs: frozenset[str]
    user_id: str = ""

    def sight(self, prefix: str = "") -> Q:
        """The condition on memories (or on `prefix` of another table) that D1 stands on."""
        seen = Q(**{f"{prefix}space_id": self.space_id})
        if self.kind == "agent":
            seen &= Q(**{f"{prefix}user_id__in": {"", self.user_id}})
        if "see_private" in self.verbs:
            return seen
        shared = Q(**{f"{prefix}visibility": Visibility.SHARED})
        if self.kind == "agent":
            shared |= Q(**{f"{prefix}agent_id": self.id})
        return seen & shared

    def require(self, verb: str) -> None:
        """Raise NotAllowed, saying what is missing, unless this actor may do `verb`."""
        if verb not in self.verbs:
            raise NotAllowed(_missing(verb, self))

    def acting_for(self, user_id: str) -> "Actor":
        """The same agent on behalf of one end user; a bound agent stays with its own."""
        user_id = storable(user_id)[0]
        if not user_id or user_id == self.user_id:
            return self
        if self.kind == "agent" and self.user_id:
            raise NotAllowed(_("This key is bound to one user; leave user_id out."))
        return replace(self, user_id=user_id)


def _missing(verb: str, actor: Actor) -> str:
    if actor.kind == "agent":
        return _("This key lacks the scope “%(scope)s”. Ask a space admin for one that has it.") % {
            "scope": verb
        }
    return _("Your role in this space does not allow this. Ask a space admin for a higher one.")
