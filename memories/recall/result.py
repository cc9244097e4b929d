"""What a recall answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from memories.models.memory import Memory


@dataclass(frozen=True, slots=True)
class Scored:
    """One hit: its memory (with `.disputed`), its place from 1, and why it is there.

    `score` is 0–1. `arms` holds what each arm and each rule said, by name, and `parts` what that
    added to the score or took from it: their sum is the score (C4).
    """

    memory: Memory
    rank: int
    score: float
    arms: Mapping[str, float]
    parts: Mapping[str, float]
    explanation: str


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The hits, best first. `id` is the log entry's (None when not logged).

    `degraded`: the embedder was away, so words and recency alone decided.
    """

    id: UUID | None
    hits: tuple[Scored, ...]
    degraded: bool
    took_ms: float
