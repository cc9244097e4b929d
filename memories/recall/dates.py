"""Times that a question names, in English and Chinese: “in May 2023”, “on Jun 13”, 上个月.

A named time never filters (C3); `closeness` says how near a memory lies to it. Own code: a handful
of forms in two languages without guessing is less than it takes to tame a general date parser.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.utils import timezone

MONTHS = "january february march april may june july august september october november december"
_MONTH = {name[:size]: i for i, name in enumerate(MONTHS.split(), 1) for size in (3, len(name))}
_MONTH["sept"] = 9
_DIGITS = {digit: i for i, digit in enumerate("一二三四五六七八九十", 1)}
_DIGITS |= {"两": 2, "十一": 11, "十二": 12}
_ONE_TO_TWELVE = "one two three four five six seven eight nine ten eleven twelve"
_WORDS = _ONE_TO_TWELVE.split()
_NUMBER = {word: i for i, word in enumerate(_WORDS, 1)} | {"a": 1, "an": 1} | _DIGITS

_UNIT_DAYS = {"d": 1, "天": 1, "日": 1, "w": 7, "周": 7, "星": 7, "礼": 7, "m": 30, "月": 30}
_UNIT_DAYS |= {"y": 365, "年": 365}

_NAME = rf"(?P<month>{'|'.join(sorted(_MONTH, key=len, reverse=True))})\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
# “May” and “march” are also words: without a day or a year they need a preposition.
_BEFORE = r"\b(?:in|of|during|since|until|before|after|by|from|late|early|mid|last|this)[\s-]"
_CLEAR = "|".join(name for name in MONTHS.split() if name not in {"may", "march"})

_HAN_COUNT = r"(?P<count>\d{1,3}|[一二两三四五六七八九十]{1,2})"
_EN_COUNT = rf"(?P<count>\d{{1,3}}|an?|{'|'.join(_WORDS)})"


@dataclass(frozen=True, slots=True)
class Span:
    """Days from `first` to `last`, both included; `yearly` when the question names no year."""

    first: date
    last: date
    yearly: bool = False

    def distance(self, day: date) -> int:
        """Return how many days lie between `day` and the span; 0 inside."""
        if not self.yearly:
            return max((self.first - day).days, (day - self.last).days, 0)
        return min(self._shifted(day.year + by).distance(day) for by in (-1, 0, 1))

    def bounds(self) -> tuple[datetime, datetime]:
        """Return the span as moments of the server's time zone, the second one excluded."""
        midnight = time(tzinfo=timezone.get_current_timezone())
        after = self.last + timedelta(days=1)
        return datetime.combine(self.first, midnight), datetime.combine(after, midnight)

    def _shifted(self, year: int) -> "Span":
        year = min(max(year, 2), 9998)
        last = year + self.last.year - self.first.year
        return Span(_clamped(year, self.first), _clamped(last, self.last))


def named_times(text: str, now: datetime) -> tuple[Span, ...]:
    """Return the times that `text` names, the most exact reading of each, relative to `now`."""
    today = timezone.localtime(now).date()
    found: dict[Span, None] = {}
    rest = text
    for pattern, read in _FORMS:
        for match in pattern.finditer(rest):
            if span := read(match, today):
                found[span] = None
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)
    return tuple(found)


def closeness(moment: datetime, times: tuple[Span, ...], days: float) -> float:
    """Return 1 inside one of the times, ½ at `days` outside of it, and so on; 0 without times."""
    if not times:
        return 0.0
    day = timezone.localtime(moment).date()
    return float(0.5 ** (min(span.distance(day) for span in times) / days))


def _calendar(match: re.Match[str], _today: date) -> Span | None:
    """Read whatever of year, month and day the match has."""
    parts = match.groupdict()
    month = _month(parts.get("month"))
    year = int(parts["year"]) if parts.get("year") else None
    day = int(parts["day"]) if parts.get("day") else None
    if month is None:
        return None if year is None else Span(date(year, 1, 1), date(year, 12, 31))
    if not 1 <= month <= 12:
        return None
    shown = year or 2000  # a leap year, so that 29 February can be named
    if day is None:
        return Span(date(shown, month, 1), _month_end(shown, month), yearly=year is None)
    try:
        only = date(shown, month, day)
    except ValueError:
        return None
    return Span(only, only, yearly=year is None)


def _month(word: str | None) -> int | None:
    if word is None:
        return None
    return int(word) if word.isdigit() else _MONTH.get(word.lower()) or _DIGITS.get(word)


def _month_end(year: int, month: int) -> date:
    return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)


def _clamped(year: int, day: date) -> date:
    return min(date(year, day.month, 1) + timedelta(days=day.day - 1), _month_end(year, day.month))


def _ago(match: re.Match[str], today: date) -> Span | None:
    """Read “3 weeks ago”, “两个月前”: a span as wide as the unit is vague."""
    word = match["count"].lower()
    count = int(word) if word.isdigit() else _NUMBER.get(word, 0)
    days = _UNIT_DAYS[match["unit"][0].lower()]
    middle = today.toordinal() - days * count
    if middle <= days:
        return None
    return Span(date.fromordinal(middle - days // 2), date.fromordinal(middle + days // 2))


def _fixed(of: Callable[[date], Span]) -> Callable[[re.Match[str], date], Span | None]:
    return lambda _match, today: of(today)


def _days(back: int) -> Callable[[re.Match[str], date], Span | None]:
    return _fixed(lambda today: Span(today - timedelta(days=back), today - timedelta(days=back)))


def _week(back: int) -> Callable[[re.Match[str], date], Span | None]:
    def of(today: date) -> Span:
        monday = today - timedelta(days=today.weekday() + 7 * back)
        return Span(monday, monday + timedelta(days=6))

    return _fixed(of)


def _months(back: int) -> Callable[[re.Match[str], date], Span | None]:
    def of(today: date) -> Span:
        year, month = divmod(today.year * 12 + today.month - 1 - back, 12)
        return Span(date(year, month + 1, 1), _month_end(year, month + 1))

    return _fixed(of)


def _years(back: int) -> Callable[[re.Match[str], date], Span | None]:
    def of(today: date) -> Span:
        return Span(date(today.year - back, 1, 1), date(today.year - back, 12, 31))

    return _fixed(of)


def _forms() -> Iterator[tuple[re.Pattern[str], Callable[[re.Match[str], date], Span | None]]]:
    """Yield every form, the most exact first; what one has read the next ones do not see."""
    han_month = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s*月"
    han_day = r"(?P<day>[0-3]?\d)\s*[日号]"
    calendar = [
        r"(?<!\d)(?P<year>(?:19|20)\d\d)[-/.](?P<month>[01]?\d)[-/.](?P<day>[0-3]?\d)(?!\d)",
        rf"{_YEAR}\s*年\s*{han_month}\s*份?{han_day}",
        rf"{_YEAR}\s*年\s*{han_month}",
        rf"{han_month}\s*{han_day}",
        r"(?<!\d)(?P<year>(?:19|20)\d\d)[-/](?P<month>0[1-9]|1[0-2])(?![\d-])",
        rf"\b{_NAME}\s+{_DAY},?\s+{_YEAR}",
        rf"\b{_DAY}\s+(?:of\s+)?{_NAME},?\s+{_YEAR}",
        rf"\b{_NAME},?\s+{_YEAR}",
        rf"\b{_NAME}\s+{_DAY}",
        rf"\b{_DAY}\s+(?:of\s+)?{_NAME}",
        rf"{_BEFORE}{_NAME}",
        rf"\b(?P<month>{_CLEAR})\b",
        rf"(?<![\d个一二两三四五六七八九十]){han_month}(?!前)",
        rf"{_YEAR}\s*年",
        rf"(?:{_BEFORE}|\b(?:year|summer|winter|spring|autumn|fall)(?: of)? ){_YEAR}(?![\d-])",
    ]
    for form in calendar:
        yield re.compile(form, re.IGNORECASE), _calendar
    yield re.compile(rf"\b{_EN_COUNT}\s+(?P<unit>days?|weeks?|months?|years?)\s+ago\b", re.I), _ago
    yield re.compile(rf"{_HAN_COUNT}\s*个?(?P<unit>天|日|周|星期|礼拜|月|年)\s*[之以]?前"), _ago
    fixed = [
        (r"\btoday\b|今天|今日", _days(0)),
        (r"\bday before yesterday\b|前天", _days(2)),
        (r"\byesterday\b|昨天|昨日", _days(1)),
        (r"\bthis week\b|这周|本周|这个星期", _week(0)),
        (r"\blast week\b|上周|上个?星期|上个?礼拜", _week(1)),
        (r"\bthis month\b|这个月|本月", _months(0)),
        (r"\blast month\b|上个?月", _months(1)),
        (r"\bthis year\b|今年", _years(0)),
        (r"\blast year\b|去年", _years(1)),
        (r"前年", _years(2)),
    ]
    for form, read in fixed:
        yield re.compile(form, re.IGNORECASE), read


_FORMS = tuple(_forms())
