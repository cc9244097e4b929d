"""The one JSON shape of sessions, turns, contexts and runs, for MCP and REST alike."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypedDict

from memories.models.distillation import Candidate, DistillationRun
from memories.models.session import Session, Turn
from memories.recall.result import Scored
from memories.sessions.context import Context
from memories.sessions.recording import Recorded


class SessionPayload(TypedDict):
    """A session as plain JSON; `state` as state_of() says.

    `undistilled` counts the turns that no run has looked at yet.
    """

    id: str
    session: str
    user_id: str
    agent: str
    task: str
    visibility: str
    outcome: str
    state: str
    turn_count: int
    undistilled: int
    purged_through: int
    started_at: str
    last_turn_at: str
    ended_at: str | None
    ended_by: str


class TurnPayload(TypedDict):
    """One turn as plain JSON; `ok` is None where nothing said whether it worked."""

    id: str
    session_id: str
    number: int
    key: str
    type: str
    role: str
    speaker: str
    content: str
    tool: str
    call_id: str
    data: Any
    ok: bool | None
    error: str
    duration_ms: int | None
    happened_at: str
    created_at: str


class RecordedPayload(TypedDict):
    """What became of some turns: how many are new, how many were known by their key."""

    session: SessionPayload
    added: int
    repeated: int
    degraded: list[str]


class ContextHitPayload(TypedDict):
    """Which memory stands in the text of a context, for feedback and for reading it in full."""

    id: str
    version: int
    rank: int
    score: float
    disputed: bool


class ContextPayload(TypedDict):
    """A block to put before the model: `text`, and what it was made of.

    `turns` are the numbers of those in it; `left_out` counts memories that did not fit.
    """

    text: str
    tokens: int
    hits: list[ContextHitPayload]
    left_out: int
    turns: list[int]
    degraded: list[str]


class CandidatePayload(TypedDict):
    """What a run considered, and what became of it. `memory_id`: the memory that holds it."""

    id: str
    kind: str
    content: str
    quote: str
    turns: list[int]
    subject: str
    owner: str
    question: str
    value: str
    source: str
    certainty: float
    worth: float
    confidence: float
    signals: dict[str, float]
    happened_at: str | None
    verdict: str
    reason: str
    memory_id: str | None


class RunPayload(TypedDict):
    """One look back at a session; `counts` stays when the candidates' texts are purged."""

    id: str
    state: str
    distiller: str
    model: str
    first_turn: int
    last_turn: int
    policy_version: int
    note: str
    counts: dict[str, Any]
    started_at: str
    finished_at: str | None
    candidates: list[CandidatePayload]


def session_payload(session: Session) -> SessionPayload:
    """Return a session as plain JSON; times are ISO 8601 in UTC."""
    return {
        "id": str(session.pk),
        "session": session.key,
        "user_id": session.user_id,
        "agent": session.agent.name,
        "task": session.task,
        "visibility": session.visibility,
        "outcome": session.outcome,
        "state": state_of(session),
        "turn_count": session.turn_count,
        "undistilled": session.turn_count - session.distilled_through,
        "purged_through": session.purged_through,
        "started_at": session.started_at.isoformat(),
        "last_turn_at": session.last_turn_at.isoformat(),
        "ended_at": _iso(session.ended_at),
        "ended_by": session.ended_by,
    }


def state_of(session: Session) -> str:
    """Return open, ended (waits to be distilled, or is empty), distilled, or failed."""
    if session.ended_at is None:
        return "open"
    if session.distilled_through < session.turn_count:
        return "failed" if session.failures else "ended"
    return "distilled" if session.turn_count else "ended"


def turn_payload(turn: Turn) -> TurnPayload:
    """Return a turn as plain JSON, complete however long it is."""
    return {
        "id": str(turn.pk),
        "session_id": str(turn.session_id),
        "number": turn.number,
        "key": turn.key,
        "type": turn.type,
        "role": turn.role,
        "speaker": turn.speaker,
        "content": turn.content,
        "tool": turn.tool,
        "call_id": turn.call_id,
        "data": turn.data,
        "ok": turn.ok,
        "error": turn.error,
        "duration_ms": turn.duration_ms,
        "happened_at": turn.happened_at.isoformat(),
        "created_at": turn.created_at.isoformat(),
    }


def recorded_payload(recorded: Recorded) -> RecordedPayload:
    """Return the answer to a recording as plain JSON."""
    return {
        "session": session_payload(recorded.session),
        "added": len(recorded.added),
        "repeated": recorded.repeated,
        "degraded": list(recorded.degraded),
    }


def context_payload(context: Context) -> ContextPayload:
    """Return a context as plain JSON."""
    return {
        "text": context.text,
        "tokens": context.tokens,
        "hits": [_hit(hit) for hit in context.hits],
        "left_out": context.left_out,
        "turns": [turn.number for turn in context.turns],
        "degraded": list(context.degraded),
    }


def run_payload(run: DistillationRun, candidates: Iterable[Candidate]) -> RunPayload:
    """Return a run as plain JSON with its candidates, as reading.runs_of() gives them."""
    return {
        "id": str(run.pk),
        "state": run.state,
        "distiller": run.distiller,
        "model": run.model,
        "first_turn": run.first_turn,
        "last_turn": run.last_turn,
        "policy_version": run.policy_version,
        "note": run.note,
        "counts": run.counts,
        "started_at": run.started_at.isoformat(),
        "finished_at": _iso(run.finished_at),
        "candidates": [candidate_payload(candidate) for candidate in candidates],
    }


def candidate_payload(candidate: Candidate) -> CandidatePayload:
    """Return a candidate as plain JSON."""
    return {
        "id": str(candidate.pk),
        "kind": candidate.kind,
        "content": candidate.content,
        "quote": candidate.quote,
        "turns": list(candidate.turns),
        "subject": candidate.subject,
        "owner": candidate.owner,
        "question": candidate.question,
        "value": candidate.value,
        "source": candidate.source,
        "certainty": round(candidate.certainty, 4),
        "worth": round(candidate.worth, 4),
        "confidence": round(candidate.confidence, 4),
        "signals": {name: round(value, 4) for name, value in candidate.signals.items()},
        "happened_at": _iso(candidate.happened_at),
        "verdict": candidate.verdict,
        "reason": candidate.reason,
        "memory_id": None if candidate.memory is None else str(candidate.memory.pk),
    }


def _hit(hit: Scored) -> ContextHitPayload:
    return {
        "id": str(hit.memory.pk),
        "version": hit.memory.version,
        "rank": hit.rank,
        "score": round(hit.score, 4),
        "disputed": bool(getattr(hit.memory, "disputed", False)),
    }


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
