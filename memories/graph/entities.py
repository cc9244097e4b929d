"""Names in a memory, by rules: people, products, identifiers, places, in Chinese and English (A3).

A rule proposes spans of the text; the first rule of _RULES that claims a span has it. What two
names of one text are to each other – “X (Y)”, “X, also known as Y”, 又称 Y – makes aliases.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memories.graph import gazette
from memories.graph.aliases import aliases_in
from memories.graph.words import (
    ACTS,
    COMMON_ENDINGS,
    HAN_BEFORE,
    HAN_ENDINGS,
    HAN_PLAIN,
    HAN_STOP,
    HAN_TITLES,
    OPENERS,
    PARTS,
    STOP,
    SURNAMES,
)
from memories.text.names import folded

MOST = 12
"""Names of one memory: one idea speaks of few things."""
LONGEST = 60
"""Characters of a name."""
READ = 4_000
"""Characters of a memory in which names are looked for."""


@dataclass(frozen=True, slots=True)
class Name:
    """Something with a name: as it is written, folded for comparison, and what else it goes by.

    `aliases` are keys too.
    """

    name: str
    key: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """Where a rule found a name."""

    start: int
    end: int
    name: str


def entities(text: str, subject: str = "", tags: Sequence[str] = ()) -> tuple[Name, ...]:
    """Return the names of a memory, the subject's first, at most MOST. Never raises for a text."""
    plain = unicodedata.normalize("NFKC", text)[:READ].replace("\u2019", "'")
    spans = _spans(plain)
    written = [*_subject(subject), *(span.name for span in spans), *_tagged(tags)]
    found: dict[str, Name] = {}
    for name in written:
        one = named(name)
        if one.key and one.key not in found:
            found[one.key] = one
    for first, second in aliases_in(plain, [(span.start, span.end) for span in spans]):
        _join(found, named(first), named(second))
    return tuple(found.values())[:MOST]


def named(name: str) -> Name:
    """Return a name as it is written, with its keys."""
    name = name.strip(" .,;:'\"")[:LONGEST]
    keys = gazette.known().get(name.casefold().replace("-", " ")) or gazette.known().get(
        name.casefold(), (folded(name),)
    )
    return Name(name, keys[0], keys[1:])


def _join(found: dict[str, Name], name: Name, other: Name) -> None:
    """Make two names one, under the key of the first."""
    if not (name.key and other.key) or name.key == other.key:
        return
    known = found.get(name.key, name)
    more = (*known.aliases, other.key, *other.aliases)
    kept = tuple(key for key in dict.fromkeys(more) if key != known.key)
    found.pop(other.key, None)
    found[known.key] = replace(known, aliases=kept)


def _subject(subject: str) -> Iterator[str]:
    """Yield the thing a subject key is about: “order-service” of “order-service/database”."""
    first = unicodedata.normalize("NFKC", subject).split("/", 1)[0].strip()
    words = first.replace("_", " ").replace("-", " ").casefold().split()
    if first and len(words) <= 4 and not all(word in STOP | OPENERS for word in words):
        yield first


def _tagged(tags: Sequence[str]) -> Iterator[str]:
    for tag in tags:
        form = tag.casefold()
        listed = form in gazette.known() and form not in gazette.ambiguous()
        if listed or _IDENTIFIER.fullmatch(tag):
            yield tag


def _spans(text: str) -> list[Span]:
    """Return what the rules find, in the order of the text, without overlaps."""
    taken: list[Span] = []
    for rule in _RULES:
        for span in rule(text):
            free = all(span.end <= other.start or span.start >= other.end for other in taken)
            if free and span.name.strip():
                taken.append(span)
    return sorted(taken, key=lambda span: span.start)


# --- what is marked as a name --------------------------------------------------------------------

_TITLE = re.compile(r"《([^《》\n]{1,40})》|[「『]([^「」『』\n]{2,16})[」』]")
_QUOTED = re.compile(r"“([^“”\n]{2,40})”|\"([^\"\n]{2,40})\"")
_CODE = re.compile(r"`([^`\n]{2,60})`")
_SENTENCE = re.compile(r"[,.;!?，。；！？：、…]\s|[，。；！？：、…]|[.!?]$")


def _marked(text: str) -> Iterator[Span]:
    for match in _TITLE.finditer(text):
        yield Span(*match.span(), match[1] or match[2])
    for match in _CODE.finditer(text):
        if len(match[1].split()) <= 3:
            yield Span(*match.span(), match[1])
    for match in _QUOTED.finditer(text):
        said = match[1] or match[2]
        if not _SENTENCE.search(said) and _titled(said):
            yield Span(*match.span(), said)


def _titled(said: str) -> bool:
    """Whether what stands in quotes reads as a name rather than as something that was said."""
    if _HAN.search(said):
        return len(said) <= 10 and said not in HAN_STOP
    words = said.split()
    capital = sum(word[:1].isupper() or word[:1].isdigit() for word in words)
    if not any(char.isalpha() for char in said):
        return False
    return len(words) <= 6 and capital * 2 >= len(words) and said.casefold() not in STOP


# --- identifiers ---------------------------------------------------------------------------------

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_EDGE = r"(?<![A-Za-z0-9_@./\\-])"
_URL = re.compile(r"\bhttps?://([^\s/?#:，。]+)[^\s，。）)]*", re.I)
_HANDLE = re.compile(
    r"(?<![\w.])@([A-Za-z0-9_][\w.-]{1,38}\w)|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b", re.A
)
_PATH = re.compile(
    r"(?<![\w/])(?:~|\.{1,2})?/?(?:[\w.@-]+/)+[\w.@-]*\w|(?<![\w/])/[\w.@-]+\w", re.A
)
_IDENTIFIER = re.compile(
    _EDGE + r"(?:[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+"  # snake_case
    r"|[a-z]+[0-9]*(?:[A-Z][a-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+"  # camelCase, PascalCase
    r"|[A-Z]{2,10}-\d+|v\d+(?:\.\d+)+(?:-[\w.]+)?"  # PROJ-123, v2.3.1
    r"|[A-Za-z]+\d+[A-Za-z]*(?:-[A-Za-z0-9]+)*|[A-Za-z]+(?:-[A-Za-z0-9]+)*-[A-Za-z]*\d[\w.]*"
    r"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w+)+(?:\(\))?"
    r")(?![A-Za-z0-9_]|-[A-Za-z])",
    re.A,
)
_KEBAB = re.compile(_EDGE + r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?![\w-])", re.A)
_DOTFILE = re.compile(r"(?<![\w/.])\.[a-z]\w+(?:[.-]\w+)*", re.A)
_OPAQUE = re.compile(r"[0-9a-f]{12,}", re.I)
_ORDINAL = re.compile(r"\d|[a-z]?\d{1,2}|[ap]m\d*|(?:e\.g|i\.e|a\.k\.a|p\.s|a\.m|p\.m)\.?", re.I)


def _identifiers(text: str) -> Iterator[Span]:
    for match in _URL.finditer(text):
        yield Span(*match.span(), match[1].removeprefix("www."))
    for match in _HANDLE.finditer(text):
        yield Span(*match.span(), match[0])
    for match in _PATH.finditer(text):
        if match[0].count("/") > 1 or "." in match[0] or match[0].startswith("/"):
            yield Span(*match.span(), match[0])
    for match in _DOTFILE.finditer(text):
        yield Span(*match.span(), match[0])
    for match in _IDENTIFIER.finditer(text):
        if not _OPAQUE.search(match[0]) and not _ORDINAL.fullmatch(match[0]):
            yield Span(*match.span(), match[0])
    for match in _KEBAB.finditer(text):
        parts = match[0].split("-")
        if parts[-1] in PARTS or parts[0] in PARTS - {"test"}:
            yield Span(*match.span(), match[0])


# --- names that are known ------------------------------------------------------------------------


_LONGER = re.compile(r"\s[A-Z]\w")


def _listed(text: str) -> Iterator[Span]:
    chinese = bool(_HAN.search(text))
    for match in gazette.pattern().finditer(text):
        form = match[0].casefold().replace("-", " ")
        common = form in gazette.ambiguous() and form.isascii()
        if not common or chinese or (match[0][0].isupper() and _capital(text, match)):
            yield Span(*match.span(), match[0])


def _capital(text: str, match: re.Match[str]) -> bool:
    """Whether a capital makes a common word a name here: none opens a sentence or a longer name."""
    if _LONGER.match(text, match.end()):
        return False
    return not _opens(text, match.start()) or _acts(text, match.end())


# --- capitalised names ---------------------------------------------------------------------------

_WORD = r"[A-ZÀ-ÖØ-Þ][\w'&+#-]*(?:\.[A-Za-z]\w*)*"
_INNER = r"(?:\s(?:of|the|de|van|von|der|la|du|di|del|&)){1,2}"
_CAPITALS = re.compile(rf"(?<![\w.'-]){_WORD}(?:(?:{_INNER})?\s{_WORD}|\s\d+(?:\.\d+)*(?!\w))*")
_OPENING = re.compile(r"(?:^|[.!?:;…\n—–(\[\"“]|(?:^|\n)\s*[-*•]|\d\.)\s*$")
_NEXT = re.compile(r"\s+([a-z']+)|\s*(:)|('s)\b")


def _capitals(text: str) -> Iterator[Span]:
    for match in _CAPITALS.finditer(text):
        words = [(word.start() + match.start(), word[0]) for word in re.finditer(r"\S+", match[0])]
        while words and _plain(words[0][1]):
            words.pop(0)
        while words and (
            _plain(words[-1][1]) or (not words[-1][1][0].isupper() and len(words) == 1)
        ):
            words.pop()
        if words and _stands(text, match, words):
            start, end = words[0][0], words[-1][0] + len(words[-1][1].rstrip(".'"))
            yield Span(start, end, text[start:end].removesuffix("'s"))


def _plain(word: str) -> bool:
    return word.casefold().rstrip(".'").removesuffix("'s") in STOP or len(word.strip(".'")) < 2


def _stands(text: str, match: re.Match[str], words: Sequence[tuple[int, str]]) -> bool:
    """Whether the capitals mean a name where a capital alone says nothing."""
    start, word = words[0]
    if not _opens(text, start):
        return True
    if len(words) > 1 and word.casefold() not in OPENERS:
        return True
    plain = word.casefold().removesuffix("'s")
    if plain in OPENERS or plain.endswith(COMMON_ENDINGS):
        return False
    again = re.search(rf"(?<=[\w,]\s){re.escape(word)}\b", text)
    acronym = word.isupper() and 2 <= len(word) <= 6
    return (
        bool(again)
        or acronym
        or word.endswith("'s")
        or _acts(text, words[-1][0] + len(words[-1][1]))
    )


def _opens(text: str, at: int) -> bool:
    return bool(_OPENING.search(text[max(0, at - 12) : at])) if at else True


def _acts(text: str, end: int) -> bool:
    """Whether what follows is what somebody or something does: “Anna prefers”, “Mel:”, “Bob's”."""
    match = _NEXT.match(text, end)
    if not match:
        return False
    word = match[1] or ""
    regular = len(word) > 3 and word.endswith(("s", "ed")) and not word.endswith("ss")
    return not match[1] or word in ACTS or regular


# --- Chinese -------------------------------------------------------------------------------------

_H = "\u3400-\u4dbf\u4e00-\u9fff"
_LATIN = re.compile(
    r"(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9+#.]*(?: [A-Z][A-Za-z0-9+#.]*)*(?![A-Za-z0-9_])"
)
_ENDED = re.compile(rf"[{_H}A-Za-z0-9·]{{1,12}}?(?:{'|'.join(HAN_ENDINGS)})")
_WIDE = ("省", "市")
_CUT = re.compile(f".*[{HAN_BEFORE}]")
_TITLED = re.compile(
    rf"(?:[小老][{''.join(sorted(SURNAMES))}]|[{''.join(sorted(SURNAMES))}](?:{'|'.join(HAN_TITLES)}))"
)
_CALLED = re.compile(
    rf"(?:名叫|叫做|叫作|名为|取名|代号|昵称|名字[叫是]|(?<![{_H}])我叫)(?:是|为|叫)?([{_H}]{{2,4}}?|[A-Za-z]\w+)(?=[的，。,.、；！\s]|$)"
)
_PERSON = re.compile(
    rf"(?:(?<![{_H}])|(?<=[由给向找和叫跟与被请让是为，。、；]))([{''.join(sorted(SURNAMES))}][{_H}]{{1,2}}?)"
    r"(?=[是在的说负喜住去和与把从将爱想要有会建提决认告写做养买最刚正、，。：；]|$)"
)


def _chinese(text: str) -> Iterator[Span]:
    if not _HAN.search(text):
        return
    for match in _CALLED.finditer(text):
        yield Span(match.start(1), match.end(1), match[1])
    for match in _TITLED.finditer(text):
        yield Span(*match.span(), match[0])
    for match in _PERSON.finditer(text):
        if match[1] not in HAN_STOP and match[1][0] != match[1][1]:
            yield Span(match.start(1), match.end(1), match[1])
    for match in _LATIN.finditer(text):
        if (
            len(match[0]) > 1
            and match[0].casefold().rstrip(".") not in STOP
            and _beside(text, match)
        ):
            yield Span(
                match.start(), match.start() + len(match[0].rstrip(".")), match[0].rstrip(".")
            )


def _institutions(text: str) -> Iterator[Span]:
    for match in _ENDED.finditer(text):
        if span := _ended(match):
            yield span


def _ended(match: re.Match[str]) -> Span | None:
    """Return the name before and with its ending, cut where the sentence before it ends."""
    whole = match[0]
    ending = max((end for end in HAN_ENDINGS if whole.endswith(end)), key=len)
    body = whole[: -len(ending)]
    cut = _CUT.match(body)
    body = body[cut.end() :] if cut else body
    if len(body) < 2 or body in HAN_PLAIN or (ending in _WIDE and body in gazette.known()):
        return None
    start = match.end() - len(ending) - len(body)
    return Span(start, match.end(), body + ending)


def _beside(text: str, match: re.Match[str]) -> bool:
    """Whether a Latin word stands in a Chinese sentence rather than in an English one."""
    before, after = text[: match.start()].rstrip()[-1:], text[match.end() :].lstrip()[:1]
    return bool(_HAN.match(before) or _HAN.match(after)) or match[0][0].isupper()


_RULES = (_marked, _institutions, _listed, _identifiers, _chinese, _capitals)
