"""The gate: which drafts may become memories at all, and how far they are believed."""

from django.utils.translation import gettext as _

from memories.errors import Invalid, NotAllowed, Refused
from memories.models.memory import Source, Visibility
from memories.permissions import Actor
from memories.policies import WritingPolicy, believed
from memories.writing.draft import Draft


def admit(draft: Draft, actor: Actor, policy: WritingPolicy) -> float:
    """Return the confidence a draft is stored with, or raise why it is not stored."""
    if draft.source == Source.PERSON and actor.kind != "user":
        raise NotAllowed(_("Only a person can write as the source “person”."), field="source")
    if draft.visibility == Visibility.PRIVATE and actor.kind != "agent":
        raise Invalid(_("Only an agent has private memories."), field="visibility")
    confidence = believed(draft.source, draft.claimed, policy)
    if confidence < policy.refuse_below:
        raise Refused(
            _(
                "Confidence %(have).2f is under %(least).2f, so this was not stored. "
                "Verify it first, or name the source it came from."
            )
            % {"have": confidence, "least": policy.refuse_below},
            field="confidence",
        )
    return confidence
