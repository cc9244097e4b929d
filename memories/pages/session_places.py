"""Where the turns of a session and the candidates of a run stand: addresses between the two."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from memories.models.distillation import Candidate, DistillationRun
from memories.models.session import Session
from memories.pages.session_trace import Mark, Quote

# Turns on a page.
SIZE = 200


@dataclass(frozen=True, slots=True)
class Source:
    """A turn that a candidate came from; without `href` when it was removed."""

    number: int
    href: str


@dataclass(frozen=True, slots=True)
class Places:
    """The turns that a page of a session shows: numbers `first` to `last`, both included.

    With a `run`, the ways between its candidates and their turns stay with that run.
    """

    purged_through: int
    turn_count: int
    first: int
    run: UUID | None = None
    size: int = SIZE

    @classmethod
    def of(cls, session: Session, first: int | None) -> "Places":
        """Return the page that begins at `first`; a number that does not exist is moved inside."""
        least = session.purged_through + 1
        inside = max(least, min(first or least, session.turn_count))
        return cls(session.purged_through, session.turn_count, inside)

    @property
    def last(self) -> int:
        return min(self.first + self.size - 1, self.turn_count)

    @property
    def earlier(self) -> str:
        """Return the query of the page before, "" on the first."""
        if self.first <= self.purged_through + 1:
            return ""
        return urlencode({"from": max(self.first - self.size, self.purged_through + 1)})

    @property
    def later(self) -> str:
        """Return the query of the page after, "" on the last."""
        return urlencode({"from": self.last + 1}) if self.last < self.turn_count else ""

    def source(self, number: int) -> Source:
        """Return a turn with its address, seen from this page."""
        if number <= self.purged_through:
            return Source(number, "")
        if self.first <= number <= self.last:
            return Source(number, f"#turn-{number}")
        start = max(number - self.size // 2, 1)
        return Source(number, f"?{self._query(start)}#turn-{number}")

    def candidate(self, candidate: Candidate, shown: Iterable[int]) -> str:
        """Return a candidate's address; `shown` are the positions that the page shows."""
        target = f"#candidate-{candidate.position}"
        if candidate.position in shown:
            return target
        after = {f"{candidate.verdict}_after": candidate.position - 1}
        return f"?{self._query(self.first, after)}{target}"

    def marks(
        self, run: DistillationRun, shown: Iterable[int]
    ) -> tuple[dict[int, list[Quote]], dict[int, list[Mark]]]:
        """Return the quotes in the shown turns, and their ways to candidates, by turn number."""
        within, positions = list(range(self.first, self.last + 1)), frozenset(shown)
        quotes: dict[int, list[Quote]] = {}
        marks: dict[int, list[Mark]] = {}
        for one in run.candidates.filter(turns__overlap=within).order_by("position"):
            mark = Mark(one.verdict, one.content, self.candidate(one, positions))
            quotes.setdefault(one.turns[0], []).append((one.quote, one.verdict))
            for number in one.turns:
                marks.setdefault(number, []).append(mark)
        return quotes, marks

    def _query(self, first: int, more: Mapping[str, int] | None = None) -> str:
        return urlencode({"from": first, "run": str(self.run)} | dict(more or {}))


def numbers_after(query: Mapping[str, str], verdicts: Sequence[str]) -> dict[str, int]:
    """Return the position that each group of candidates goes on from, as a page's query says."""
    given = {verdict: number_of(query.get(f"{verdict}_after")) for verdict in verdicts}
    return {verdict: after for verdict, after in given.items() if after}


def number_of(text: str | None) -> int | None:
    """Return the number that a query gives, None for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None
