"""The form of a policy: every number there is, as an input that fits it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories.policies import PolicyNumbers
from memories.policy_changes import Number, flat, numbers, unfit
from review.kinds import KINDS
from review.pages.policy_words import CHOICES, SECTIONS, words_of
from review.pages.policy_words.word import Words


@dataclass(frozen=True, slots=True)
class Shown:
    """One number on the page. `changed`: it is not the default; `altered`: not saved yet."""

    number: Number
    field: forms.BoundField
    default: str
    bounds: str
    present: str
    changed: bool
    altered: bool


@dataclass(frozen=True, slots=True)
class Section:
    """Numbers that belong together. `code` is their common path."""

    code: str
    words: Words
    rows: Sequence[Shown]

    @property
    def anchor(self) -> str:
        """Where the page has it."""
        return self.code.replace(".", "-")


def every_number() -> Iterator[Number]:
    """Yield every number that the page shows: a mapping's once for each kind of item."""
    for number in numbers().values():
        if number.sort != "each":
            yield number
            continue
        for kind in KINDS.values():
            path = f"{number.path}.{kind.code}"
            yield replace(number, path=path, sort="float", default=kind.risk)


def value_of(number: Number, present: Mapping[str, Any]) -> Any:
    """Return a number's value in a flat policy."""
    return present.get(number.path, number.default)


def plain(path: str, value: Any) -> str:
    """Return a value in words: 24, 0.6, on, what a choice is called; None as the kind has it."""
    if value is None:
        kind = KINDS.get(path.rpartition(".")[2])
        return plain(path, kind.risk) if kind else "–"
    if isinstance(value, bool):
        return _("on") if value else _("off")
    if isinstance(value, int | float):
        return f"{value:.10g}"
    return str(CHOICES.get(path, {}).get(value, value))


class PolicyForm(forms.Form):
    """Every number by its path, and the version that the person had before their eyes."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
    note = forms.CharField(label=gettext_lazy("Why this change?"), required=False, max_length=300)

    def __init__(self, policy: PolicyNumbers, version: int, data: Any = None) -> None:
        """`policy` is what the numbers are compared with: the one that the person saw."""
        super().__init__(data, initial={"version": version})
        self._present = flat(policy.model_dump())
        self._numbers = list(every_number())
        for number in self._numbers:
            self.fields[number.path] = field_of(number)
            self.initial[number.path] = written(value_of(number, self._present))

    def altered(self) -> dict[str, Any]:
        """Return what a valid form changes, as change_policy() takes it."""
        given = {number: self.cleaned_data.get(number.path) for number in self._numbers}
        return {
            number.path: None if value == number.default else value
            for number, value in given.items()
            if number.path in self.cleaned_data and value != value_of(number, self._present)
        }

    def sections(self) -> list[Section]:
        """Return the rows of the page, in the order of the policy."""
        rows = [self._row(number) for number in self._numbers]
        grouped = groupby(rows, key=lambda row: row.number.section)
        return [Section(code, SECTIONS.get(code, Words(code, "")), list(s)) for code, s in grouped]

    def _row(self, number: Number) -> Shown:
        present = value_of(number, self._present)
        return Shown(
            number=number,
            field=self[number.path],
            default=plain(number.path, number.default),
            bounds=_bounds(number),
            present=plain(number.path, present),
            changed=present != number.default,
            altered=self.is_bound and self._given(number) != present,
        )

    def _given(self, number: Number) -> Any:
        if not self.is_valid() and number.path in self.errors:
            return self.data.get(number.path)
        return self.cleaned_data[number.path]


def posted(policy: PolicyNumbers, altered: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return what a browser would send for a policy with some numbers altered (None: default)."""
    present = flat(policy.model_dump())
    sent: dict[str, Any] = dict(more)
    for number in every_number():
        value = altered.get(number.path, value_of(number, present))
        value = number.default if value is None else value
        if value is not False:
            sent[number.path] = "on" if value is True else written(value)
    return sent


def reset(data: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return what was sent, with one number at its default."""
    sent = {name: data[name] for name in data if name != path}
    default = next((n.default for n in every_number() if n.path == path), False)
    return sent if default is False else sent | {path: written(default)}


def written(value: Any) -> Any:
    """Return a value as an input holds it: 0.4, not 0.4000000001."""
    return f"{value:.10g}" if isinstance(value, float) else value


def field_of(number: Number) -> forms.Field:
    """Return the input that takes what fits a number, with its words."""
    words = words_of(number.path)
    named: dict[str, Any] = {"label": words.label, "help_text": words.meaning}
    if number.sort == "bool":
        return forms.BooleanField(required=False, **named)
    if number.sort == "choice":
        called = CHOICES.get(number.path, {})
        choices = [(code, called.get(code, code)) for code in number.choices]
        return forms.ChoiceField(choices=choices, **named)
    return _Amount(number, **named)


class _Amount(forms.FloatField):
    """A number within its bounds; refuses with the service's own sentence."""

    def __init__(self, number: Number, **named: Any) -> None:
        whole = number.sort == "int"
        step = "1" if whole else "0.01" if number.most == 1 else "any"
        bounds = {"min": written(number.least), "max": written(number.most), "step": step}
        super().__init__(widget=forms.NumberInput(bounds), **named)
        self._number = number

    def clean(self, value: Any) -> float | int:
        number = self._number
        try:
            given = super().clean(value)
        except forms.ValidationError as error:
            raise forms.ValidationError(self._unfit(value)) from error
        least, most = number.least or 0, number.most or 0
        below = given <= least if number.over else given < least
        broken = number.sort == "int" and given != int(given)
        if below or given > most or broken:
            raise forms.ValidationError(self._unfit(value))
        return int(given) if number.sort == "int" else float(given)

    def _unfit(self, value: Any) -> str:
        return unfit(self._number.path, value or "–", called=str(self.label))


def _bounds(number: Number) -> str:
    if number.sort in ("bool", "choice"):
        return ""
    said = {"least": written(number.least), "most": written(number.most)}
    if number.over:
        return _("above %(least)s, up to %(most)s") % said
    return _("%(least)s to %(most)s") % said
