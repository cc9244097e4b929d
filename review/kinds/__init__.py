"""The kinds of review items, a module each; a new module here is found by itself."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from django.utils.text import capfirst

from memories.models.flag import Flag
from review.kinds.base import Kind, Offer, Reason, Words

__all__ = [
    "KINDS",
    "Kind",
    "Offer",
    "Reason",
    "Words",
    "done",
    "kind_of",
    "labelled",
    "reason_sentence",
    "short_reason",
]


def _found() -> Mapping[str, Kind]:
    names = (module.name for module in iter_modules(__path__) if module.name not in _SHARED)
    kinds: list[Kind] = [import_module(f"{__name__}.{name}").KIND for name in names]
    return MappingProxyType({kind.code: kind for kind in sorted(kinds, key=lambda k: k.order)})


# What the modules of the kinds have in common.
_SHARED = ("base", "common")
KINDS = _found()


def kind_of(flag: Flag) -> Kind:
    """Return the kind of a flag."""
    return KINDS[flag.kind]


def short_reason(flag: Flag) -> str:
    """Return why it was flagged in two or three words; an unknown code stays readable."""
    known = kind_of(flag).reasons.get(flag.reason)
    return str(known.short) if known else flag.reason.replace("_", " ")


def reason_sentence(flag: Flag) -> str:
    """Return why it was flagged as a sentence, with its values when they are known."""
    kind = kind_of(flag)
    known = kind.reasons.get(flag.reason)
    if known is None:
        return str(kind.otherwise) % {"why": flag.evidence.get("detail") or short_reason(flag)}
    values = kind.values(flag)
    return str(known.told) % values if known.told and values else str(known.sentence)


def done(choice: str, kind: str = "") -> str:
    """Return what a decision did, in the words of its kind; an unknown code stays readable.

    Without the kind they are those of the first that offers it: “approve” is said of several.
    """
    own = [KINDS[kind]] if kind in KINDS else []
    for one in (*own, *KINDS.values()):
        if offer := one.offer(choice):
            return str(offer.done)
    return choice.replace("_", " ")


def labelled(code: str) -> str:
    """Return what a kind is called."""
    kind = KINDS.get(code)
    return str(kind.label) if kind else capfirst(code.replace("_", " "))
