"""Sessions: what happens while an agent works, now (working memory) and kept (turns)."""

from memories.sessions.context import Context, recall_context
from memories.sessions.recording import (
    Recorded,
    end_by_person,
    end_session,
    record_turns,
    start_session,
)
from memories.sessions.retention import end_idle, purge_turns
from memories.sessions.turns import TurnGiven

__all__ = [
    "Context",
    "Recorded",
    "TurnGiven",
    "end_by_person",
    "end_idle",
    "end_session",
    "purge_turns",
    "recall_context",
    "record_turns",
    "start_session",
]
