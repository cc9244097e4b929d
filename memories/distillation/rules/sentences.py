"""Sentences of a message in Chinese and English, each at its place in the text.

Own code: of the libraries looked at, pysbd has had no release since 2021, and sentencex wants one
language a text, while ours mix two, and knows neither 「；」 nor what is no sentence at all.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memories.sessions.echo import CLOSING, OPENING

LONGEST = 400
"""Characters of one sentence, which with its speaker stays under 500 (B6); split at commas."""

_HIDDEN = (
    re.compile(rf"{OPENING}.*?(?:{CLOSING}|\Z)", re.DOTALL),  # B9
    re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL),
    re.compile(r"<(pre|code|log|output)\b[^>]*>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE),
    re.compile(r"^[ \t]*>.*$", re.MULTILINE),
)
# Lines of logs, shells and data: a level or a time in front, a stack frame, a prompt, JSON.
_LOG_LINE = re.compile(
    r"""^[ \t]*(?:
        \[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d | \[?\d\d:\d\d:\d\d\b
      | \[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL|TRACE)\b[\]:\s]
      | Traceback\ \(most | File\ ".*",\ line\ \d+ | at\ [\w.$<>]+\(.*\)
      | [$%#]\ \S | >>>\ | \w+@[\w-]+:\S*[$#] | (?:[\w.]+\.)?\w*(?:Error|Exception):\s
      | [{}\[\]()]+,?[ \t]*$ | "[^"]+"\s*:\s | [+-]{3}\ \S | @@\ | \|.*\|[ \t]*$
      | [-=*_#~]{3,}[ \t]*$
      | <[^\n<>]+>[ \t]*$ | (?:https?|ftp|file)://\S+[ \t]*$
    ).*$""",
    re.MULTILINE | re.VERBOSE,
)
_ATTACHED = re.compile(
    r"[\[【](?:photo|image|picture|video|audio|file|attachment|screenshot"
    r"|图片|照片|视频|语音|文件|附件|截图)\s*[:：][^\[\]【】\n]{0,400}[\]】]",
    re.IGNORECASE,
)
_EMOJI = "\u2600-\u27bf\u2b50\U0001f300-\U0001faff\ufe0f\u200d"
_END = re.compile(
    r"(?P<marks>[。！？；!?.…]++)[\"'”’」』）)\]】]*+"
    rf"|(?P<emoji>[{_EMOJI}]++(?=\s*+(?:[A-Z\u4e00-\u9fff]|$)))"
    r"|\n++"
)
_AFTER = re.compile(rf"\s|$|[\u4e00-\u9fff{_EMOJI}]")
_TITLES = "mr mrs ms dr prof st vs no fig approx dept est gen sen rep lt col sgt jr sr inc ltd co"
_SHORT = re.compile(
    rf"(?:\b(?:{'|'.join(_TITLES.split())}|e\.g|i\.e|etc|cf|al)|\b[A-Z](?:\.[A-Z])*"
    r"|\b[ap]\.m|(?:^|\n)\s*\d{1,3})$",
    re.IGNORECASE,
)
# After these a sentence may well end: only a capital letter tells.
_MAY_END = re.compile(r"(?:\betc|\b[ap]\.m|\bU\.S(?:\.A)?|\bU\.K|\bE\.U)$", re.IGNORECASE)
_CLAUSE = re.compile(r"[，、；：—]\s*|[,;:]\s+")
_GAP = re.compile(r"\s+")
_ITEM = re.compile(r"[\s*•·–-]*(?:\(?\d{1,2}[.)、]\s+)?")
_WORDY = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """Text of a message from `start` up to `end`; `attached` when it describes an attachment."""

    text: str
    start: int
    end: int
    attached: bool = False


def sentences(message: str) -> Iterator[Sentence]:
    """Yield the sentences of a message in order.

    What a person did not say here is left out: recalled memories, code, quoted lines, logs, lines
    that are only an address.
    """
    text = _shown(message)
    start = 0
    for match in _ATTACHED.finditer(text):
        yield from _plain(message, text, start, match.start())
        yield Sentence(match[0], match.start(), match.end(), attached=True)
        start = match.end()
    yield from _plain(message, text, start, len(text))


def hides(text: str) -> bool:
    """Whether a part of a message holds anything that nobody said."""
    return _shown(text) != text


def _shown(message: str) -> str:
    """Return the message with line breaks for all that is not said in it; places stay."""
    for pattern in (*_HIDDEN, _LOG_LINE):
        message = pattern.sub(lambda match: "\n" * len(match[0]), message)
    return message


def _plain(message: str, text: str, start: int, end: int) -> Iterator[Sentence]:
    begin = start
    for match in _END.finditer(text, start, end):
        if match["marks"] and _goes_on(text, begin, match):
            continue
        yield from _trimmed(message, text, begin, match.end())
        begin = match.end()
    yield from _trimmed(message, text, begin, end)


def _goes_on(text: str, begin: int, match: re.Match[str]) -> bool:
    """Whether marks end no sentence: inside an address or a number, an abbreviation, a pause."""
    if any(mark in match["marks"] for mark in "。！？；"):
        return False
    if not _AFTER.match(text, match.end()):
        return True
    return not any(mark in match["marks"] for mark in "!?") and _stop_goes_on(text, begin, match)


def _stop_goes_on(text: str, begin: int, match: re.Match[str]) -> bool:
    after = text[match.end() : match.end() + 40].lstrip(" \t")[:1]
    if after.islower():
        return True
    before = text[max(begin, match.start() - 12) : match.start()]
    if len(match[0]) > 1 or not _SHORT.search(before):
        return False
    return not (_MAY_END.search(before) and (not after or after.isupper()))


def _trimmed(message: str, text: str, start: int, end: int) -> Iterator[Sentence]:
    start = _ITEM.match(text, start, end).end()  # type: ignore[union-attr]  # matches nothing, too
    while end > start and text[end - 1].isspace():
        end -= 1
    for first, last in _pieces(text, start, end):
        if _WORDY.search(text, first, last):
            yield Sentence(message[first:last], first, last)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield pieces of at most LONGEST characters; a run without any gap is no sentence at all."""
    while end - start > LONGEST:
        cut = _last(_CLAUSE, text, start) or _last(_GAP, text, start)
        if cut:
            yield start, cut
            start = cut
            continue
        gap = _GAP.search(text, start + LONGEST, end)
        start = gap.end() if gap else end
    if start < end:
        yield start, end


def _last(pattern: re.Pattern[str], text: str, start: int) -> int:
    return max((match.end() for match in pattern.finditer(text, start, start + LONGEST)), default=0)
