"""Changing the numbers of a space: each change is a new Policy row, and the log says what became
what."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from memories import history
from memories.errors import Invalid, NotFound, Stale
from memories.inputs import short_text
from memories.models.policy import Policy
from memories.permissions import Actor
from memories.policies import Numbers, PolicyNumbers, validated

Changed = dict[str, tuple[Any, Any]]


@dataclass(frozen=True, slots=True)
class Number:
    """One number of a policy: where it stands, as a dotted path, and what fits it.

    `sort` "each" is a mapping of names to shares; `over` means that `least` itself does not fit.
    """

    path: str
    sort: Literal["float", "int", "bool", "choice", "each"]
    default: Any
    least: float | None = None
    most: float | None = None
    over: bool = False
    choices: tuple[str, ...] = ()

    @property
    def section(self) -> str:
        """The path without its last name; of an "each" the path itself."""
        return self.path if self.sort == "each" else self.path.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class Step:
    """A version of a space's policy, and what it made of which number: (before, after) by path.

    None stands for "as the kind of item has it", among the risks of review items.
    """

    policy: Policy
    changed: Changed


@cache
def numbers() -> Mapping[str, Number]:
    """Return every number there is, by path, in the order in which they are written down."""
    return {number.path: number for number in _numbers(PolicyNumbers())}


def _numbers(model: Numbers, prefix: str = "") -> Iterator[Number]:
    for name, info in type(model).model_fields.items():
        value, path = getattr(model, name), f"{prefix}{name}"
        if isinstance(value, Numbers):
            yield from _numbers(value, f"{path}.")
        else:
            yield _number(path, info, value)


def _number(path: str, info: FieldInfo, default: Any) -> Number:
    kind = info.annotation
    if get_origin(kind) is Literal:
        return Number(path, "choice", default, choices=get_args(kind))
    if kind is bool:
        return Number(path, "bool", default)
    if get_origin(kind) is dict:
        share = _number(path, FieldInfo.from_annotation(get_args(kind)[1]), None)
        return Number(path, "each", default, share.least, share.most)
    least = next((m.ge if isinstance(m, Ge) else m.gt for m in info.metadata if _floor(m)), None)
    most = next((m.le for m in info.metadata if isinstance(m, Le)), None)
    over = any(isinstance(m, Gt) for m in info.metadata)
    return Number(path, "int" if kind is int else "float", default, least, most, over)  # type: ignore[arg-type]


def _floor(bound: Any) -> bool:
    return isinstance(bound, Ge | Gt)


def number_of(path: str) -> Number:
    """Return the number at a path, of a mapping the mapping's, or raise Invalid naming the path."""
    known = numbers()
    found = known.get(path) or known.get(path.rpartition(".")[0])
    if found is None or (found.sort == "each") == (path == found.path):
        raise Invalid(_("The policy has no number “%(field)s”.") % {"field": path}, field=path)
    return found


def flat(nested: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return numbers by their paths: {"recall": {"top_k": 9}} as {"recall.top_k": 9}."""
    found: dict[str, Any] = {}
    for name, value in nested.items():
        path = f"{prefix}{name}"
        found |= flat(value, f"{path}.") if isinstance(value, Mapping) else {path: value}
    return found


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Changed:
    """Return what became what between two stored policies."""
    defaults = flat(PolicyNumbers().model_dump())
    old, new = defaults | flat(before), defaults | flat(after)
    paths = [path for path in {**old, **new} if old.get(path) != new.get(path)]
    return {path: (old.get(path), new.get(path)) for path in paths}


def change_policy(
    *, actor: Actor, numbers: Mapping[str, Any], note: str = "", expected_version: int
) -> Policy:
    """Give numbers, by their paths, other values, as the next version; None is the default again.

    Raises NotAllowed; Invalid naming the path when a value does not fit or nothing would change;
    Stale when somebody else changed the policy since `expected_version`.
    """
    actor.require("administer")
    stored = _newest(actor, expected_version)
    return _add(actor, stored, merged(stored, numbers), note, expected_version)


def merged(stored: Mapping[str, Any], numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored policy with other values, as change_policy() takes them, as it is stored.

    Raises Invalid naming the path.
    """
    put = flat(stored)
    for path, value in numbers.items():
        number_of(path)
        put.pop(path, None)
        if value is not None:
            put[path] = value
    return _valid(_nested(put))


def restore_policy(*, actor: Actor, version: int, expected_version: int) -> Policy:
    """Make the numbers of an earlier version (0: the defaults) the next one.

    Raises as change_policy(), and NotFound.
    """
    actor.require("administer")
    stored = _newest(actor, expected_version)
    earlier = stored_at(actor, version)
    note = _("Version %(n)d restored.") % {"n": version}
    return _add(actor, stored, earlier, note, expected_version)


def stored_at(actor: Actor, version: int) -> dict[str, Any]:
    """Return what a version stored, {} for 0, or raise NotFound."""
    actor.require("read")
    if version == 0:
        return {}
    found = Policy.objects.filter(space_id=actor.space_id, version=version).first()
    if found is None:
        raise NotFound(_("There is no such version of the policy."), field="version")
    return dict(found.numbers)


def policy_history(actor: Actor) -> list[Step]:
    """Return every version of the space's policy, newest first, each with what it changed."""
    actor.require("read")
    found = list(Policy.objects.filter(space_id=actor.space_id).order_by("version"))
    before = [{}, *(policy.numbers for policy in found)]
    steps = [
        Step(policy, differences(old, policy.numbers))
        for old, policy in zip(before, found, strict=False)
    ]
    return steps[::-1]


def _newest(actor: Actor, expected_version: int) -> dict[str, Any]:
    """Return what the newest version stored; Stale unless it is the expected one."""
    newest = Policy.objects.filter(space_id=actor.space_id).order_by("-version").first()
    version = newest.version if newest else 0
    if version != expected_version:
        raise _moved(newest)
    return dict(newest.numbers) if newest else {}


def _moved(newest: Policy | None) -> Stale:
    if newest is None:
        return Stale(_("The policy has no versions yet: it is the defaults, version 0."), version=0)
    return Stale(
        _("%(who)s changed the policy meanwhile: it is version %(n)d now. Look again, then save.")
        % {"who": newest.actor_name, "n": newest.version},
        version=newest.version,
    )


def _add(
    actor: Actor, before: dict[str, Any], after: dict[str, Any], note: str, version: int
) -> Policy:
    note = short_text(note, "note", 300)
    numbers = _valid(after)
    changed = differences(before, numbers)
    if not changed:
        raise Invalid(_("These are the numbers that the space has already."), field="numbers")
    try:
        with transaction.atomic():
            policy = Policy.objects.create(
                space_id=actor.space_id,
                version=version + 1,
                numbers=numbers,
                note=note,
                actor_name=actor.name,
            )
            history.log(actor, "policy_changed", version=version + 1, note=note, changed=changed)
    except IntegrityError as error:
        newest = Policy.objects.filter(space_id=actor.space_id).order_by("-version").first()
        raise _moved(newest) from error
    return policy


def _valid(stored: dict[str, Any]) -> dict[str, Any]:
    try:
        return validated(stored)
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(str(part) for part in first["loc"])
        raise Invalid(unfit(path, first["input"]), field=path) from error


def unfit(path: str, value: Any, called: str = "") -> str:
    """Return the sentence that says what a number, `called` so or by its path, takes instead."""
    number = number_of(path)
    fits = {
        "bool": _("%(field)s must be true or false, not %(value)s."),
        "choice": _("%(field)s must be one of %(choices)s, not %(value)s."),
        "int": _("%(field)s must be a whole number from %(least)s to %(most)s, not %(value)s."),
    }
    over = _("%(field)s must be a number above %(least)s and up to %(most)s, not %(value)s.")
    within = _("%(field)s must be a number from %(least)s to %(most)s, not %(value)s.")
    return fits.get(number.sort, over if number.over else within) % {
        "field": called or path,
        "value": value,
        "choices": ", ".join(number.choices),
        "least": _short(number.least),
        "most": _short(number.most),
    }


def _short(bound: float | None) -> str:
    return f"{bound:.10g}" if bound is not None else "–"


def _nested(paths: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path, value in paths.items():
        *parents, name = path.split(".")
        at = found
        for parent in parents:
            at = at.setdefault(parent, {})
        at[name] = value
    return found
