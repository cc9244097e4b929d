"""A session that was looked back at, made by hand: what doors and pages show of it."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from memories.models import Memory
from memories.models.distillation import Candidate, DistillationRun
from memories.models.session import Session


def looked_back(
    session: Session, *said: tuple[str, str, str], memory: Memory | None = None, **more: Any
) -> DistillationRun:
    """Make a finished run over all turns, with a candidate for each (verdict, reason, content).

    `memory` is what the kept ones became.
    """
    now = timezone.now()
    run = DistillationRun.objects.create(
        **{
            "session": session,
            "state": "done",
            "first_turn": session.distilled_through + 1,
            "last_turn": session.turn_count,
            "policy_version": 0,
            "counts": {verdict: 1 for verdict, _, _ in said},
            "started_at": now,
            "claimed_until": now + timedelta(minutes=1),
            "finished_at": now,
        }
        | more
    )
    Candidate.objects.bulk_create(
        Candidate(
            run=run,
            position=position,
            content=content,
            quote=content,
            turns=[1],
            certainty=0.9,
            worth=0.8,
            confidence=0.9,
            signals={"cue": 1.0},
            verdict=verdict,
            reason=reason,
            memory=memory if verdict == Candidate.Verdict.KEPT else None,
        )
        for position, (verdict, reason, content) in enumerate(said)
    )
    session.distilled_through = session.turn_count
    session.save(update_fields=["distilled_through"])
    return run
