"""A history of flags and decisions put in place directly, for tests that count them."""

from datetime import datetime, timedelta
from typing import Any

import time_machine
from django.utils import timezone

from memories.models import Agent, Flag, Memory, Space
from memories.models.ids import new_id
from review.models import Decision


def opened(space: Space, at: datetime, *, agent: Agent | None = None, **said: Any) -> Flag:
    """Open a flag at a moment, on a memory of its own; `said` is of the flag or of the memory."""
    own = {name: said.pop(name) for name in ("visibility", "source") if name in said}
    with time_machine.travel(at, tick=False):
        memory = Memory.objects.create(
            space=space,
            agent=agent,
            content=f"Statement {new_id()}.",
            content_hash=str(new_id()),
            confidence=0.8,
            **own,
        )
        said = {"kind": "conflict", "reason": "negation"} | said
        return Flag.objects.create(space=space, memory=memory, memory_version=1, **said)


def decided(flag: Flag, after: timedelta, choice: str = "keep_new", **more: Any) -> Decision:
    """Decide a flag some time after it was opened."""
    at = flag.created_at + after
    reason = {"reason": "wrong"} if choice == "reject" else {}
    with time_machine.travel(at, tick=False):
        flag.status, flag.resolution, flag.resolved_at = "resolved", choice, timezone.now()
        flag.save()
        return Decision.objects.create(
            **{"flag": flag, "user_name": "rui", "choice": choice} | reason | more
        )


def undo(decision: Decision) -> None:
    """Mark a decision undone and its flag open again."""
    Decision.objects.filter(pk=decision.pk).update(undone_at=timezone.now(), undone_by="rui")
    Flag.objects.filter(pk=decision.flag_id).update(status="open", resolution="", resolved_at=None)
