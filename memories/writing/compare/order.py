"""Which of two actions comes first: before / after, 先…再, 之前 / 之后."""

from memories.writing.compare.align import key
from memories.writing.compare.parse import Parsed

_SILENT = frozenset({"function", "negation", "affirmative", "denier"})
_SECOND = frozenset({"再", "然后", "then"})


def _keys(parsed: Parsed, start: int, end: int) -> frozenset[str]:
    return frozenset(key(token) for token in parsed.tokens[start:end] if not token.tags & _SILENT)


def sequence(parsed: Parsed) -> tuple[frozenset[str], frozenset[str]] | None:
    """What comes first and what second, as concepts; None when no order is stated."""
    for position, token in enumerate(parsed.tokens):
        if token.scale == "before":
            left, right = (
                _keys(parsed, 0, position),
                _keys(parsed, position + 1, len(parsed.tokens)),
            )
            if not left and token.text.isascii():  # "Before B, do A"
                comma = next(
                    (
                        p
                        for p in range(position, len(parsed.tokens))
                        if parsed.tokens[p].clause != token.clause
                    ),
                    0,
                )
                right, left = (
                    _keys(parsed, position + 1, comma),
                    _keys(parsed, comma, len(parsed.tokens)),
                )
            leads = (token.sign > 0) == token.text.isascii()  # Chinese puts the marker after
            return (left, right) if leads else (right, left)
        if token.text.lower() in _SECOND and position:
            return _keys(parsed, 0, position), _keys(parsed, position + 1, len(parsed.tokens))
    return None


def same_order(old: Parsed, new: Parsed) -> bool | None:
    """True or False when both state an order of the same two things; None when they do not."""
    a, b = sequence(old), sequence(new)
    if not a or not b or not all((*a, *b)):
        return None
    straight = len(a[0] & b[0]) + len(a[1] & b[1])
    crossed = len(a[0] & b[1]) + len(a[1] & b[0])
    if straight == crossed:
        return None
    return straight > crossed
