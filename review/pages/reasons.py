"""Why a flag was opened, in words: short for a list, a full sentence for the decision."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories.models.flag import Flag

# A line per reason code of memories.writing.compare and of the distillation's gate:
# (short, sentence, sentence with values).
_REASONS = {
    "value_replaced": (
        gettext_lazy("another value"),
        gettext_lazy("The new one gives another value than the old one."),
        gettext_lazy("The new one says “%(new)s” where the old one says “%(old)s”."),
    ),
    "number": (
        gettext_lazy("another number"),
        gettext_lazy("The two give different numbers for the same thing."),
        gettext_lazy("The two give different numbers: “%(old)s” before, “%(new)s” now."),
    ),
    "version": (
        gettext_lazy("another version"),
        gettext_lazy("The two name different versions of the same thing."),
        gettext_lazy("The two name different versions: “%(old)s” before, “%(new)s” now."),
    ),
    "date": (
        gettext_lazy("another date"),
        gettext_lazy("The two give different dates for the same thing."),
        gettext_lazy("The two give different dates: “%(old)s” before, “%(new)s” now."),
    ),
    "time": (
        gettext_lazy("another time"),
        gettext_lazy("The two give different times for the same thing."),
        gettext_lazy("The two give different times: “%(old)s” before, “%(new)s” now."),
    ),
    "place": (
        gettext_lazy("another place"),
        gettext_lazy("The two name different places for the same thing."),
        gettext_lazy("The two name different places: “%(old)s” before, “%(new)s” now."),
    ),
    "antonym": (
        gettext_lazy("the opposite"),
        gettext_lazy("The two say the opposite of each other."),
        gettext_lazy("The two say the opposite: “%(old)s” before, “%(new)s” now."),
    ),
    "negation": (
        gettext_lazy("one denies the other"),
        gettext_lazy("One of the two denies what the other says."),
        gettext_lazy("One of the two denies what the other says: “%(old)s” against “%(new)s”."),
    ),
    "low_confidence": (
        gettext_lazy("not sure enough"),
        gettext_lazy("The look back at a session was not sure of this."),
        gettext_lazy(
            "The look back at a session was not sure of this: confidence %(have)s, "
            "%(needed)s is needed."
        ),
    ),
    "same_subject": (
        gettext_lazy("same subject, different words"),
        gettext_lazy("Both speak of the same subject and say different things."),
        gettext_lazy("Both speak of the same subject: “%(old)s” before, “%(new)s” now."),
    ),
}
REASON_CHOICES = [(code, words[0]) for code, words in _REASONS.items()]


def short_reason(flag: Flag) -> str:
    """Return the reason in two or three words; an unknown code stays readable."""
    known = _REASONS.get(flag.reason)
    return str(known[0]) if known else flag.reason.replace("_", " ")


def reason_sentence(flag: Flag) -> str:
    """Return the reason as a sentence, with its values when they are known."""
    known = _REASONS.get(flag.reason)
    if known is None:
        return _unknown(flag)
    values = _doubt(flag) if flag.kind == Flag.Kind.PENDING else _difference(flag)
    return str(known[2]) % values if values else str(known[1])


def _unknown(flag: Flag) -> str:
    why = flag.evidence.get("detail") or short_reason(flag)
    if flag.kind == Flag.Kind.PENDING:
        return _("This waits for a person's word: %(why)s.") % {"why": why}
    return _("The two do not agree: %(why)s.") % {"why": why}


def _difference(flag: Flag) -> dict[str, str]:
    """Return the two values that differ."""
    old, arrow, new = str(flag.evidence.get("detail", "")).partition(" → ")
    return {"old": old, "new": new} if arrow else {}


def _doubt(flag: Flag) -> dict[str, str]:
    """Return the confidence there is and the confidence that was needed."""
    have, needed = flag.scores.get("confidence"), flag.scores.get("store_from")
    if have is None or needed is None:
        return {}
    return {"have": f"{have:.2f}", "needed": f"{needed:.2f}"}
