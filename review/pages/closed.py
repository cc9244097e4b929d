"""How a review item was closed, in words."""

from django.utils.translation import gettext_lazy as _

from review.kinds import done

# What closes an item without a decision.
_BY_ITSELF = {
    "withdrawn": _("withdrawn, because a memory it was about is gone"),
    "settled_itself": _("closed by itself: after a change the two agree"),
}


def closed(resolution: str, kind: str = "") -> str:
    """Return how an item of a kind was closed; an unknown code stays readable."""
    return str(_BY_ITSELF.get(resolution) or done(resolution, kind))
