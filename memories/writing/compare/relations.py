"""Which relation governs a value, and whether it can hold only one."""

from memories.writing.compare.lexicon import single_valued, words
from memories.writing.compare.parse import Parsed
from memories.writing.compare.tokens import Token

_BE = frozenset(
    {
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "是",
        "为",
        "叫",
        "is called",
        "is named",
        "was named",
        "named",
    }
)
_AGENT = frozenset({"by", "由", "给", "归", "to", "向"})
_WHERE = ("locate", "office", "house", "headquarters", "host", "deploy", "store", "keep")
_ALIKE = dict.fromkeys(_WHERE, "live") | {"owner": "lead"}


def relations(parsed: Parsed) -> set[str]:
    """Names of the single-valued relations that a statement speaks of."""
    known = single_valued()
    found = {token.canon for token in parsed.tokens if token.canon in known}
    return {_ALIKE.get(name, name) for name in found}


def is_wished(parsed: Parsed, position: int) -> bool:
    """Whether a position is what somebody prefers: it follows the verb closely."""
    near = parsed.tokens[max(0, position - 3) : position]
    return any(token.canon == "prefer" and "preference" not in token.text.lower() for token in near)


def accepts(name: str, cls: str) -> bool:
    classes = single_valued().get(name, frozenset())
    return "*" in classes or cls in classes


def is_dated(name: str) -> bool:
    """Whether a relation has one date or time."""
    return "when" in single_valued().get(name, frozenset())


def is_after(parsed: Parsed, position: int, names: set[str]) -> bool:
    """Whether one of the relations stands before the position, in its clause."""
    return any(
        _ALIKE.get(token.canon, token.canon) in names
        and token.clause == parsed.tokens[position].clause
        for token in parsed.tokens[:position]
    )


_SKIPPED = frozenset(
    words(
        "the a an of dr mr mrs ms prof team squad group crew department"
        " 医生 老师 先生 女士 经理 教授 博士 团队 小组 组 部门 人"
    )
)


def _neighbour(parsed: Parsed, position: int, step: int) -> Token | None:
    """The next token in a direction that is not an article, a form of address or the like."""
    position += step
    while 0 <= position < len(parsed.tokens) and parsed.tokens[position].text.lower() in _SKIPPED:
        position += step
    return parsed.tokens[position] if 0 <= position < len(parsed.tokens) else None


def is_agent(parsed: Parsed, positions: list[int]) -> bool:
    """Whether a slot names who does it: it opens the sentence, or follows by / 由 / 给."""
    before = _neighbour(parsed, positions[0], -1)
    after = _neighbour(parsed, positions[-1], 1)
    if before is None or before.clause != parsed.tokens[positions[0]].clause:
        return after is not None and _opens(parsed, positions[-1], after)
    if before.text.lower() in _AGENT:
        return True
    return before.text.lower() in _BE and after is None


def _opens(parsed: Parsed, position: int, after: Token) -> bool:
    passive = any(token.text.lower() in ("by", "由") for token in parsed.tokens[position:])
    return not passive and (after.text.lower() in _BE or after.canon in ("lead", "owner"))


def is_object(parsed: Parsed, positions: list[int]) -> bool:
    """Whether a slot stands right after a copula or naming word, or ends the statement."""
    before = _neighbour(parsed, positions[0], -1)
    return (
        positions[0] > 0
        and (before is not None)
        and (
            before.text.lower() in _BE | _AGENT
            or before.canon in single_valued()
            or positions[-1] == len(parsed.tokens) - 1
        )
    )


def is_embedded(parsed: Parsed, positions: list[int], names: set[str]) -> bool:
    """``在 X 工作``: the relation stands after the slot."""
    before = _neighbour(parsed, positions[0], -1)
    after = _neighbour(parsed, positions[-1], 1)
    return (
        before is not None
        and before.text in ("在", "于")
        and after is not None
        and after.canon in names
    )


def is_at(parsed: Parsed, value: Token) -> bool:
    """``X is in PLACE``, ``X 在 PLACE``, with no verb of its own."""
    position = parsed.tokens.index(value)
    before = [token.text.lower() for token in parsed.tokens[max(0, position - 2) : position]]
    if before[-1:] == ["在"]:
        return position == len(parsed.tokens) - 1
    if before[-1:] == ["是"] and parsed.tokens[-1].text == "人":
        return position == len(parsed.tokens) - 2
    return len(before) == 2 and before[0] in _BE and before[1] in ("in", "at")


_MEANS = frozenset({"with", "using", "via"})
_USES = frozenset({"use", "用", "使用", "采用"})


def has_purpose(parsed: Parsed, positions: list[int]) -> bool:
    """``uses X for/to …``, ``用 X 做…``: what it is used for makes rivals of the alternatives."""
    after = _neighbour(parsed, positions[-1], 1)
    before = _neighbour(parsed, positions[0], -1)
    if before is not None and before.text.lower() in _MEANS:
        return not many(parsed)  # "integrates with X", "met with X"
    if after is None or before is None or after.clause != parsed.tokens[positions[0]].clause:
        return False
    uses = before.canon in _USES
    return uses and (after.text.lower() in ("for", "to", "as") or not after.text.isascii())


def may_have_purpose(parsed: Parsed) -> bool:
    """Whether has_purpose() can hold of anything in a statement."""
    return any(token.text.lower() in _MEANS or token.canon in _USES for token in parsed.tokens)


def serves(parsed: Parsed, value: Token) -> bool:
    """Whether a value is what is used for a purpose."""
    return has_purpose(parsed, [parsed.tokens.index(value)])


def many(parsed: Parsed) -> set[str]:
    """Relations that can hold of many values, by canonical verb."""
    return {token.canon for token in parsed.tokens if "many" in token.tags}


def scheduled(parsed: Parsed) -> set[str]:
    return {token.canon for token in parsed.tokens if "scheduled" in token.tags}


def can(parsed: Parsed) -> bool:
    """Speaks of what may or can be done: of such things there are many."""
    return any(token.scale == "allow" and token.sign > 0 for token in parsed.tokens)


def personal(parsed: Parsed) -> bool:
    """Whether a person is the subject: people do things on many days."""
    first = parsed.tokens[:2]
    passive = any(t.text.lower() in ("is", "are") for t in parsed.tokens[1:3])
    return not passive and any(
        t.kind == "name" or t.canon == "user" or t.text.lower() in ("i", "我", "he", "she")
        for t in first
    )
