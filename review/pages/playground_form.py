"""What the playground takes: a question as somebody asks it, and the numbers to try on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories.inputs import MAX_NAME
from memories.models.agent import Agent
from memories.models.memory import Kind
from memories.pages.filters import midnight
from memories.permissions import Actor
from memories.policies import PolicyNumbers
from memories.policy_changes import Number, Step, flat, merged, numbers
from memories.reading import Filters
from memories.recall.question import MAX_QUERY
from review.pages.policy_form import field_of, plain, value_of, written
from review.pages.policy_words.word import Text

MOST_HITS = 20
SECTION = "recall"
# Under which heading a number stands; one that is named nowhere stands under the last but one.
GROUPS: Sequence[tuple[Text, Sequence[str]]] = (
    (
        gettext_lazy("What speaks for a memory"),
        (
            *("keyword_weight", "semantic_weight", "graph_weight", "context_weight"),
            *("importance_weight", "date_boost", "session_bonus", "rerank_weight"),
        ),
    ),
    (
        gettext_lazy("What counts less"),
        (
            *("decay_curve", "decay_weight", "decay_per_day", "doubtful_below", "doubtful_factor"),
            *("feedback_weight", "feedback_prior"),
        ),
    ),
    (
        gettext_lazy("What is a hit"),
        ("minimum_relevance", "hit_relevance", "minimum_coverage", "top_k"),
    ),
)
OTHERS, SOURCES = gettext_lazy("Everything else"), gettext_lazy("Weight by source")


class AskForm(forms.Form):
    """A question: who asks it, where, among which memories, and beside which policy."""

    q = forms.CharField(label=gettext_lazy("Question"), required=False, max_length=MAX_QUERY)
    agent = forms.ChoiceField(label=gettext_lazy("Ask as"), required=False)
    user = forms.CharField(label=gettext_lazy("For the user"), required=False, max_length=MAX_NAME)
    session = forms.CharField(
        label=gettext_lazy("In the session"), required=False, max_length=MAX_NAME
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind"),
        required=False,
        choices=[("", gettext_lazy("every kind")), *Kind.choices],
    )
    tag = forms.CharField(label=gettext_lazy("Tag"), required=False, max_length=60)
    since = forms.DateField(
        label=gettext_lazy("From"), required=False, widget=forms.DateInput({"type": "date"})
    )
    until = forms.DateField(
        label=gettext_lazy("To"), required=False, widget=forms.DateInput({"type": "date"})
    )
    hits = forms.IntegerField(
        label=gettext_lazy("Hits"), required=False, min_value=1, max_value=MOST_HITS
    )
    a = forms.ChoiceField(label=gettext_lazy("Compare with (A)"), required=False)

    FILTERS = ("kind", "tag", "since", "until", "hits")

    def __init__(self, actor: Actor, history: Sequence[Step], data: Mapping[str, Any]) -> None:
        super().__init__(data)
        agents = Agent.objects.filter(space_id=actor.space_id, is_active=True)
        named = ((str(key), name) for key, name in agents.values_list("pk", "name"))
        versions = [(str(step.policy.version), _called(step)) for step in history]
        first = [("0", _("Defaults"))] if history else []
        self._offer("agent", [("", _("yourself")), *named])
        self._offer("a", [("", _("The policy in force")), *versions, *first])

    @property
    def narrowed(self) -> bool:
        """Whether the filters were used."""
        return any(self.data.get(name) for name in self.FILTERS)

    def asked(self) -> dict[str, Any]:
        """Return a valid form as try_recall() takes it, without the policies."""
        chosen = self.cleaned_data
        return {
            "query": chosen["q"],
            "as_agent": UUID(chosen["agent"]) if chosen["agent"] else None,
            "user_id": chosen["user"].strip(),
            "session": chosen["session"].strip(),
            "top_k": chosen["hits"],
            "filters": Filters(
                kinds=[chosen["kind"]] if chosen["kind"] else [],
                tags=[tag] if (tag := chosen["tag"].strip()) else [],
                since=midnight(chosen["since"]),
                # The day that is named is still part of it.
                until=midnight(chosen["until"], days=1),
            ),
        }

    def given(self) -> dict[str, str]:
        """Return what was filled in, as an address holds it."""
        return {name: value for name in self.fields if (value := self.data.get(name, ""))}

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]


def _called(step: Step) -> str:
    version = _("Version %(n)d") % {"n": step.policy.version}
    return f"{version} · {step.policy.note[:40]}" if step.policy.note else version


@dataclass(frozen=True, slots=True)
class Dial:
    """A number to turn: its input, what it is in the version that was begun from, a slider's step.

    `base` is as an input holds it, `told` in words.
    """

    number: Number
    field: forms.BoundField
    base: Any
    told: str

    @property
    def slides(self) -> bool:
        """Whether a slider stands beside the input."""
        return self.number.sort != "choice"

    @property
    def step(self) -> str:
        """How far a slider moves at once; its input takes what lies between."""
        if self.number.sort == "int":
            return "1"
        return "0.01" if self.number.most == 1 else "0.5"

    @property
    def altered(self) -> bool:
        """Whether it is not what it was begun from."""
        return str(self.field.value()) != str(self.base)


@dataclass(frozen=True, slots=True)
class Group:
    """Dials that belong together."""

    label: Text
    dials: Sequence[Dial]

    @property
    def altered(self) -> bool:
        """Whether one of them was turned."""
        return any(dial.altered for dial in self.dials)


def dialled() -> list[Number]:
    """Return every number of recall that an input can turn: a new one appears by itself."""
    return [
        number
        for number in numbers().values()
        if number.path.startswith(f"{SECTION}.") and number.sort in ("float", "int", "choice")
    ]


class NumbersForm(forms.Form):
    """The numbers of recall to try: what is not given is as in `base`, a version of the policy."""

    def __init__(self, base: PolicyNumbers, data: Mapping[str, Any]) -> None:
        self._base = base
        self._flat = flat(base.model_dump())
        self._numbers = dialled()
        present = {one.path: written(value_of(one, self._flat)) for one in self._numbers}
        super().__init__({path: data.get(path) or value for path, value in present.items()})
        for number in self._numbers:
            self.fields[number.path] = field_of(number)

    def altered(self) -> dict[str, Any]:
        """Return what a valid form changes, as change_policy() takes it."""
        return {
            number.path: None if value == number.default else value
            for number in self._numbers
            if (value := self.cleaned_data[number.path]) != value_of(number, self._flat)
        }

    def policy(self) -> PolicyNumbers:
        """Return the policy that a valid form makes of the one it was begun from."""
        return PolicyNumbers.model_validate(merged(self._base.model_dump(), self.altered()))

    def changes(self) -> list[tuple[str, str, str]]:
        """Return what a valid form changes, in words: (what, before, after)."""
        return [
            (
                str(self.fields[path].label),
                plain(path, self._flat[path]),
                plain(path, self.cleaned_data[path]),
            )
            for path in self.altered()
        ]

    def given(self) -> dict[str, str]:
        """Return what a valid form changes, as an address holds it."""
        return {path: str(written(self.cleaned_data[path])) for path in self.altered()}

    def groups(self) -> list[Group]:
        """Return every dial under its heading."""
        dials = {number.path: self._dial(number) for number in self._numbers}
        named = [
            Group(
                label, [dials.pop(path) for name in names if (path := f"{SECTION}.{name}") in dials]
            )
            for label, names in GROUPS
        ]
        sources = [dials.pop(path) for path in list(dials) if path.count(".") > 1]
        return [*named, Group(OTHERS, list(dials.values())), Group(SOURCES, sources)]

    def _dial(self, number: Number) -> Dial:
        base = value_of(number, self._flat)
        return Dial(number, self[number.path], written(base), plain(number.path, base))
