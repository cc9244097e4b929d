"""Relative dates, told by the day they were said on: “yesterday” → “yesterday (2023-05-07)”.

The word stays and the date follows it, so that nothing is lost when it was read wrongly, and a
question for a date finds it. `memories.recall.dates` reads questions: past times, as wide as the
asker may mean them; here the day counts, and the future too.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.utils import timezone

from memories.text.tokens import HAN

_DIGITS = {word: i for i, word in enumerate("零一二三四五六七八九十", 0)} | {"两": 2, "俩": 2}
_TO_TWELVE = "zero one two three four five six seven eight nine ten eleven twelve"
_WORDS = _TO_TWELVE.split()
_NUMBER = {word: i for i, word in enumerate(_WORDS)} | _DIGITS
_NUMBER |= {
    "a": 1,
    "an": 1,
    "couple": 2,
    "few": 0,
    "several": 0,
    "几": 0,
    "半": 0,
    "十一": 11,
    "十二": 12,
}
_WEEK = "monday tuesday wednesday thursday friday saturday sunday"
_WEEKDAYS = _WEEK.split()
_WEEKDAY = {name[:size]: i for i, name in enumerate(_WEEKDAYS) for size in (3, 4, len(name))}
_WEEKDAY |= {sign: i for i, sign in enumerate("一二三四五六日")} | {"天": 6}
_YEAR = "january february march april may june july august september october november december"
_MONTHS = _YEAR.split()
_MONTH = {name[:size]: i for i, name in enumerate(_MONTHS, 1) for size in (3, len(name))}
_HAN_MONTH = {"十": 10, "十一": 11, "十二": 12} | {
    s: i for i, s in enumerate("一二三四五六七八九", 1)
}

_DAY_NAMES = (
    r"(?P<weekday>mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:rs|rsday)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)\b"
)
_MONTH_NAMES = rf"(?P<month>{'|'.join(_MONTHS)})\b"
_EN_COUNT = rf"(?P<count>\d{{1,3}}|an?(?: couple(?: of)?)?|couple(?: of)?|{'|'.join(_WORDS[1:])})"
_HAN_COUNT = r"(?P<count>\d{1,3}|十[一二]|[一两二三四五六七八九十])"
_PART = "(?:早上|上午|中午|下午|晚上)?"
_COMING = re.compile(
    r"\b(?:will|'ll|shall|is|are|am|'m|'re|going|gonna|due|plan\w*|\w+ing)\b|['’](?:ll|m|re)\b",
    re.I,
)
_DATED = r"(?!\s*[(（]\s*\d{4})"


@dataclass(frozen=True, slots=True)
class Told:
    """A statement with its dates written out; `day` when exactly one certain day is named."""

    text: str
    day: date | None = None
    dated: bool = False

    def moment(self) -> datetime | None:
        """Return noon of that day in the server's zone: the same day in most others."""
        if self.day is None:
            return None
        return datetime.combine(self.day, time(12, tzinfo=timezone.get_current_timezone()))


@dataclass(frozen=True, slots=True)
class _Date:
    shown: str
    day: date | None = None


_Read = Callable[[re.Match[str], date], _Date | None]


def dated(text: str, said_at: datetime) -> Told:
    """Return the text with the date after each relative time in it. Never raises."""
    today = timezone.localtime(said_at).date()
    found = sorted(_found(text, today), key=lambda one: one[0])
    for _start, end, told in reversed(found):
        shown = f"（{told.shown}）" if HAN.match(text[end - 1]) else f" ({told.shown})"
        text = text[:end] + shown + text[end:]
    days = {one.day for _start, _end, one in found}
    day = days.pop() if len(days) == 1 else None
    return Told(text, day, bool(found))


def _found(text: str, today: date) -> Iterator[tuple[int, int, _Date]]:
    """Yield (start, end, date); what an exact form has read the vaguer ones do not see."""
    rest = text
    for pattern, read in _FORMS:
        for match in pattern.finditer(rest):
            try:
                told = read(match, today)
            except (ValueError, OverflowError):  # 30 February, or a year outside the calendar
                continue
            if told is not None:
                yield match.start(), match.end(), told
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)


def _day(day: date) -> _Date:
    return _Date(day.isoformat(), day)


def _offset(days: int) -> _Read:
    return lambda _match, today: _day(today + timedelta(days=days))


def _span(first: date, days: int) -> _Date:
    """Return an interval of ISO 8601, with the parts of its end that differ: 2023-05-01/07."""
    last = first + timedelta(days=days)
    same = first.month == last.month
    return _Date(f"{first.isoformat()}/{last.isoformat()[8 if same else 5 :]}")


def _week_of(day: date) -> _Date:
    return _span(day - timedelta(days=day.weekday()), 6)


def _week(weeks: int) -> _Read:
    def read(_match: re.Match[str], today: date) -> _Date:
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)
        return _span(monday, 6)

    return read


def _weekend(weeks: int) -> _Read:
    def read(_match: re.Match[str], today: date) -> _Date:
        saturday = today + timedelta(days=5 - today.weekday(), weeks=weeks)
        return _span(saturday, 1)

    return read


def _months(by: int) -> _Read:
    return lambda _match, today: _Date(_month_at(today, by))


def _month_at(today: date, by: int) -> str:
    year, month = divmod(today.year * 12 + today.month - 1 + by, 12)
    return f"{year:04d}-{month + 1:02d}"


def _years(by: int) -> _Read:
    return lambda _match, today: _Date(f"{today.year + by:04d}")


def _weekday(way: int) -> _Read:
    """Read “last Friday” (way -1) and “next Friday” (+1)."""

    def read(match: re.Match[str], today: date) -> _Date:
        gap = (_WEEKDAY[match["weekday"].lower()] - today.weekday()) % 7
        if way < 0:
            return _day(today - timedelta(days=7 - gap))
        # Whether the Friday of this week or the one after is meant, only the speaker knows.
        return _Date((today + timedelta(days=gap or 7)).isoformat())

    return read


def _han_weekday(weeks: int) -> _Read:
    """Read 上周五, 这周五, 下周五: a day of the calendar week."""

    def read(match: re.Match[str], today: date) -> _Date:
        ahead = _WEEKDAY[match["weekday"]] - today.weekday()
        return _day(today + timedelta(days=ahead, weeks=weeks))

    return read


def _counted(way: int) -> _Read:
    """Read “3 days ago”, 两周后: a day for days and weeks, a month or a year for the rest."""

    def read(match: re.Match[str], today: date) -> _Date | None:
        count = way * _count(match["count"])
        unit = match["unit"][0].lower()
        if not count:
            return None
        if unit in "d天日":
            return _day(today + timedelta(days=count))
        if unit in "w周星礼":
            return _week_of(today + timedelta(weeks=count))
        if unit in "m月个":
            return _Date(_month_at(today, count))
        return _Date(f"{today.year + count:04d}")

    return read


def _ahead(match: re.Match[str], today: date) -> _Date | None:
    """Read “in two weeks” as a time only where it speaks of what will be, not how long it took."""
    return _counted(1)(match, today) if _COMING.search(match.string[: match.start()]) else None


def _count(words: str) -> int:
    word = words.lower().removesuffix(" of").removeprefix("a ")
    return int(word) if word.isdigit() else _NUMBER.get(word, 0)


def _named_month(years: int | None) -> _Read:
    """Read “last May”, 去年三月; without a year the month before or after today."""

    def read(match: re.Match[str], today: date) -> _Date:
        word = match["month"].lower()
        month = int(word) if word.isdigit() else (_MONTH.get(word) or _HAN_MONTH[word])
        year = today.year + years if years is not None else today.year - (month >= today.month)
        return _with_day(match, year, month)

    return read


def _next_month(match: re.Match[str], today: date) -> _Date:
    month = _MONTH[match["month"].lower()]
    return _Date(f"{today.year + (month <= today.month):04d}-{month:02d}")


def _with_day(match: re.Match[str], year: int, month: int) -> _Date:
    day = match.groupdict().get("day")
    return _day(date(year, month, int(day))) if day else _Date(f"{year:04d}-{month:02d}")


def _forms() -> Iterator[tuple[str, _Read]]:
    """Yield every form, the most exact first."""
    han_month = (
        r"(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月份?(?:(?P<day>[0-3]?\d)[日号])?"
    )
    yield rf"去年的?{han_month}", _named_month(-1)
    yield rf"今年的?{han_month}", _named_month(0)
    yield rf"明年的?{han_month}", _named_month(1)
    yield rf"前年的?{han_month}", _named_month(-2)
    yield rf"\blast {_MONTH_NAMES}", _named_month(None)
    yield rf"\bnext {_MONTH_NAMES}", _next_month
    for sign, weeks in (("上上", -2), ("上", -1), ("这|本", 0), ("下下", 2), ("下", 1)):
        yield rf"(?:{sign})个?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])", _han_weekday(weeks)
    yield rf"\blast {_DAY_NAMES}", _weekday(-1)
    yield rf"\b(?:next|this coming) {_DAY_NAMES}", _weekday(1)
    yield (
        rf"\b{_EN_COUNT} (?P<unit>days?|weeks?|months?|years?) (?:ago|back|earlier)\b",
        _counted(-1),
    )
    yield rf"\bin {_EN_COUNT} (?P<unit>days?|weeks?|months?|years?)\b(?! of| or)", _ahead
    yield rf"\b{_EN_COUNT} (?P<unit>days?|weeks?|months?|years?) from now\b", _counted(1)
    yield rf"{_HAN_COUNT}\s*个?(?P<unit>天|日|周|星期|礼拜|月|年)[之以]?前", _counted(-1)
    yield rf"{_HAN_COUNT}\s*个?(?P<unit>天|日|周|星期|礼拜|月|年)[之以]?后", _counted(1)
    yield from _fixed()


def _fixed() -> Iterator[tuple[str, _Read]]:
    yield r"\b(?:the )?day before yesterday\b|(?<![大以])前天", _offset(-2)
    yield r"大前天", _offset(-3)
    yield r"\b(?:the )?day after tomorrow\b|(?<![大以])后天", _offset(2)
    yield r"大后天", _offset(3)
    yield (
        r"\byesterday(?: (?:morning|afternoon|evening))?\b|\blast night\b|昨[天日晚]" + _PART,
        _offset(-1),
    )
    yield (
        r"\b(?:tonight|this (?:morning|afternoon|evening)|today)\b|今[天日早晚]" + _PART,
        _offset(0),
    )
    yield (
        r"\btomorrow(?: (?:morning|afternoon|evening|night))?\b|明[天日早晚]" + _PART,
        _offset(1),
    )
    yield r"\blast weekend\b|上个?周末", _weekend(-1)
    yield r"\bthis weekend\b|这个?周末|本周末", _weekend(0)
    yield r"\bnext weekend\b|下个?周末", _weekend(1)
    yield r"\blast week\b|上个?(?:周|星期|礼拜)", _week(-1)
    yield r"\bthis week\b|(?:这个?|本)(?:周|星期|礼拜)", _week(0)
    yield r"\bnext week\b|下个?(?:周|星期|礼拜)", _week(1)
    yield r"\blast month\b|上个?月", _months(-1)
    yield r"\bthis month\b|这个月|本月", _months(0)
    yield r"\bnext month\b|下个?月", _months(1)
    yield r"\blast year\b|去年", _years(-1)
    yield r"\bthis year\b|今年", _years(0)
    yield r"\bnext year\b|明年", _years(1)
    yield r"前年", _years(-2)
    yield r"后年", _years(2)


_FORMS = tuple((re.compile(f"(?:{form}){_DATED}", re.IGNORECASE), read) for form, read in _forms())
