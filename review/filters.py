"""QueueFilter: which flags a person looks at, read from an address and turned into conditions."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.contrib.postgres.search import SearchQueryField
from django.db.models import BooleanField, F, Func, Q, Value
from django.db.models.functions import Cast

from memories.inputs import MAX_NAME
from memories.models.memory import Memory, Source
from memories.permissions import Actor
from memories.text.clean import storable
from memories.text.tokens import HAN, quoted, tokenize
from review.kinds import KINDS
from review.models import Claim

# What each choice of an address may be; anything else does not restrict.
CHOICES: Mapping[str, frozenset[str]] = {
    "kind": frozenset(KINDS),
    "reason": frozenset(code for kind in KINDS.values() for code in kind.reasons),
    "source": frozenset(Source.values),
    "confidence": frozenset({"low", "middle", "high"}),
    "age": frozenset({"day", "week", "older"}),
    "language": frozenset({"zh", "en", "mixed"}),
    "state": frozenset({"open", "snoozed", "decided"}),
    "sort": frozenset({"priority", "newest", "oldest"}),
}
LONGEST = MAX_NAME
_DEFAULTS = {"state": "open", "sort": "priority"}


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """Which flags, in which order; what is empty does not restrict.

    `agent`, `user_id`, `session`, `source` and `confidence` (low < .6 ≤ middle < .8 ≤ high) are of
    the memory that a flag was opened for; `language` is what its text is written in; `age` is the
    flag's; `text` is looked for in both memories. `assignee` is "me", "nobody" or a person's name.
    """

    kind: str = ""
    reason: str = ""
    agent: str = ""
    user_id: str = ""
    session: str = ""
    source: str = ""
    confidence: str = ""
    age: str = ""
    language: str = ""
    assignee: str = ""
    text: str = ""
    state: str = "open"
    sort: str = "priority"

    def condition(self, actor: Actor, now: datetime) -> Q:
        """Return the filter as one condition on the flags that the actor may see."""
        kind = Q(kind=self.kind) if self.kind else Q()
        return _state(self.state, now) & kind & self.narrowing(actor, now)

    def narrowing(self, actor: Actor, now: datetime) -> Q:
        """Return all of it but the kind and the state, which the tabs choose."""
        return (
            self._exactly()
            & _CONFIDENCES.get(self.confidence, Q())
            & _LANGUAGES.get(self.language, Q())
            & _aged(self.age, now)
            & _assigned(self.assignee, actor)
            & _saying(self.text, actor)
        )

    def _exactly(self) -> Q:
        given = {
            "reason": self.reason,
            "memory__agent__name": self.agent,
            "memory__user_id": self.user_id,
            "memory__session": self.session,
            "memory__source": self.source,
        }
        return Q(**{name: value for name, value in given.items() if value})

    @property
    def narrowed(self) -> bool:
        """Whether anything but the tab and the order was chosen."""
        return replace(self, kind="", **_DEFAULTS) != QueueFilter()

    def query(self) -> str:
        """Return the filter as an address has it, without what is usual."""
        chosen = {one.name: getattr(self, one.name) for one in fields(self)}
        return urlencode(
            {name: value for name, value in chosen.items() if value != _DEFAULTS.get(name, "")}
        )


def queue_filter(query: Mapping[str, str]) -> QueueFilter:
    """Return the filter that an address asks for; words it does not know do not restrict."""
    given = {one.name: _word(one.name, query.get(one.name, "")) for one in fields(QueueFilter)}
    return QueueFilter(**{name: value for name, value in given.items() if value})


def snoozed(now: datetime) -> Q:
    """Return the condition of flags that nobody needs to look at yet."""
    return Q(snoozed_until__gt=now)


def looked_at(actor: Actor, now: datetime) -> Q:
    """Return the condition of flags that somebody else is looking at."""
    claims = Claim.objects.filter(expires_at__gt=now).exclude(user=actor.id)
    return Q(pk__in=claims.values("flag"))


def _word(name: str, said: str) -> str:
    word = storable(said)[0][:LONGEST]
    return word if name not in CHOICES or word in CHOICES[name] else ""


def _state(state: str, now: datetime) -> Q:
    if state == "decided":
        return Q(status="resolved")
    asleep = snoozed(now)
    return Q(status="open") & (asleep if state == "snoozed" else ~asleep)


_CONFIDENCES = {
    "low": Q(memory__confidence__lt=0.6),
    "middle": Q(memory__confidence__gte=0.6, memory__confidence__lt=0.8),
    "high": Q(memory__confidence__gte=0.8),
}
_HAN = Q(memory__content__regex=HAN.pattern)
_LATIN = Q(memory__content__regex="[A-Za-z]")
_LANGUAGES = {"zh": _HAN & ~_LATIN, "en": _LATIN & ~_HAN, "mixed": _HAN & _LATIN}


def _aged(age: str, now: datetime) -> Q:
    week = now - timedelta(days=7)
    ages = {
        "day": Q(created_at__gte=now - timedelta(days=1)),
        "week": Q(created_at__gte=week),
        "older": Q(created_at__lt=week),
    }
    return ages.get(age, Q())


def _assigned(assignee: str, actor: Actor) -> Q:
    if assignee == "me":
        return Q(assignee=actor.id)
    if assignee == "nobody":
        return Q(assignee__isnull=True)
    return Q(assignee__username=assignee) if assignee else Q()


def _saying(text: str, actor: Actor) -> Q:
    """Return the flags one of whose memories has every word of `text`, or is about that user.

    Only memories that the actor may see are looked through. The keyword index finds them: the text
    of a flag itself needs no index.
    """
    if not text:
        return Q()
    seen = Memory.objects.filter(actor.sight()).filter(_words(text) | Q(user_id=text))
    keys = seen.order_by().values("pk")
    return Q(memory__in=keys) | Q(counterpart__in=keys)


def _words(text: str) -> Q:
    """Return the condition of a memory that has every word; the last one may be a beginning."""
    terms = tokenize(text)
    if not terms or any(len(term) == 1 and HAN.match(term) for term in terms):
        # Nothing that is indexed alone: a single character, a stop word, punctuation.
        return Q(content__icontains=text)
    asked = " & ".join(map(quoted, terms)) + ":*"
    return Q(
        Func(
            F("keywords"),
            Cast(Value(asked), SearchQueryField()),
            template="%(expressions)s",
            arg_joiner=" @@ ",
            output_field=BooleanField(),
        )
    )
