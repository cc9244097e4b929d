"""What a kind of review item is made of: how it is asked, what may be decided, what that does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from django.utils.functional import Promise

from memories.lifecycle import Plan
from memories.models.flag import Flag

Words = str | Promise


@dataclass(frozen=True, slots=True)
class Offer:
    """One decision that a kind offers.

    `key` carries it out from the keyboard; `label` names it, `effect` says what it will do, `done`
    what was done; `plan` does it. `asks_note` is the sentence that asks for a note when there is
    none, "" when none is needed.
    """

    choice: str
    key: str
    label: Words
    effect: Words
    done: Words
    plan: Plan
    takes_text: bool = False
    takes_reason: bool = False
    asks_note: Words = ""

    @property
    def bulk(self) -> bool:
        """Whether it can be decided for many at once: nothing has to be said for each."""
        return not (self.takes_text or self.asks_note)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a flag was opened: in two or three words, as a sentence, and with its values in it."""

    short: Words
    sentence: Words
    told: Words = ""


def nothing_told(_flag: Flag) -> Mapping[str, str]:
    """The values of kinds whose reasons have none."""
    return {}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of review item. Its module in this package and its template are all there is to it.

    `code` names both; `order` is its place among the tabs; `risk`, 0-1, is how grave it is to leave
    one open (a space's policy may say otherwise); `values` are what the reasons' `told` speaks of.
    """

    code: str
    order: int
    label: Words
    many: Words
    question: Words
    risk: float
    offers: tuple[Offer, ...]
    reasons: Mapping[str, Reason]
    # Of a reason that is not among them: a sentence about %(why)s.
    otherwise: Words
    text_label: Words
    text_hint: Words
    note_hint: Words
    values: Callable[[Flag], Mapping[str, str]] = field(default=nothing_told)

    @property
    def template(self) -> str:
        """What shows it between the heading and the decision."""
        return f"review/kinds/{self.code}.html"

    def offer(self, choice: str) -> Offer | None:
        """Return the offer of a decision, None when this kind does not offer it."""
        return next((offer for offer in self.offers if offer.choice == choice), None)
