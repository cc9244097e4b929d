"""A statement as the rules see it: tokens with polarity, what is rejected, and its mood."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from memories.writing.compare import concepts, gazetteer, lexicon
from memories.writing.compare.tokens import Token, Tokenizer

_UNITS = frozenset({"duration", "months", "length", "age"})
_SOFTWARE = frozenset(lexicon.grouped(gazetteer.SOFTWARE)) - frozenset(
    {"protocol", "format", "encoding", "timezone", "indent", "branch", "hash", "encryption"}
)
_PREFER = frozenset({"prefer", "like"})


@dataclass(frozen=True, slots=True)
class Parsed:
    text: str  # in its normal form
    tokens: tuple[Token, ...]
    content: tuple[int, ...]  # positions of content tokens
    asserted: bool  # not a question, condition, plan or guess
    additive: bool
    changed: bool  # says that something was replaced
    past: bool  # tells of one occurrence in the past
    chinese: bool

    @property
    def values(self) -> list[Token]:
        return [token for token in self.tokens if token.cls]


def _tagged(tokens: Sequence[Token], tag: str) -> bool:
    return any(tag in token.tags for token in tokens)


def _reject(tokens: list[Token], positions: Sequence[int]) -> None:
    for position in positions:
        if 0 <= position < len(tokens):
            tokens[position] = tokens[position]._replace(rejected=True)


def _span(tokens: list[Token], start: int, stop_words: frozenset[str]) -> list[int]:
    """Positions after ``start`` in its clause, up to one of the stop words or a change verb."""
    found = []
    for position in range(start + 1, len(tokens)):
        token = tokens[position]
        if (
            token.clause != tokens[start].clause
            or token.text.lower() in stop_words
            or "change" in token.tags
        ):
            break
        found.append(position)
    return found


_STOP_FROM = frozenset({"to", "into", "到", "for"})
_STOP_REPLACE = frozenset({"with", "by", "for", "成", "为", "到"})
_INSTEAD = frozenset(lexicon.words(concepts.INSTEAD))
_STOP_END = frozenset({"for", "when", "in", "on", "at", "because", "更"})


def _rejections(tokens: list[Token]) -> None:
    changed = _tagged(tokens, "change")
    preferring = any(token.canon in _PREFER for token in tokens)
    for position, token in enumerate(list(tokens)):
        word = token.text.lower()
        if changed and word in ("from", "从", "由"):
            span = _span(tokens, position, _STOP_FROM)
            if position + len(span) + 1 < len(tokens):
                _reject(tokens, span)
        elif word in ("replaced", "replace", "replaces", "取代", "代替", "接替", "替换"):
            _reject_replaced(tokens, position, word)
        elif word in _INSTEAD or (word == "over" and preferring):
            _reject(tokens, _span(tokens, position, _STOP_END))
    if changed:
        _reject_overwritten(tokens)
    if _tagged(tokens, "negation"):
        _reject_contrast(tokens)


def _reject_replaced(tokens: list[Token], position: int, word: str) -> None:
    if word in ("取代", "代替", "接替"):
        following = _span(tokens, position, _STOP_END)
        passive = any(t.text == "被" for t in tokens[:position])
        before = [p for p in range(position) if tokens[p].text not in ("被",)]
        _reject(tokens, before[:1] if passive else following)
        return
    passive = position > 0 and tokens[position - 1].text.lower() in (
        "was",
        "is",
        "been",
        "were",
        "are",
        "being",
    )
    if passive:
        _reject(
            tokens, [p for p in range(position - 1) if tokens[p].cls or tokens[p].kind == "name"]
        )
    elif word != "替换":
        _reject(tokens, [p for p in _span(tokens, position, _STOP_REPLACE) if tokens[p].cls])


def _reject_overwritten(tokens: list[Token]) -> None:
    """``X 换成 Y``, ``8080 改成 9090``: of two values of a class the first is over."""
    for position, token in enumerate(tokens):
        if "change" not in token.tags:
            continue
        after = {t.cls for t in tokens[position + 1 :] if t.cls and not t.rejected}
        before = [p for p in range(position) if tokens[p].cls in after and tokens[p].cls]
        _reject(tokens, before)


def _reject_contrast(tokens: list[Token]) -> None:
    """``X, not Y``: a denied value beside an asserted one of its class."""
    for position, token in enumerate(tokens):
        if "negation" not in token.tags:
            continue
        ahead = position + 1
        while (
            ahead < len(tokens)
            and not tokens[ahead].is_content
            and tokens[ahead].clause == token.clause
        ):
            ahead += 1
        if ahead >= len(tokens) or not tokens[ahead].cls:
            continue
        rival = any(
            t.cls == tokens[ahead].cls and p != ahead and not t.rejected
            for p, t in enumerate(tokens)
        )
        if rival:
            _reject(tokens, [ahead])
            tokens[position] = token._replace(tags=frozenset({"function"}))


_MEASURED = frozenset({"long", "old", "tall", "wide", "deep", "high", "长", "高", "宽", "厚"})
_SINGULAR = frozenset({"is", "was", "has", "does", "will", "can", "and"})
_PLAIN = frozenset({"function"})


def _readings(tokens: list[Token]) -> None:
    """Words read by their neighbour: versions, "30 days long", 会 (can or will)."""
    for position, token in enumerate(tokens):
        before = tokens[position - 1] if position else None
        if token.text == "会":
            following = tokens[position + 1] if position + 1 < len(tokens) else None
            if following is not None and following.cls in ("language", "tongue"):
                tokens[position] = token._replace(tags=token.tags | {"many"})
        if before is None:
            if token.kind == "name" and _common(tokens):
                tokens[0] = token._replace(kind="word")
            continue
        if token.text.lower() in _MEASURED and before.kind in _UNITS:
            tokens[position] = token._replace(scale="", tags=_PLAIN)
        if token.text in ("以前", "之前") and (before.canon == "user" or before.kind == "name"):
            tokens[position] = token._replace(scale="", tags=frozenset({"former"}))
        if token.kind == "number" and (before.cls in _SOFTWARE or before.canon == "version"):
            version = "v" + token.canon.partition("=")[2]
            tokens[position] = token._replace(canon=version, kind="version", cls="version")


def _common(tokens: Sequence[Token]) -> bool:
    """A capitalised plural that opens the sentence ("Alerts are muted") is no name."""
    if not tokens[0].text.endswith("s") or len(tokens) < 2:
        return False
    following = tokens[1].text.lower()
    return following.isascii() and not following.endswith("s") and following not in _SINGULAR


def _former(tokens: list[Token]) -> bool:
    """Whether all of it was true only once; beside other clauses, one clause is discarded."""
    clauses = {token.clause for token in tokens if "former" in token.tags}
    if clauses and any(token.clause not in clauses and token.is_content for token in tokens):
        for position, token in enumerate(tokens):
            if token.clause in clauses and token.cls:
                tokens[position] = token._replace(rejected=True)
        return False
    return bool(clauses)


def _changed(tokens: Sequence[Token]) -> bool:
    """A change is told ("moved to"), which a participle ("increased stress") does not."""
    for position, token in enumerate(tokens):
        if "change" not in token.tags:
            continue
        if not token.text.isascii():
            return True
        following = {t.text.lower() for t in tokens[position + 1 :] if t.clause == token.clause}
        before = tokens[position - 1].text.lower() if position else ""
        told = before in ("has", "have", "was", "were", "now", "been", "is", "are")
        if (
            told
            or token.text.lower().endswith(" to")
            or following & {"to", "from", "with", "into", "instead"}
        ):
            return True
    return False


def _past(tokens: Sequence[Token]) -> bool:
    """One occurrence in the past: a past tense without an auxiliary, or 了 / 过 after a verb."""
    for position, token in enumerate(tokens):
        if token.text in ("了", "过"):
            return True
        if "past" in token.tags and "change" not in token.tags:
            before = {t.text.lower() for t in tokens[max(0, position - 2) : position]}
            if not (before | {token.text.lower().split()[0]}) & {
                "is",
                "was",
                "were",
                "are",
                "be",
                "been",
                "has",
                "have",
                "being",
                "must",
                "should",
            }:
                return True
    return False


@lru_cache(maxsize=4096)
def parse(statement: str) -> Parsed:
    """The parsed form of one statement; kept, because a new one meets many old ones."""
    tokenizer = Tokenizer(statement)
    tokens = tokenizer.run()
    _readings(tokens)
    _rejections(tokens)
    former = _former(tokens)
    tags = {tag for token in tokens for tag in token.tags}
    question = statement.rstrip().endswith(("?", "？"))
    return Parsed(
        text=tokenizer.cased,
        tokens=tuple(tokens),
        content=tuple(
            p for p, token in enumerate(tokens) if token.is_content and not token.rejected
        ),
        asserted=not question and not former and "irrealis" not in tags,
        additive="additive" in tags,
        changed="change" in tags and _changed(tokens),
        past=_past(tokens),
        chinese=any(token.kind == "char" or not token.text.isascii() for token in tokens),
    )
