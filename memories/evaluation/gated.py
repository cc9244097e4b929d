"""What the gated write path makes of a file of statements that were told one after another."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from memories.evaluation.files import moment, rows
from memories.models import Flag
from memories.permissions import Actor
from memories.writing import Outcome, WriteResult, write_memory


@dataclass(frozen=True, slots=True)
class Conflict:
    """A statement that was flagged, and what it was flagged against."""

    row: str
    against: str
    new: str
    old: str
    reason: str


@dataclass(slots=True)
class Outcomes:
    """How many statements ended how, which were flagged, and which were merged into which."""

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(Outcome, 0))
    conflicts: list[Conflict] = field(default_factory=list)
    merged: list[tuple[str, str]] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def flagged_rows(self) -> set[str]:
        return {conflict.row for conflict in self.conflicts}


def write_all(path: Path, actor: Actor, progress: Callable[[int], None]) -> Outcomes:
    """Write every row of a memories file through write_memory(), in order."""
    outcomes = Outcomes()
    row_of: dict[object, str] = {}
    for number, row in enumerate(rows(path, "id", "content"), 1):
        result = write_memory(
            actor=actor,
            content=row["content"],
            user_id=str(row.get("user_id") or ""),
            happened_at=moment(row.get("occurred_at")),
            session=str(row.get("session_id") or ""),
        )
        row_of.setdefault(result.memory.pk, row["id"])
        _count(outcomes, row["id"], row["content"], result, row_of)
        progress(number)
    return outcomes


def _count(
    outcomes: Outcomes, row: str, content: str, result: WriteResult, row_of: dict[object, str]
) -> None:
    outcomes.counts[result.outcome] += 1
    if result.outcome is Outcome.REINFORCED:
        outcomes.merged.append((content, result.memory.content))
    for flag in Flag.objects.filter(pk__in=[flag.pk for flag in result.flags]):
        old = flag.counterpart
        if old is not None:
            outcomes.conflicts.append(
                Conflict(row, row_of[old.pk], content, old.content, flag.reason)
            )


@dataclass(frozen=True, slots=True)
class Updates:
    """How many real updates were flagged (against what they supersede), and how many others."""

    updates: int
    found: int
    found_elsewhere: int
    others: int
    false_alarms: int


def check_updates(path: Path, outcomes: Outcomes) -> Updates:
    """Hold the flags against a file of {memory_id, supersedes, is_update}."""
    pairs = {(conflict.row, conflict.against) for conflict in outcomes.conflicts}
    updates = found = elsewhere = others = alarms = 0
    for row in rows(path, "memory_id"):
        flagged = row["memory_id"] in outcomes.flagged_rows
        if not row["is_update"]:
            others, alarms = others + 1, alarms + flagged
            continue
        right = any((row["memory_id"], old) in pairs for old in row["supersedes"])
        updates, found, elsewhere = updates + 1, found + right, elsewhere + (flagged and not right)
    return Updates(updates, found, elsewhere, others, alarms)
