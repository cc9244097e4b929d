"""What tells at a glance that two statements neither contradict nor repeat one another.

Most neighbours of a new statement are about something else, and to align the two only to find out
takes long. So it is asked first what every rule needs: each answer here is one that alignment would
give in any case, and in doubt the rules themselves are asked.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from memories.writing.compare import relations
from memories.writing.compare.align import key
from memories.writing.compare.difference import PASSING, PREFIXES, TEMPORAL
from memories.writing.compare.parse import Parsed, parse
from memories.writing.compare.slots import MAX_SLOT
from memories.writing.compare.thresholds import Thresholds
from memories.writing.compare.tokens import Token

# More content than this on one side alone is no correction of one thing: contradiction's limit.
_MAX_EXTRA = 3
# Values that can be equal though written differently, or that a rule lets pass.
_YIELDING = TEMPORAL | PASSING | {"duration"}


@dataclass(frozen=True, slots=True)
class Glance:
    """A statement without its order: what its words can be matched by, and what it speaks of.

    ``plain`` has the names of each word that only a match explains, ``values`` those of each value
    by class. A word of another statement that shares no name with ``names`` matches nothing here.
    """

    folded: str
    tokens: int
    names: frozenset[str]
    plain: tuple[tuple[str, ...], ...]
    values: Mapping[str, tuple[tuple[str, ...], ...]]
    relations: frozenset[str]
    asserted: bool
    changed: bool
    chinese: bool
    rejecting: bool
    employed: bool
    purposeful: bool


@lru_cache(maxsize=8192)
def glance(statement: str) -> Glance:
    """Look at one statement; kept, because a new one meets many old ones."""
    parsed = parse(statement)
    content = [parsed.tokens[p] for p in parsed.content]
    values: dict[str, tuple[tuple[str, ...], ...]] = {}
    for token in content:
        if token.cls and not token.scale and token.cls not in _YIELDING:
            values[token.cls] = (*values.get(token.cls, ()), _names(token))
    return Glance(
        folded=parsed.text.casefold(),
        tokens=len(parsed.tokens),
        names=frozenset(_all_names(parsed, content)),
        plain=tuple(_names(token) for token in content if _plain(token)),
        values=values,
        relations=frozenset(relations.relations(parsed)),
        asserted=parsed.asserted,
        changed=parsed.changed,
        chinese=parsed.chinese,
        rejecting=any(token.rejected and token.is_content for token in parsed.tokens),
        employed=any(token.cls == "job" for token in content),
        purposeful=relations.may_have_purpose(parsed),
    )


def apart(old: Glance, new: Glance, cosine: float | None, thresholds: Thresholds) -> bool:
    """Whether two statements of different subjects need no rule: they are distinct."""
    extra = _unmatched(old, new), _unmatched(new, old)
    differing = _differing(old, new)
    gate = thresholds.conflict_gate
    unlike = cosine is not None and cosine < gate and not new.changed
    if old.asserted and new.asserted:
        if old.rejecting or new.rejecting:
            return False
        if not unlike and _deniable(old, new, extra, differing):
            return False
    if differing or old.asserted != new.asserted:
        return True
    within = old.chinese == new.chinese
    least = thresholds.duplicate if within else thresholds.cross_duplicate
    return any(extra) and (cosine is None or cosine < least)


def _deniable(old: Glance, new: Glance, extra: tuple[int, int], differing: int) -> bool:
    """Whether one value, polarity or slot can be all that differs."""
    if differing > 1:
        return False
    if not all(extra) and max(extra) <= _MAX_EXTRA:
        return True
    return not differing and max(extra) <= MAX_SLOT and _same_slot(old, new)


def _same_slot(old: Glance, new: Glance) -> bool:
    """Whether something can govern what both fill in differently."""
    return bool(
        old.relations & new.relations or old.employed or (old.purposeful and new.purposeful)
    )


def _unmatched(one: Glance, other: Glance) -> int:
    """How many words of one statement nothing in the other can explain, at the least."""
    lone = (names for cls, names in one.values.items() if cls not in other.values)
    return sum(map(other.names.isdisjoint, chain(one.plain, *lone)))


def _differing(old: Glance, new: Glance) -> int:
    """In how many classes both have a value that the other has not, at the least."""
    return sum(
        any(map(new.names.isdisjoint, old.values[cls]))
        and any(map(old.names.isdisjoint, new.values[cls]))
        for cls in old.values.keys() & new.values.keys()
    )


def _plain(token: Token) -> bool:
    return not (token.cls or token.scale or token.canon == "user")


def _all_names(parsed: Parsed, content: list[Token]) -> Iterator[str]:
    for token in content:
        yield from _names(token)
    for token in parsed.values:
        yield token.cls  # "database" beside PostgreSQL


def _names(token: Token) -> tuple[str, ...]:
    """Everything a token can be matched by, the word within "insignificant" included."""
    names = {key(token), token.canon}
    if token.canon.startswith(PREFIXES):
        names |= {token.canon.removeprefix(prefix) for prefix in PREFIXES}
    return tuple(names)
