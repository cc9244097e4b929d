"""Why a memory was found, in one sentence for a person or a model."""

from collections.abc import Callable, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from memories.recall.ranking import Ranked

Arms = Mapping[str, float]
_NOTES: tuple[tuple[Callable[[Arms], bool], object], ...] = (
    (lambda arms: arms["time"] >= 0.5, gettext_lazy("from the time asked about")),
    (lambda arms: arms["session"] > 0, gettext_lazy("from this session")),
    (lambda arms: arms["context"] >= 0.5, gettext_lazy("said beside another good match")),
    (
        lambda arms: arms.get("graph", 0.0) >= 0.3,
        gettext_lazy("shares a rare word with a better match"),
    ),
    (
        lambda arms: arms["source"] * arms["confidence"] < 0.9,
        gettext_lazy("counts less, for little confidence or its source"),
    ),
    (
        lambda arms: arms["writer"] < 0.9,
        gettext_lazy("counts less, because people often found its writer wrong"),
    ),
    (lambda arms: arms["feedback"] >= 0.3, gettext_lazy("often found useful")),
    (
        lambda arms: arms["feedback"] <= -0.3,
        gettext_lazy("counts less, because several found it wrong"),
    ),
)


def explained(one: Ranked) -> str:
    """Return one sentence: what spoke for the memory, then what spoke against it (C4)."""
    arms = one.arms
    shares = {name: round(100 * arms.get(name, 0.0)) for name in ("semantic", "keyword")}
    if "semantic" in arms:
        reasons = [_("meaning %(semantic)d%%, words %(keyword)d%% of the best match") % shares]
    else:
        reasons = [_("words %(keyword)d%% of the best match") % shares]
    if "rerank" in arms:
        shares["rerank"] = round(100 * arms["rerank"])
        reasons += [_("read once more with the question: %(rerank)d%%") % shares]
    reasons += [str(note) for applies, note in _NOTES if applies(arms)]
    listed = pgettext("between reasons", "; ").join(reasons)
    return _("%(reasons)s.") % {"reasons": listed[:1].upper() + listed[1:]}
