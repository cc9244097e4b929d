"""Does the newer statement deny the older? Rules over what alignment left; no model.

A correction repeats a statement and changes one thing. So the rules accept exactly one kind of
difference (a polarity, a value of a class, or one slot under a single-valued relation) and let any
further difference on both sides mean "another statement".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memories.writing.compare import relations
from memories.writing.compare.difference import PASSING, QUANTITIES, TEMPORAL, Difference
from memories.writing.compare.parse import Parsed
from memories.writing.compare.slots import slot_of
from memories.writing.compare.tokens import Token

_MAX_EXTRA = 3


@dataclass(frozen=True, slots=True)
class Evidence:
    reason: str
    detail: str = ""
    strong: bool = False  # stands without the embedding's agreement


def _show(old: list[Token], new: list[Token]) -> str:
    def text(tokens: list[Token]) -> str:
        glue = " " if any(t.text.isascii() for t in tokens) else ""
        return glue.join(t.text for t in tokens)

    return f"{text(old)} → {text(new)}"


def _at(parsed: Parsed, positions: list[int]) -> list[Token]:
    return [parsed.tokens[p] for p in positions]


def _other_subject(diff: Difference) -> bool:
    """A person on one side only, against "the user" or another person, is another subject."""
    for extra, parsed, other in (
        (diff.old_extra, diff.old, diff.new),
        (diff.new_extra, diff.new, diff.old),
    ):
        named = [p for p in extra if parsed.tokens[p].kind == "name" and p <= 1]
        rival = any(t.canon == "user" for t in other.tokens) and not any(
            t.canon == "user" for t in parsed.tokens
        )
        if named and rival:
            return True
    return False


def polarity(diff: Difference) -> Evidence | None:
    """Same content, opposite sign: negation, prohibition, or the other pole of a scale."""
    old_denials, new_denials, opposed = diff.flips
    if (
        (old_denials + new_denials + opposed) % 2 == 0
        or diff.groups - PASSING
        or diff.scope_differs
    ):
        return None
    if (diff.old_extra and diff.new_extra) or diff.alignment.shared < 1:
        return None
    if opposed:
        if len(diff.old_extra) + len(diff.new_extra) > _MAX_EXTRA:
            return None
        old, new = diff.opposed[0]
        return Evidence("antonym", f"{old.text} → {new.text}")
    denied_extra = diff.old_extra if old_denials % 2 else diff.new_extra
    asserted_extra = diff.new_extra if old_denials % 2 else diff.old_extra
    # "does not drink coffee after 5 pm" does not deny "drinks coffee"
    if denied_extra or len(asserted_extra) > _MAX_EXTRA:
        return None
    return Evidence("negation")


def order(diff: Difference) -> Evidence | None:
    """The same two things, the other way round."""
    if (
        diff.ordered is not False
        or diff.values
        or not _even(diff)
        or diff.old_extra
        or diff.new_extra
    ):
        return None
    return Evidence("order")


def _too_far(diff: Difference) -> bool:
    """More differs than one value: content on both sides, or much on one."""
    limit = _MAX_EXTRA if diff.new.changed or diff.alignment.shared >= 2 else 2
    return (
        bool(diff.old_extra and diff.new_extra) or len(diff.old_extra) + len(diff.new_extra) > limit
    )


def _even(diff: Difference) -> bool:
    return sum(diff.flips) % 2 == 0


def _happened(diff: Difference) -> bool:
    """Two occurrences in the past are two facts, unless the newer reports a change."""
    return (diff.old.past or diff.new.past) and not diff.new.changed


def quantity(diff: Difference, cls: str) -> str:
    return "" if _happened(diff) else "number"


def moment(diff: Difference, cls: str) -> str:
    shared = relations.relations(diff.old) & relations.relations(diff.new)
    calendar = relations.scheduled(diff.old) & relations.scheduled(diff.new)
    fixed = any(relations.is_dated(name) for name in shared)
    if (
        fixed
        or diff.new.changed
        or (calendar and not _happened(diff) and not relations.personal(diff.old))
    ):
        return "date" if cls != "time" else "time"
    habit = not diff.old.past and not diff.new.past and not relations.personal(diff.old)
    year_only = all(t.canon.endswith("/-/-") for side in diff.values[cls] for t in side)
    return ("date" if cls != "time" else "time") if habit and not year_only else ""


def place(diff: Difference, cls: str) -> str:
    old, new = relations.relations(diff.old), relations.relations(diff.new)
    where = {name for name in old if relations.accepts(name, cls)}
    if diff.new.changed and (where or old & new):
        return "place"
    if _happened(diff):
        return ""
    old_values, new_values = diff.values[cls]
    stays = relations.is_at(diff.old, old_values[0]) and relations.is_at(diff.new, new_values[0])
    return "place" if where & new or stays else ""


def member(diff: Difference, cls: str) -> str:
    """Two members of a class of alternatives."""
    if cls in ("pet", "kin") or diff.new.additive or relations.can(diff.old):
        return ""
    if diff.new.changed:
        return "value_replaced"
    old, new = diff.values[cls]
    if all(relations.serves(p, v[0]) for p, v in ((diff.old, old), (diff.new, new))):
        return "value_replaced"
    if _happened(diff) or relations.many(diff.old) | relations.many(diff.new):
        wishes = relations.relations(diff.old) | relations.relations(diff.new)
        return "value_replaced" if wishes & {"prefer", "favourite"} and not _happened(diff) else ""
    return "value_replaced"


def _judge(cls: str) -> Callable[[Difference, str], str]:
    if cls in QUANTITIES or cls == "version":
        return quantity
    if cls in TEMPORAL:
        return moment
    return place if cls == "place" else member


def value(diff: Difference) -> Evidence | None:
    """One value of a class stands where another stood."""
    groups = diff.groups
    if len(groups) != 1 or diff.scope_differs or not _even(diff) or _too_far(diff):
        return None
    if diff.new.additive and not diff.new.changed:
        return None
    classes = [
        cls for cls in diff.values if cls in groups or (cls in TEMPORAL and "temporal" in groups)
    ]
    cls = classes[0]
    old, new = diff.values[cls]
    if _apart(diff) or (_refines(old, new) and not diff.new.changed):
        return None
    reason = _judge(cls)(diff, cls)
    if not reason:
        return None
    supported = diff.alignment.shared >= 0.5 or diff.new.changed
    return (
        Evidence("version" if cls == "version" else reason, _show(old, new), diff.new.changed)
        if supported
        else None
    )


def _refines(old: list[Token], new: list[Token]) -> bool:
    """One value is the other, said more exactly: "tea", "green tea"."""
    before, after = (set(" ".join(t.canon for t in side).split()) for side in (old, new))
    return before <= after or after <= before


def _apart(diff: Difference) -> bool:
    """The two speak of different relations: "lives in" against "was born in"."""
    old, new = relations.relations(diff.old), relations.relations(diff.new)
    return bool(old and new and not old & new) and not diff.new.changed


def rejected(diff: Difference) -> Evidence | None:
    """One statement discards by name what the other asserts: "moved from X", "X, not Y"."""
    for source, target in ((diff.new, diff.old), (diff.old, diff.new)):
        dropped = {t.canon: t for t in source.tokens if t.rejected and t.is_content}
        kept = {source.tokens[p].canon for p in source.content}
        asserted = {target.tokens[p].canon: target.tokens[p] for p in target.content}
        also = {t.canon for t in target.tokens if t.rejected}
        hits = [c for c in dropped if _finds(c, asserted) and c not in kept and c not in also]
        extra = diff.old_extra if target is diff.old else diff.new_extra
        others = [p for p in extra if not _finds(target.tokens[p].canon, dropped)]
        blocked = diff.scope_differs or (
            others and (diff.new_extra if target is diff.old else diff.old_extra)
        )
        if hits and len(hits) == len(dropped) and not blocked:
            gained = [
                source.tokens[p]
                for p in source.content
                if source.tokens[p].cls == dropped[hits[0]].cls
            ]
            pair = [dropped[hits[0]]], gained
            return Evidence(
                "value_replaced", _show(*(pair if source is diff.new else pair[::-1])), True
            )
    return None


def _finds(canon: str, among: Mapping[str, Token]) -> bool:
    """Whether a value is there; a bare number also finds the number with a unit."""
    if canon in among:
        return True
    kind, _, bare = canon.partition("=")
    if not bare:
        return False
    rivals = (
        [f"number={bare}"] if kind != "number" else [c for c in among if c.endswith("=" + bare)]
    )
    return any(rival in among for rival in rivals)


def slot(diff: Difference) -> Evidence | None:
    """One unclassified slot replaced under a relation that holds one value."""
    if diff.groups or not _even(diff) or diff.new.additive or relations.can(diff.old):
        return None
    old, new = slot_of(diff.old_extra, diff.old), slot_of(diff.new_extra, diff.new)
    if not old or not new or (_classes(diff.old, old) and _classes(diff.new, new)):
        return None
    if _happened(diff) and not diff.new.changed:
        return None
    names = relations.relations(diff.old) & relations.relations(diff.new)
    if diff.alignment.shared < 1 and not all(
        relations.has_purpose(*s) for s in ((diff.old, old), (diff.new, new))
    ):
        return None
    if _governed(diff, old, new, names):
        return Evidence("value_replaced", _show(_at(diff.old, old), _at(diff.new, new)))
    return None


def _role(diff: Difference) -> bool:
    """A definite post ("is the product manager of Atlas") that one person holds."""
    for old, _ in diff.alignment.matched:
        before = diff.old.tokens[old - 1].text.lower() if old else ""
        if diff.old.tokens[old].cls == "job" and before in ("the", "s", "our", "my", "的"):
            return True
    return False


def _about_same(diff: Difference) -> bool:
    """Whether more is shared than who wishes."""
    shared = {diff.old.tokens[a].canon for a, _ in diff.alignment.matched}
    return bool(shared - {"user", "prefer", "like"})


def _classes(parsed: Parsed, positions: list[int]) -> bool:
    return any(parsed.tokens[p].cls for p in positions)


def _governed(diff: Difference, old: list[int], new: list[int], names: set[str]) -> bool:
    sides = ((diff.old, old), (diff.new, new))
    if ("lead" in names or _role(diff)) and all(relations.is_agent(*side) for side in sides):
        return True
    if any(
        "many" in t.tags
        for p, s in sides
        for t in p.tokens
        if t.canon != "like" and t.canon != "have"
    ):
        return False
    attributes = {name for name in names if relations.accepts(name, "*")}
    if attributes and all(
        relations.is_after(p, s[0], attributes) and relations.is_object(p, s) for p, s in sides
    ):
        return True
    if attributes and all(relations.is_embedded(p, s, attributes) for p, s in sides):
        return True
    wished = "prefer" in names and all(relations.is_wished(p, s[0]) for p, s in sides)
    if wished and ((len(old) <= 2 and len(new) <= 2) or _about_same(diff)):
        return True
    return all(relations.has_purpose(*side) for side in sides)


RULES: tuple[Callable[[Difference], Evidence | None], ...] = (
    rejected,
    polarity,
    order,
    value,
    slot,
)


def contradiction(diff: Difference, *, same_subject: bool) -> Evidence | None:
    """The first rule that holds, or None. A key given by the writer outranks stray words."""
    if not (diff.old.asserted and diff.new.asserted) or _other_subject(diff):
        return None
    for rule in RULES:
        evidence = rule(diff)
        if evidence:
            return evidence
    return _keyed(diff) if same_subject else None


def _keyed(diff: Difference) -> Evidence | None:
    if diff.new.additive or diff.scope_differs:
        return None
    for cls, (old, new) in diff.values.items():
        if cls not in PASSING:
            return Evidence("same_subject", _show(old, new), True)
    return None if _even(diff) else Evidence("same_subject", "", True)
