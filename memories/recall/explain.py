"""Why a memory was found, in one sentence for a person or a model."""

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from memories.recall.ranking import Ranked


def explained(one: Ranked) -> str:
    """Return one sentence: what spoke for the memory, then what spoke against it (C4)."""
    arms = one.arms
    shares = {name: round(100 * arms.get(name, 0.0)) for name in ("semantic", "keyword")}
    if "semantic" in arms:
        reasons = [_("meaning %(semantic)d%%, words %(keyword)d%% of the best match") % shares]
    else:
        reasons = [_("words %(keyword)d%% of the best match") % shares]
    notes = (
        (arms["time"] >= 0.5, _("from the time asked about")),
        (arms["session"] > 0, _("from this session")),
        (arms["context"] >= 0.5, _("said beside another good match")),
        (arms.get("graph", 0.0) >= 0.3, _("shares a rare name with a better match")),
        (arms["trust"] < 0.9, _("counts less, for little confidence or its source")),
        (arms["writer"] < 0.9, _("counts less, because people often found its writer wrong")),
    )
    reasons += [note for applies, note in notes if applies]
    listed = pgettext("between reasons", "; ").join(reasons)
    return _("%(reasons)s.") % {"reasons": listed[:1].upper() + listed[1:]}
