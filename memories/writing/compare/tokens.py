"""From text to tokens: identifiers whole, quantities read, Chinese by longest known word."""

import re
from dataclasses import replace
from typing import NamedTuple

from memories.writing.compare import lexicon, quantities, text, units
from memories.writing.compare.lexicon import Entry

_WORD = re.compile(r"[a-z][a-z0-9_+#]*(?:[-./@:&][a-z0-9_+#]+)*|[a-z0-9]+(?:[-_./@:][a-z0-9]+)*")
_CODED = re.compile(r"[0-9_/@.]")  # of a word: then it is an identifier
_DATE_FORMAT = re.compile(r"[ymd]{1,4}([-/.])[ymd]{1,4}\1[ymd]{1,4}|hh:mm(?::ss)?")
_BREAK = frozenset(",.;:，。；、!?！？()（）\n|")
_READ_FROM = frozenset(
    "0123456789$€£¥零〇一二三四五六七八九十百千两周星礼半第凌清早上中下傍晚夜深每今明"
)
_NEVER_CONTENT = frozenset({"function", "general", "change", "irrealis", "additive", "negation"})
_SURNAMES = frozenset(
    "王李张刘陈杨赵黄吴徐孙胡朱林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范石姚谭廖邹熊陆郝孔白崔康毛邱秦江史"
    "顾侯邵孟龙万段漕钱汤尹黎易常武乔贺赖龚文小阿老"
)
_BEFORE_NAME = frozenset("由给向找和叫是归让跟与被请向")
_AFTER_NAME = frozenset("是在的有会也不说喝吃住叫去和与把被从向对给让就都已将还很养爱想要")
_VERB = frozenset({"many"})
_READ_FIRST = frozenset(units.MONTHS) | {"one"}  # "may", "march" are verbs too, "one" a pronoun
_MAX_WORDS = 4


class Token(NamedTuple):
    """One unit of meaning. ``canon`` is equal for equal meaning, across both languages."""

    text: str
    canon: str
    kind: str  # word, char, name, identifier, or the kind of a quantity
    clause: int
    cls: str = ""
    scale: str = ""
    sign: int = 1
    tags: frozenset[str] = frozenset()
    rejected: bool = False  # "from X", "instead of X", "not X": named, but not asserted

    @property
    def is_value(self) -> bool:
        return bool(self.cls)

    @property
    def is_content(self) -> bool:
        return bool(self.cls or (self.scale and "denier" not in self.tags)) or not (
            self.tags & _NEVER_CONTENT or "denier" in self.tags or "affirmative" in self.tags
        )


def _cjk(char: str) -> bool:
    return (
        "\u3400" <= char <= "\u9fff" or "\u3040" <= char <= "\u30ff" or "\uac00" <= char <= "\ud7af"
    )


def _lower(value: str) -> str:
    """Lower case of the same length, so that positions agree with the cased text."""
    if value.isascii():
        return value.lower()
    return "".join(c if len(c.lower()) != 1 else c.lower() for c in value)


class Tokenizer:
    def __init__(self, statement: str) -> None:
        self.cased = text.normalise(statement)
        self.text = _lower(self.cased)
        self.known = lexicon.lexicon()
        self.clause = 0
        self.tokens: list[Token] = []

    def run(self) -> list[Token]:
        position = 0
        while position < len(self.text):
            position = self._step(position)
        return self.tokens

    def _step(self, at: int) -> int:
        char = self.text[at]
        if char.isspace():
            return at + 1
        if _cjk(char):
            return self._chinese(at)
        if char.isalnum() or char in "$€£¥-":
            return self._latin(at)
        if char in _BREAK:
            self.clause += 1
        return at + 1

    def _emit(self, surface: str, entry: Entry, kind: str = "word") -> None:
        self.tokens.append(
            Token(
                surface,
                entry.canon,
                kind,
                self.clause,
                entry.cls,
                entry.scale,
                entry.sign,
                entry.tags,
            )
        )

    def _take(self, at: int, reading: quantities.Reading) -> int:
        surface = self.cased[at : reading.end].strip(" .,")
        self.tokens.append(Token(surface, reading.canon, reading.kind, self.clause, reading.kind))
        return reading.end

    def _name(self, at: int) -> int:
        """Length of a Chinese name where one can stand: surname, one or two characters, a verb."""
        before = self.tokens[-1] if self.tokens else None
        introduced = before is None or before.clause != self.clause or before.text in _BEFORE_NAME
        if self.text[at] not in _SURNAMES or not introduced:
            return 0
        for size in (2, 3):
            rest = self.text[at + 1 : at + size]
            if len(rest) == size - 1 and all(map(_cjk, rest)) and self._ends_name(at + size):
                return size
        nickname = self.text[at] in "小老阿" and _cjk(self.text[at + 1 : at + 2] or " ")
        return 2 if nickname and not self._longest(at + 1) else 0

    def _ends_name(self, at: int) -> bool:
        if at >= len(self.text) or not _cjk(self.text[at]):
            return True
        return self.text[at] in _AFTER_NAME or self._longest(at) > 0

    def _longest(self, at: int) -> int:
        """Length of the longest known Chinese word of two or more characters here, or 0."""
        for length in range(min(lexicon.longest_chinese(), len(self.text) - at), 1, -1):
            if self.text[at : at + length] in self.known:
                return length - self._cuts_weekday(at + length)
        return 0

    def _chinese(self, at: int) -> int:
        length = self._longest(at)
        if self.text[at] in _READ_FROM:
            reading = quantities.read(self.text, at)
            if reading and reading.end - at > max(length, 1):
                return self._take(at, reading)
        name = 0 if length else self._name(at)
        if name:
            surface = self.text[at : at + name]
            self.tokens.append(Token(surface, surface, "name", self.clause))
            return at + name
        if length:
            surface = self.text[at : at + length]
            self._emit(surface, self.known[surface])
            return at + length
        char = self.text[at]
        entry = self.known.get(char)
        inside = bool(self.tokens) and self.tokens[-1].kind == "char"
        if entry is None or (inside and entry.tags == _VERB):  # 拉 in the middle of a foreign name
            self._emit(char, Entry(char), "char")
        else:
            self._emit(char, entry)
        return at + 1

    def _cuts_weekday(self, end: int) -> int:
        """1 when a word such as 每周 would swallow the 周 of 每周三."""
        return int(bool(self.text[end - 1] == "周" and quantities.read(self.text, end - 1)))

    def _latin(self, at: int) -> int:
        word = _WORD.match(self.text, at)
        month = word is not None and word[0] in _READ_FIRST
        end = self._listed(at, word.end()) if word and not month else None
        if end:
            return end
        reading = quantities.read(self.text, at)
        if reading:
            return self._take(at, reading)
        end = self._listed(at, word.end()) if word and month else None
        if end:
            return end
        if not word:
            return at + 1
        return self._unlisted(at, word)

    def _listed(self, at: int, end: int) -> int | None:
        """The longest known phrase of up to four words that begins here."""
        ends = [end]
        while len(ends) < _MAX_WORDS and self._begins_phrase(at, end):
            following = (
                _WORD.match(self.text, ends[-1] + 1)
                if self.text[ends[-1] : ends[-1] + 1] == " "
                else None
            )
            if not following:
                break
            ends.append(following.end())
        for stop in reversed(ends):
            surface = self.text[at:stop].replace("_", " ")
            entry = self.known.get(surface)
            if entry and self._allowed(surface, at):
                if surface.endswith("ed") and not entry.cls:
                    entry = replace(entry, tags=entry.tags | {"past"})
                self._emit(self.cased[at:stop], entry)
                return stop
        return None

    def _begins_phrase(self, at: int, end: int) -> bool:
        word = self.text[at:end]
        return word in lexicon.phrase_openers() or "_" in word

    def _allowed(self, surface: str, at: int) -> bool:
        if surface not in lexicon.CAPITAL_ONLY:
            return True
        return self.cased[at].isupper() or any(_cjk(c) for c in self.text)

    def _unlisted(self, at: int, match: re.Match[str]) -> int:
        surface = match[0]
        cased = self.cased[at : match.end()]
        if _DATE_FORMAT.fullmatch(surface):
            self._emit(cased, Entry(surface, cls="dateformat"))
        elif "_" in surface and all(part in self.known for part in surface.split("_")):
            for part in surface.split("_"):  # monthly_income
                self._emit(part, self.known[part])
        elif _CODED.search(surface):
            self._emit(cased, Entry(surface, cls="identifier"), "identifier")
        elif "-" in surface:
            return self._latin_part(at, surface)
        else:
            stem = lexicon.stem(surface)
            entry = lexicon.stems().get(stem) or Entry(stem)
            name = cased[0].isupper() and entry.canon == stem
            kind = "name" if name and not entry.tags else "word"
            tags = entry.tags | ({"past"} if surface.endswith("ed") and kind == "word" else set())
            self._emit(
                cased, Entry(entry.canon, "", entry.scale, entry.sign, frozenset(tags)), kind
            )
        return match.end()

    def _latin_part(self, at: int, surface: str) -> int:
        end = at + surface.index("-")
        if not self._listed(at, end):
            part = _WORD.match(self.text[:end], at)
            if part:
                self._unlisted(at, part)
        return end + 1


def tokenize(statement: str) -> list[Token]:
    """Tokens of a statement, in order."""
    return Tokenizer(statement).run()
