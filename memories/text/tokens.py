"""Keyword tokens: Latin words stemmed, identifiers whole, CJK character bigrams.

The same function makes the tokens of memories and of queries, so whatever it does to a word it does
on both sides.
"""

import re
import threading
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import Stemmer

MAX_TOKEN = 200
"""Characters; a longer run without spaces (base64, minified code) is cut. PostgreSQL takes 2 kB."""

CODE = 4
"""Bytes."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
HAN = re.compile("[\u4e00-\u9fff]")
"""Tells Chinese text from text in another script."""
_JOINTS = r"[._@/:\-+#'\u2019]"
# Either a run of CJK, or letters and digits of any other script, joined by what joins identifiers.
_RUN = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+(?:{_JOINTS}+[^\W{_CJK}]+)*[+#]*")
_PART = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# What follows an apostrophe in English is grammar: Anna's, don't, they're.
_APOSTROPHE = re.compile(r"['\u2019]\w{0,2}(?!\w)")
_FIRST_CJK = re.compile(rf"[{_CJK}]")

# Words that say nothing about what a text is about; question words are here, negations are not.
# Chinese has no such list: dropping 什么, 怎么 and the like made MADial-zh worse (R@10 .705, .691).
_STOP = """
a about am an and are as at be been but by can could d did do does doing for from had has have
having he her hers him his how i if in into is it its ll m me my of on or our ours re s she so t
than that the their theirs them then there these they this those to us ve was we were what when
where which while who whom whose why will with would you your yours
"""
STOP_WORDS = frozenset(_STOP.split())
# Particles, pronouns, plural, copula: a pair with one of them in it spans two words or says nothing
# of what is talked about. 他, 吧, 不 and the like are not here: 吉他, 酒吧, 不锈钢 are words.
_GRAMMAR = frozenset("的了着吗呢啊呀嘛啦哦哇嗯哎哈我你您她它们这那哪是很也又")
_local = threading.local()


def tokenize(text: str) -> list[str]:
    """Return the tokens of `text`, in order, without stop words.

    `HTTP_PROXY` gives http_proxy, http, proxi; `k8s-prod-01` itself and its parts; `部署服务` 部署,
    署服, 服务; a single CJK character itself. Full-width forms count as their plain ones.
    """
    plain = unicodedata.normalize("NFKC", text)
    return [token[:MAX_TOKEN] for run in _RUN.findall(plain) for token in _tokens(run)]


def grammatical(token: str) -> bool:
    """Whether a token is a pair of Chinese characters of which one is grammar: 的感, 我们, 好吗.

    Memories keep theirs. A long talk has so many of them that each finds something: without them
    the words of a talk find what it is about.
    """
    return len(token) == 2 and not _GRAMMAR.isdisjoint(token)


def _tokens(run: str) -> Iterator[str]:
    if _FIRST_CJK.match(run):
        yield from _bigrams(run)
        return
    yield from _latin(run)


def _bigrams(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
        return
    for i in range(len(run) - 1):
        yield run[i : i + 2]


def _latin(run: str) -> Iterator[str]:
    """Yield a word's stem, or an identifier whole and then its parts' stems."""
    word = _APOSTROPHE.sub("", run)
    parts = [piece for part in _PART.findall(word) for piece in _CAMEL.split(part)]
    if parts != [word]:
        yield word.lower()
    for part in parts:
        small = part.lower()
        if small not in STOP_WORDS:
            yield stem(small)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; what has digits in it is kept as it is."""
    if not word.isalpha():
        return word
    # A Stemmer keeps state while it works: one a thread.
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:
        stemmer = _local.stemmer = Stemmer.Stemmer("english")
    stemmed: str = stemmer.stemWord(word)
    return stemmed


def code(token: str) -> int:
    """Return a number of CODE bytes that stands for a token.

    Two tokens share one once in 4 billion pairs: a word of a question would then be found in a
    memory that has the other one, and counts a little too much.
    """
    return zlib.crc32(token.encode())


def codes(tokens: Sequence[str]) -> bytes:
    """Return the tokens' codes one after the other, CODE bytes each, big-endian."""
    return b"".join(code(token).to_bytes(CODE, "big") for token in tokens)


def tsvector_literal(tokens: Iterable[str]) -> str:
    """Return a tsvector literal without positions: `'tok' 'other'`."""
    return " ".join(map(quoted, dict.fromkeys(tokens)))


def tsquery_literal(terms: Sequence[str]) -> str:
    """Return a tsquery literal that matches any of the terms; empty for none."""
    return " | ".join(map(quoted, terms))


def quoted(token: str) -> str:
    """Return a token as one lexeme of a literal, whatever characters it has."""
    return "'{}'".format(token.replace("\\", "\\\\").replace("'", "''"))
