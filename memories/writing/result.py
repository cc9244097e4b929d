"""What became of a write, said explicitly (B10)."""

from dataclasses import dataclass
from enum import StrEnum

from memories.models.flag import Flag
from memories.models.memory import Memory


class Outcome(StrEnum):
    CREATED = "created"
    REINFORCED = "reinforced"
    DUPLICATE = "duplicate"
    FLAGGED = "flagged"


@dataclass(frozen=True, slots=True)
class WriteResult:
    """`memory` is what now holds the statement; `flags` are the review items that were opened.

    `reason` is a sentence for the writer; `degraded` says that the embedder was away, so that the
    comparison with what is known follows later; `again` that this very write was answered before.
    A refusal is no result but an exception.
    """

    outcome: Outcome
    memory: Memory
    reason: str
    flags: tuple[Flag, ...] = ()
    degraded: bool = False
    again: bool = False
