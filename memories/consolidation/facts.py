"""Whether a merged text says what its sources say, no less and no more (B3, E8). Rules only."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memories.consolidation.text import parts
from memories.writing.compare.align import key, weight
from memories.writing.compare.parse import Parsed, parse
from memories.writing.compare.quantities import same_date
from memories.writing.compare.text import normalise
from memories.writing.compare.tokens import Token

KEPT = 0.6
"""The share of a sentence's words that the other side must have; a model may put the rest in others
of its own.
"""
# Addresses, paths, options, code, and what has digits in it: kept letter by letter.
_LITERAL = re.compile(
    r"[!-~]*[/\\_@=#`$<>{}|*^~][!-~]*|(?<!\S)--?[A-Za-z][!-~]*|[A-Za-z]+[-.]?\d[\w.-]*"
)
_AROUND = "`\"'()[],.;:!?"
# What a date leaves unsaid, of year/month/day.
_UNSAID = "-"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a text cannot stand for its sources; `what` shows it."""

    code: str
    what: str


def fault(text: str, sources: Sequence[str]) -> Fault | None:
    """Return the first thing that a text loses of its sources, or adds to them; None for none."""
    together = "\n".join(sources)
    lost = _missing(sources, text)
    if lost is not None:
        return Fault(f"lost_{lost.code}", lost.what)
    added = _missing([text], together)
    return None if added is None else Fault(f"added_{added.code}", added.what)


def _missing(said: Iterable[str], text: str) -> Fault | None:
    """Return what one of the texts says and `text` does not."""
    there = _Said(text)
    for sentence in (sentence for each in said for sentence in parts(each)):
        for code, what in there.lacks(sentence):
            return Fault(code, what)
    return None


class _Said:
    """What a text says, to look sentences up in."""

    def __init__(self, text: str) -> None:
        self._text = normalise(text).casefold()
        self._parsed = [parse(sentence) for sentence in parts(text)]
        self._tokens = [token for parsed in self._parsed for token in parsed.tokens]
        self._words = {name for token in self._tokens for name in (token.canon, key(token))}
        self._poles = {(token.scale, token.sign) for token in self._tokens if token.scale}
        self._denied = [set(clause) for parsed in self._parsed for clause in _denials(parsed)]

    def lacks(self, sentence: str) -> Iterable[tuple[str, str]]:
        """Yield (code, what) of everything in a sentence that is not said here."""
        parsed = parse(sentence)
        for literal in _literals(sentence):
            if literal.casefold() not in self._text:
                yield "literal", literal
        for token in parsed.tokens:
            if (token.cls or token.kind == "name") and not self._has(token):
                yield ("name" if token.kind == "name" else "value"), token.text
            if token.scale and (token.scale, token.sign) not in self._poles:
                yield "sense", token.text
        for clause in _denials(parsed):
            if not any(len(clause & denied) * 2 >= len(clause) for denied in self._denied):
                yield "negation", sentence
        if not self._covers(parsed):
            yield "words", sentence

    def _has(self, wanted: Token) -> bool:
        """Whether a value or name is said, and asserted or rejected as it is there."""
        if wanted.kind == "name" and _stands_in(wanted.text, self._text):
            return True
        return any(
            token.rejected == wanted.rejected and _equal(wanted, token) for token in self._tokens
        )

    def _covers(self, parsed: Parsed) -> bool:
        content = [token for token in parsed.tokens if token.is_content]
        found = [
            token for token in content if token.canon in self._words or key(token) in self._words
        ]
        return sum(map(weight, found)) >= KEPT * sum(map(weight, content))


def _equal(wanted: Token, token: Token) -> bool:
    if wanted.cls == token.cls == "date":
        return same_date(wanted.canon, token.canon) and _as_exact(wanted.canon, token.canon)
    return wanted.canon == token.canon


def _as_exact(wanted: str, found: str) -> bool:
    """Whether a date leaves nothing unsaid that the wanted one says."""
    fields = zip(wanted.split("/"), found.split("/"), strict=True)
    return all(have != _UNSAID or want == _UNSAID for want, have in fields)


def _stands_in(name: str, text: str) -> bool:
    """Whether a name stands in a text, not inside another word."""
    small = normalise(name).casefold()
    if not small.isascii():
        return small in text
    return re.search(rf"(?<![a-z0-9]){re.escape(small)}(?![a-z0-9])", text) is not None


def _literals(sentence: str) -> list[str]:
    """Return what must be kept letter by letter."""
    found = (match[0].strip(_AROUND) for match in _LITERAL.finditer(normalise(sentence)))
    return [literal for literal in found if literal]


def _denials(parsed: Parsed) -> list[set[str]]:
    """Return, for each clause that denies something, the words of what it denies."""
    clauses = {token.clause for token in parsed.tokens if _denies(token)}
    found = ({key(t) for t in parsed.tokens if t.clause == at and t.is_content} for at in clauses)
    return [words for words in found if words]


def _denies(token: Token) -> bool:
    return "negation" in token.tags or ("denier" in token.tags and token.sign < 0)
