"""Jobs over sessions: end those nobody ended, and remove what was kept long enough (A2, I5)."""

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from uuid import UUID

from django.db import DatabaseError, OperationalError, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from memories.identity import system_actor
from memories.models.distillation import Candidate, DistillationRun
from memories.models.session import Session
from memories.models.space import Space
from memories.policies import SessionPolicy, policy_for
from memories.sessions.recording import end

logger = logging.getLogger(__name__)

_SESSIONS_AT_ONCE = 100
_TURNS_AT_ONCE = 5_000


def end_idle(now: datetime | None = None) -> int:
    """End the sessions that nothing reached for their space's idle time; return how many.

    One that is being written to at this moment is left to the next sweep.
    """
    now = now or timezone.now()
    ended = 0
    for space_id, policy in _spaces():
        idle_since = now - timedelta(minutes=policy.idle_minutes)
        while batch := _end_batch(space_id, idle_since, now):
            ended += batch
    return ended


def purge_turns(now: datetime | None = None) -> int:
    """Remove distilled turns of sessions untouched for the retention time; return how many.

    What no run has looked at stays, however old. Each batch is a transaction: a job that dies has
    lost nothing, and a session that cannot be purged does not keep the others from it.
    """
    now = now or timezone.now()
    purged = 0
    for space_id, policy in _spaces():
        due = purgeable(now - timedelta(days=policy.retention_days)).filter(space_id=space_id)
        for session_id in list(due.values_list("pk", flat=True)):
            purged += _purge_session(due.filter(pk=session_id))
    return purged


def _spaces() -> Iterator[tuple[UUID, SessionPolicy]]:
    for space_id in list(Space.objects.order_by("id").values_list("pk", flat=True)):
        yield space_id, policy_for(space_id)[1].sessions


def _end_batch(space_id: UUID, idle_since: datetime, now: datetime) -> int:
    idle = Session.objects.filter(
        space_id=space_id, ended_at__isnull=True, touched_at__lt=idle_since
    )
    actor = system_actor(space_id)
    with transaction.atomic():
        rows = idle.select_for_update(of=("self",), no_key=True, skip_locked=True)
        sessions = list(rows.order_by("touched_at")[:_SESSIONS_AT_ONCE])
        for session in sessions:
            end(session, actor=actor, by=Session.EndedBy.IDLE, now=now)
    return len(sessions)


def purgeable(untouched_since: datetime) -> "QuerySet[Session]":
    """Return the sessions of which turns may go that nothing has touched since then."""
    running = DistillationRun.objects.filter(
        session=OuterRef("pk"), state=DistillationRun.State.RUNNING
    )
    found: QuerySet[Session] = Session.objects.filter(
        ~Exists(running),
        touched_at__lt=untouched_since,
        purged_through__lt=F("distilled_through"),
    )
    return found


def _purge_session(due: "QuerySet[Session]") -> int:
    """Remove all there is to remove of one session, a batch at a time."""
    purged = 0
    try:
        while batch := _purge_batch(due):
            purged += batch
    except OperationalError:
        raise  # the database itself is in trouble: the next sweep goes on
    except DatabaseError:
        logger.exception("some turns could not be removed; the other sessions are purged")
    return purged


def _purge_batch(due: "QuerySet[Session]") -> int:
    """Remove the oldest turns of a session that is still due; return by how many it got shorter."""
    with transaction.atomic():
        # The full lock: no run can begin to read these turns until they are gone.
        session = due.select_for_update(of=("self",), skip_locked=True).first()
        if session is None:
            return 0
        before = session.purged_through
        through = min(before + _TURNS_AT_ONCE, session.distilled_through)
        session.turns.filter(number__lte=through).delete()
        session.purged_through = through
        session.save(update_fields=["purged_through"])
        _forget_dropped(session)
    return through - before


def _forget_dropped(session: Session) -> None:
    """Blank what was dropped from turns that are gone; why, and how often, stays."""
    Candidate.objects.filter(
        run__session=session,
        run__last_turn__lte=session.purged_through,
        verdict=Candidate.Verdict.DROPPED,
    ).exclude(content="").update(content="", quote="", subject="", question="", value="")
