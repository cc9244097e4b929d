"""Does the newer statement only repeat the older?"""

from memories.writing.compare.align import weight
from memories.writing.compare.difference import EXACT, Difference
from memories.writing.compare.parse import Parsed
from memories.writing.compare.slots import slot_of

# How much of the words must agree when there is no embedding to say so.
LEXICAL_JACCARD = 0.8
PASSIVE = frozenset({"by", "由", "被"})
_ONE_SIDED, _BOTH_SIDES, _MARGIN = 1.0, 2.0, 0.03


def _informative(diff: Difference) -> bool:
    """A number, date, name, version or other value that only one side has."""
    translated = diff.old.chinese != diff.new.chinese
    for extra, parsed in ((diff.old_extra, diff.old), (diff.new_extra, diff.new)):
        for token in (parsed.tokens[p] for p in extra):
            if token.cls in EXACT or (not translated and (token.cls or token.kind == "name")):
                return True
    return False


def _swapped(diff: Difference) -> bool:
    """Two names or values of a class changed places ("Anna reports to Victor", and the reverse).

    One passive sentence of the two turns them round without changing what is said.
    """
    places: dict[str, list[int]] = {}
    for old, new in diff.alignment.matched:  # in the order of the old statement
        token = diff.old.tokens[old]
        group = token.cls or (token.kind if token.kind == "name" else "")
        if group:
            places.setdefault(group, []).append(new)
    passives = [sum(t.text.lower() in PASSIVE for t in p.tokens) for p in (diff.old, diff.new)]
    if diff.old.chinese != diff.new.chinese:
        return False  # the languages order their words differently
    turned = any(found != sorted(found) for found in places.values())
    return turned and passives[0] == passives[1]


def _differing(diff: Difference) -> bool:
    """Values differ; the part of the day does not count beside the hour."""
    timed = any(diff.old.tokens[a].kind == "time" for a, _ in diff.alignment.matched)
    return bool(set(diff.values) - ({"daypart", "frequency"} if timed else set()))


def duplicate(diff: Difference, cosine: float | None, near: float, cross: float) -> str:
    """Reason code, or "" when they are not the same.

    Merging loses what differs, so any value, name or polarity that only one side has keeps them
    apart whatever the cosine.
    """
    if sum(diff.flips) % 2 or _differing(diff) or _informative(diff):
        return ""
    if diff.old.asserted != diff.new.asserted or _swapped(diff):
        return ""
    if not diff.old_extra and not diff.new_extra:
        same = diff.alignment.jaccard >= LEXICAL_JACCARD or (cosine is not None and cosine >= cross)
        return "same_words" if same and diff.alignment.shared else ""
    if cosine is None:
        return ""
    if diff.old.chinese != diff.new.chinese:
        return "similarity" if cosine >= cross and _translated(diff, cosine - cross) else ""
    return "similarity" if cosine >= near and _rewording(diff, cosine, near) else ""


def _translated(diff: Difference, surplus: float) -> bool:
    """Across languages the word lists must see some of the same things, the less the closer."""
    matched = (diff.old.tokens[a] for a, _ in diff.alignment.matched)
    shared = sum(
        weight(token) for token in matched if token.canon not in ("user", "prefer", "like")
    )
    return shared >= 2 or surplus >= (0.015 if shared >= 1 else 0.06)


def _rewording(diff: Difference, cosine: float, near: float) -> bool:
    """Little is left over, and what is left is not one word in the place of another."""
    old, new = _size(diff.old, diff.old_extra), _size(diff.new, diff.new_extra)
    if not (old and new):
        return max(old, new) <= _ONE_SIDED and diff.alignment.jaccard >= 0.6
    replaced = slot_of(diff.old_extra, diff.old) and slot_of(diff.new_extra, diff.new)
    return (
        not replaced
        and max(old, new) <= _BOTH_SIDES
        and cosine >= near + _MARGIN
        and diff.alignment.jaccard >= 0.5
    )


def _size(parsed: Parsed, positions: list[int]) -> float:
    return sum(weight(parsed.tokens[p]) for p in positions)
