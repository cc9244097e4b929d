"""Numbers with units, dates, times of day, weekdays and versions, read at a position of a text.

Every reading is a ``Reading(end, kind, canon)``: equal canon means equal value ("2 GB" and
"2048 MB", "9 am" and "09:00", "两周" and "14 天"). Patterns are anchored and bounded, so reading is
linear.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from memories.writing.compare import units
from memories.writing.compare.units import alternatives

_ZH_NUM = r"[零〇一二两三四五六七八九十百千]"
_N = rf"(?:\d{{1,2}}|{_ZH_NUM}{{1,3}})"
_MONTH = alternatives(units.MONTHS)
_DAYPART = r"凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|夜间|深夜|每晚|今晚|明晚"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_WORDS = alternatives(units.ENGLISH_NUMBERS)
_UNIT = alternatives(units.UNITS)
_ZH_UNIT = alternatives([u for u in units.UNITS if not u.isascii()] + units.MEASURES)
_AM = r"\s?([ap])\.?m\b\.?"


# A mean month; months vary, so they are compared with days only roughly.
_MONTH_SECONDS = 2_629_800


class Reading(NamedTuple):
    end: int
    kind: str
    canon: str


def _int(text: str) -> int:
    return int(text) if text.isdigit() and text.isascii() else units.chinese_number(text)


def _date(match: re.Match[str], year: str | None, month: int, day: str | None) -> Reading | None:
    number = _int(day) if day else 0
    if not 1 <= month <= 12 or number > 31:
        return None
    return Reading(match.end(), "date", f"{year or '-'}/{month}/{number or '-'}")


def _iso(m: re.Match[str]) -> Reading | None:
    return _date(m, m[1], int(m[2]), m[3])


def _zh_date(m: re.Match[str]) -> Reading | None:
    return _date(m, m[1], _int(m[2]), m[3])


def _day_month(m: re.Match[str]) -> Reading | None:
    return _date(m, m[3], units.MONTHS[m[2]], m[1])


def _month_day(m: re.Match[str]) -> Reading | None:
    return _date(m, m[3], units.MONTHS[m[1]], m[2])


def _month_year(m: re.Match[str]) -> Reading | None:
    return _date(m, m[2], units.MONTHS[m[1]], None)


def _year(m: re.Match[str]) -> Reading | None:
    return Reading(m.end(), "date", f"{m[1]}/-/-")


def _clock(end: int, hour: int, minute: int, daypart: str | None) -> Reading | None:
    if (daypart in ("p", "下午", "傍晚") and hour < 12) or (
        daypart in ("晚上", "夜里", "夜间", "深夜", "每晚", "今晚", "明晚") and 6 <= hour < 12
    ):
        hour += 12
    elif daypart in ("a", "凌晨") and hour == 12:
        hour = 0
    elif daypart == "中午" and hour < 3:
        hour += 12
    if hour > 24 or minute > 59:
        return None
    return Reading(end, "time", f"{hour % 24:02d}:{minute:02d}")


def _hh_mm(m: re.Match[str]) -> Reading | None:
    return _clock(m.end(), int(m[2]), int(m[3]), m[1] or m[4])


def _am_pm(m: re.Match[str]) -> Reading | None:
    return _clock(m.end(), int(units.ENGLISH_NUMBERS.get(m[1], 0) or m[1]), 0, m[2])


def _zh_clock(m: re.Match[str]) -> Reading | None:
    if m[2] == "一" and not m[1] and not m[3] and not m[4]:
        return None  # 一点 is "a little"
    extra = {"半": 30, "一刻": 15, "三刻": 45}.get(m[3] or "")
    minute = extra if extra is not None else _int(m[4]) if m[4] else 0
    return _clock(m.end(), _int(m[2]), minute, m[1])


def _word_time(m: re.Match[str]) -> Reading | None:
    return Reading(m.end(), "time", "12:00" if m[0] == "noon" else "00:00")


def _weekday(m: re.Match[str]) -> Reading | None:
    return Reading(m.end(), "weekday", f"weekday{units.WEEKDAYS[m[1]]}")


def _version(m: re.Match[str]) -> Reading | None:
    return Reading(m.end(), "version", "v" + m[1])


def _measure(end: int, value: float, unit: str | None) -> Reading:
    dimension, factor = units.UNITS.get(unit or "", ("number", 1.0))
    kind = "duration" if dimension == "months" else dimension
    return Reading(end, kind, f"{dimension}={value * factor:.10g}")


def _number(m: re.Match[str]) -> Reading | None:
    value = float(m[2].replace(",", ""))
    value *= units.MULTIPLIERS.get(m[3] or "", 1.0)
    if m[1]:
        return Reading(
            m.end(), units.CURRENCY_SIGNS[m[1]], f"{units.CURRENCY_SIGNS[m[1]]}={value:.10g}"
        )
    if not m[4] and not m[3] and "." in m[2]:
        return Reading(m.end(), "version", "v" + m[2])
    if not m[4] and re.fullmatch(r"(?:19|20)\d\d", m[2]) and not m[3]:
        return Reading(m.end(), "date", f"{m[2]}/-/-")
    return _measure(m.end(), value, m[4])


def _english_number(m: re.Match[str]) -> Reading | None:
    value = float(sum(units.ENGLISH_NUMBERS.get(word, 1) for word in re.split(r"[ -]", m[1])))
    value *= units.MULTIPLIERS.get((m[2] or "").strip(), 1.0)
    return _measure(m.end(), value, m[3])


def _zh_number(m: re.Match[str]) -> Reading | None:
    value = float(units.chinese_number(m[1]))
    if m[2]:
        value = value + 0.5
    if value == 1 and m[3] in units.MEASURES:
        return None  # 一个 is an article
    return _measure(m.end(), value, m[3])


def _percent(m: re.Match[str]) -> Reading | None:
    return _measure(m.end(), float(_int(m[1]) if not m[1][0].isascii() else m[1]), "%")


def _half(m: re.Match[str]) -> Reading | None:
    unit = m[1] or m[2]
    return _measure(m.end(), 0.5, unit)


def _and_a_half(m: re.Match[str]) -> Reading | None:
    whole = 1 if m[1] == "one" else units.ENGLISH_NUMBERS.get(m[1], 0) or int(m[1])
    return _measure(m.end(), whole + 0.5, m[2])


def _ordinal(m: re.Match[str]) -> Reading | None:
    word = m[1] or m[2] or m[3]
    if word == "second" and m.string.endswith(("per ", "a ", "each ", "every "), 0, m.start()):
        return None
    number = units.ORDINALS.get(word) or _int(word)
    return Reading(m.end(), "ordinal", f"ordinal={number}")


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Reading | None]], ...] = (
    (
        re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d-])"),
        lambda m: _date(m, m[1], int(m[3]), m[4]),
    ),
    (
        re.compile(rf"(?:(\d{{4}})\s?年\s?)?({_N})\s?月(?:份)?(?:\s?({_N})\s?[日号])?(?!初|薪)"),
        _zh_date,
    ),
    (re.compile(r"((?:19|20)\d\d)\s?年(?!代)"), _year),
    (re.compile(rf"{_DAY} (?:of )?({_MONTH})\b\.?(?:,? (\d{{4}})\b)?"), _day_month),
    (re.compile(rf"({_MONTH})\b\.? {_DAY}\b(?![:.]\d)(?:,? (\d{{4}})\b)?"), _month_day),
    (re.compile(rf"({_MONTH})\b,? ((?:19|20)\d\d)\b"), _month_year),
    (
        re.compile(rf"(?:({_DAYPART})\s?)?(\d{{1,2}}):(\d{{2}})(?::\d{{2}})?(?:{_AM})?(?![\d:])"),
        _hh_mm,
    ),
    (re.compile(rf"(\d{{1,2}}|{_WORDS}){_AM}"), _am_pm),
    (
        re.compile(
            rf"(?:({_DAYPART})\s?)?({_N})\s?(?:点钟?|时(?![间候长光]))\s?(半|[一三]刻|({_N})\s?分)?"
        ),
        _zh_clock,
    ),
    (re.compile(r"noon\b|midnight\b"), _word_time),
    (re.compile(rf"({alternatives(w for w in units.WEEKDAYS if w.isascii())})\b"), _weekday),
    (re.compile(r"(?:周|星期|礼拜)([一二三四五六日天])(?![次个])"), _weekday),
    (re.compile(r"half an? (hour|day|year|minute)\b|半\s?个?(小时|天|年|月|钟头)"), _half),
    (
        re.compile(
            rf"第\s?(\d+|{_ZH_NUM}{{1,12}})|(\d+)(?:st|nd|rd|th)\b|({alternatives(units.ORDINALS)})\b"
        ),
        _ordinal,
    ),
    (re.compile(rf"(\d{{1,3}}|one|{_WORDS}) and a half ({_UNIT})(?![a-z])"), _and_a_half),
    (re.compile(rf"百分之(\d+(?:\.\d+)?|{_ZH_NUM}{{1,12}})"), _percent),
    (re.compile(r"v(\d+(?:\.\d+)*)(?![\w])"), _version),
    (re.compile(r"(\d+\.\d+(?:\.\d+)+)(?![\w.]*\w)"), _version),
    (
        re.compile(
            rf"([$€£¥])?\s?(\d[\d,]*(?:\.\d+)?)\s?(百万|千万|万|亿|k(?![a-z])|thousand\b|million\b|billion\b)?"
            rf"\s?[- ]?((?:{_UNIT}|{_ZH_UNIT}))?(?![a-z0-9_])"
        ),
        _number,
    ),
    (
        re.compile(
            rf"((?:{_WORDS})(?:[ -](?:{_WORDS}|one))*)( (?:thousand|million|billion))?"
            rf"(?:[ -]({_UNIT})(?![a-z]))?(?![a-z])"
        ),
        _english_number,
    ),
    (re.compile(rf"({_ZH_NUM}{{1,12}}(?:万|亿)?)\s?(?:个?(半))?\s?({_ZH_UNIT})"), _zh_number),
)

_BARE_MONTH = re.compile(rf"({_MONTH})\b")
_MAY = re.compile(r"(?:in|on|of|since|by|this|next|last|until|every|from|early|late|mid) $")


def _bare_month(text: str, start: int) -> Reading | None:
    match = _BARE_MONTH.match(text, start)
    if not match or (len(match[1]) < 4 and match[1] != "may"):
        return None
    if match[1] in ("may", "march", "august") and not _MAY.search(text, max(0, start - 8), start):
        return None
    return Reading(match.end(), "date", f"-/{units.MONTHS[match[1]]}/-")


# What a quantity written in letters can begin with; most words begin none.
_BEGINS = re.compile(
    rf"{_MONTH}|{_WORDS}|{alternatives(w for w in units.WEEKDAYS if w.isascii())}"
    rf"|{alternatives(units.ORDINALS)}|one|half|noon|midnight|v\d"
)


def read(text: str, start: int) -> Reading | None:
    """The quantity that begins at ``start`` of a lower-case normalised text, if any."""
    if "a" <= text[start] <= "z" and not _BEGINS.match(text, start):
        return None
    for pattern, build in _READERS:
        match = pattern.match(text, start)
        if match and match.end() > start:
            reading = build(match)
            if reading:
                return reading
    return _bare_month(text, start)


def same_quantity(old: str, new: str) -> bool:
    """Equal as far as their precision goes: dates by the fields both name, times within 4%."""
    if "/" in old and "/" in new:
        return same_date(old, new)
    if "/" in old or "/" in new or old.startswith("duration") == new.startswith("duration"):
        return old == new
    seconds = sorted(
        float(q.partition("=")[2]) * (_MONTH_SECONDS if q[0] == "m" else 1) for q in (old, new)
    )
    return seconds[1] - seconds[0] <= 0.04 * seconds[1]


def same_date(old: str, new: str) -> bool:
    """Whether two dates can be one: no field that both name differs."""
    fields = zip(old.split("/"), new.split("/"), strict=True)
    return all(a == b or "-" in (a, b) for a, b in fields)
