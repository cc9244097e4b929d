"""A session's turns as a readable trace: calls with results, long texts folded, quotes marked."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.utils import timezone
from django.utils.text import Truncator

from memories.models.session import Turn
from memories.pages.session_words import VERDICTS, seconds, verdict
from memories.sessions.results import ToolMeaning, meaning_of

# Of a text longer than FOLDED characters a page shows about BEGIN and what lies AROUND quotes, and
# folds the rest where that is at least LEAST; what is longer than MOST is cut, and stands whole on
# a page of its own.
BEGIN, FOLDED, AROUND, LEAST, MOST = 600, 900, 120, 200, 20_000
# Characters of a call's arguments that stay in sight.
ASKED = 120
# Words in a turn that a candidate was made from, and the candidate's verdict.
Quote = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of a text; a quoted one has the verdict of what was made from it."""

    text: str
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """Some stretches that are shown together, or folded together."""

    runs: Sequence[Run]
    folded: bool = False

    @property
    def size(self) -> int:
        """How many characters it holds."""
        return sum(len(run.text) for run in self.runs)


@dataclass(frozen=True, slots=True)
class Passage:
    """A text as a page shows it, and how many characters of its end are left out."""

    parts: Sequence[Part]
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """From a turn to a candidate that came out of it."""

    verdict: str
    content: str
    href: str

    @property
    def word(self) -> str:
        return verdict(self.verdict)


@dataclass(slots=True)
class Entry:
    """A line of the trace: a message, or a call with its result, or one of the two alone.

    `meaning` is what a tool's result says; only a result has one.
    """

    turn: Turn
    text: Passage
    error: Passage
    data: Passage | None = None
    meaning: ToolMeaning | None = None
    result: "Entry | None" = None
    marks: Sequence[Mark] = ()
    new_day: bool = False

    @property
    def is_message(self) -> bool:
        return self.turn.type == Turn.Type.MESSAGE

    @property
    def told(self) -> ToolMeaning | None:
        """What is known of how it went."""
        return self.result.meaning if self.result else self.meaning

    @property
    def went(self) -> str:
        """Return "ok", "failed", "unanswered" (a call alone) or "unknown"."""
        if self.told is None:
            return "unanswered"
        return {True: "ok", False: "failed", None: "unknown"}[self.told.ok]

    @property
    def gist(self) -> str:
        """Return the line that says what came of it, "" when there is none."""
        return (self.told.error or self.told.summary) if self.told else ""

    @property
    def asked(self) -> str:
        """Return a call's arguments in one line, "" for anything else."""
        if self.turn.type != Turn.Type.TOOL_CALL:
            return ""
        data = self.turn.data
        values = data.values() if isinstance(data, dict) else [data]
        plain = [str(value) for value in values if isinstance(value, str | int | float)]
        return Truncator(" ".join([*plain, self.turn.content]).strip()).chars(ASKED)

    @property
    def took(self) -> str:
        """How long it took, in words; "" when nobody said."""
        turns = [self.result.turn, self.turn] if self.result else [self.turn]
        known = [turn.duration_ms for turn in turns if turn.duration_ms is not None]
        return seconds(known[0] / 1000) if known else ""

    @property
    def all_marks(self) -> list[Mark]:
        """The candidates that came out of any of its turns, each once."""
        return list(dict.fromkeys([*self.marks, *(self.result.marks if self.result else ())]))


def trace_of(
    turns: Iterable[Turn],
    quotes: Mapping[int, Sequence[Quote]] | None = None,
    marks: Mapping[int, Sequence[Mark]] | None = None,
) -> list[Entry]:
    """Return the trace of turns in order; `quotes` and `marks` are by turn number."""
    entries: list[Entry] = []
    unanswered: list[Entry] = []
    for turn in turns:
        entry = entry_of(turn, (quotes or {}).get(turn.number, ()))
        entry.marks = (marks or {}).get(turn.number, ())
        call = _call_of(turn, unanswered) if turn.type == Turn.Type.TOOL_RESULT else None
        if call:
            call.result = entry
            entry.meaning = meaning_of(turn, call.turn.tool)
            unanswered.remove(call)
            continue
        if turn.type == Turn.Type.TOOL_CALL:
            unanswered.append(entry)
        entries.append(entry)
    _mark_days(entries)
    return entries


def entry_of(turn: Turn, quotes: Sequence[Quote] = (), most: int | None = MOST) -> Entry:
    """Return one turn with the quotes in it marked; each text is cut after `most`, None = never."""
    return _entry(turn, quotes, lambda text: passage(text, quotes, most))


def excerpt_of(turn: Turn, quote: Quote | None, most: int) -> Entry:
    """Return one turn as evidence: of each text about `most` characters around the quote."""
    return _entry(turn, [quote] if quote else [], lambda text: _around(text, quote, most))


def _entry(turn: Turn, quotes: Iterable[Quote], cut: Callable[[str], Passage]) -> Entry:
    return Entry(
        turn=turn,
        text=cut(turn.content),
        error=cut(turn.error),
        data=None if turn.data is None else cut(_written(turn.data, quotes)),
        meaning=meaning_of(turn) if turn.type == Turn.Type.TOOL_RESULT else None,
    )


def _around(text: str, quote: Quote | None, most: int) -> Passage:
    said, verdict = quote or ("", "")
    at = max(text.find(said[:most]), 0) if said else 0
    start = max(at - most // 4, 0) if at + len(said) > most else 0
    runs = marked(text[start : start + most], [(said[:most], verdict)])
    before = [Run("… ")] if start else []
    return Passage([Part([*before, *runs])], max(len(text) - start - most, 0))


def _call_of(result: Turn, unanswered: Sequence[Entry]) -> Entry | None:
    """Return the call that a result answers: by its id, else the oldest to the same tool."""
    for entry in unanswered:
        call = entry.turn
        same = call.tool == result.tool or (not result.tool and len(unanswered) == 1)
        if call.call_id == result.call_id and (call.call_id or same):
            return entry
    return None


def _mark_days(entries: Sequence[Entry]) -> None:
    if entries:
        entries[0].new_day = True
    for before, entry in pairwise(entries):
        days = (timezone.localdate(one.turn.happened_at) for one in (before, entry))
        entry.new_day = next(days) != next(days)


def _written(data: Any, quotes: Iterable[Quote]) -> str:
    """Return JSON in lines; in one line where a quote stands only in that: so distillers quote."""
    line = json.dumps(data, ensure_ascii=False)
    lines = data if isinstance(data, str) else json.dumps(data, indent=2, ensure_ascii=False)
    return line if any(q in line and q not in lines for q, _verdict in quotes) else lines


def passage(text: str, quotes: Iterable[Quote] = (), most: int | None = MOST) -> Passage:
    """Return a text with its quotes marked; unless it may be endless, folded and cut."""
    shown = text[:most]
    runs = marked(shown, quotes)
    if most is None or len(shown) <= FOLDED:
        return Passage([Part(runs)])
    return Passage(_folded(shown, runs), len(text) - len(shown))


def marked(text: str, quotes: Iterable[Quote]) -> list[Run]:
    """Return a text in stretches; where quotes overlap, what was kept of them counts."""
    found = [(text.find(quote), len(quote), verdict) for quote, verdict in quotes if quote]
    spans = [(start, start + length, verdict) for start, length, verdict in found if start >= 0]
    edges = {0, len(text), *(edge for start, end, _verdict in spans for edge in (start, end))}
    runs: list[Run] = []
    for start, end in pairwise(sorted(edges)):
        over = [verdict for s, e, verdict in spans if s <= start and end <= e]
        best = min(over, key=VERDICTS.index, default="")
        before = runs.pop().text if runs and runs[-1].verdict == best else ""
        runs.append(Run(before + text[start:end], best))
    return runs


def _folded(text: str, runs: Sequence[Run]) -> list[Part]:
    """Return the beginning, the surroundings of quotes, and between them what is folded."""
    parts, done = [], 0
    for start, end in _unfolded(text, runs):
        if start > done:
            parts.append(Part(_between(runs, done, start), folded=True))
        parts.append(Part(_between(runs, start, end)))
        done = end
    if done < len(text):
        parts.append(Part(_between(runs, done, len(text)), folded=True))
    return parts


def _unfolded(text: str, runs: Iterable[Run]) -> list[tuple[int, int]]:
    """Return the (start, end) of what stays in sight, in order and apart."""
    spans, at = [(0, _word_at(text, BEGIN))], 0
    for run in runs:
        end = at + len(run.text)
        start, at = at, end
        if run.verdict:
            spans.append((_word_at(text, start - AROUND), _word_at(text, end + AROUND)))
    kept: list[tuple[int, int]] = []
    for start, end in spans:
        end = len(text) if len(text) - end < LEAST else end
        if kept and start - kept[-1][1] < LEAST:
            kept[-1] = (kept[-1][0], max(kept[-1][1], end))
        else:
            kept.append((start, end))
    return kept


def _word_at(text: str, place: int) -> int:
    """Return where the word around a place begins; a place in something endless stays."""
    place = max(place, 0)
    begins = max(text.rfind(mark, max(place - 60, 0), place) for mark in " \n") + 1
    return begins or place


def _between(runs: Iterable[Run], start: int, end: int) -> list[Run]:
    found, at = [], 0
    for run in runs:
        text = run.text[max(start - at, 0) : max(end - at, 0)]
        if text:
            found.append(Run(text, run.verdict))
        at += len(run.text)
    return found
