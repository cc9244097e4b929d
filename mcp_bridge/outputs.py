"""Results of the tools as every client reads them: what is in their structured content."""

from typing import Any

from typing_extensions import TypedDict


class WriteOutput(TypedDict):
    outcome: str
    reason: str
    degraded: bool
    memory: dict[str, Any]
    flags: list[str]
    note: str


class WriteManyOutput(TypedDict):
    results: list[dict[str, Any]]
    counts: dict[str, Any]
    degraded: bool
    note: str


class SearchOutput(TypedDict):
    recall_id: str
    degraded: bool
    took_ms: float
    hits: list[dict[str, Any]]
    has_more: bool
    left_out: int
    note: str


class MemoryOutput(TypedDict):
    memory: dict[str, Any]
    offset: int
    next_offset: int
    has_more: bool
    note: str


class ChangeOutput(TypedDict):
    memory: dict[str, Any]
    note: str


class AuditOutput(TypedDict):
    memory: dict[str, Any]
    steps: list[dict[str, Any]]
    has_more: bool
    next_offset: int
    note: str


class ConsolidationOutput(TypedDict):
    flag: str
    content: str
    memory_ids: list[str]
    note: str


class FeedbackOutput(TypedDict):
    id: str
    memory_id: str
    version: int
    verdict: str
    under_review: bool
    note: str


class RecordedOutput(TypedDict):
    session: dict[str, Any]
    added: int
    repeated: int
    degraded: list[str]
    note: str


class EndedOutput(TypedDict):
    session: dict[str, Any]
    note: str


class ContextOutput(TypedDict):
    text: str
    tokens: int
    hits: list[dict[str, Any]]
    left_out: int
    turns: list[int]
    degraded: list[str]
    note: str


class DistillationOutput(TypedDict):
    session: dict[str, Any]
    runs: list[dict[str, Any]]
    candidates: list[dict[str, Any]]
    has_more: bool
    next_offset: int
    note: str
