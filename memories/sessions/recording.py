"""What a host records: start_session(), record_turns(), end_session(); a person may end one, too.

Every door locks the session's row first, so that turns are numbered without gaps whoever writes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.dispatch import nudge
from memories.errors import Invalid, NotAllowed
from memories.history import log
from memories.inputs import MAX_NAME, one_of, short_text
from memories.models.ids import new_id
from memories.models.memory import Visibility
from memories.models.session import Session, Turn
from memories.permissions import Actor
from memories.recall import logbook
from memories.sessions.reading import missing
from memories.sessions.turns import clean_moment, cleaned_turns
from memories.sessions.working import WorkingMemoryDown, working_memory_of

MAX_TASK = 500
MAX_TURNS = 100_000  # turns of one session
_BATCH = 500
# What a turn moves on its session's row; the rest of the row belongs to others.
_MOVED = ("started_at", "last_turn_at", "turn_count", "touched_at", "ended_at", "ended_by")


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of a call: the turns `added`, and how many were there already (B10).

    `degraded` names what was away: "working_memory" when Redis is.
    """

    session: Session
    added: tuple[Turn, ...]
    repeated: int
    degraded: tuple[str, ...] = ()


def start_session(
    *,
    actor: Actor,
    session: str = "",
    user_id: str = "",
    task: str = "",
    visibility: str = Visibility.SHARED,
    started_at: datetime | None = None,
) -> Session:
    """Return the agent's session of that name, new or as it is; without a name it gets one.

    A session that is there already learns a task it had none of, and becomes private when that
    is asked now. Raises Invalid or NotAllowed.
    """
    actor = _recorder(actor, user_id)
    key = short_text(session, "session", MAX_NAME) or str(new_id())
    said = {
        "task": short_text(task, "task", MAX_TASK),
        "visibility": one_of(visibility, Visibility.values, "visibility"),
    }
    now = timezone.now()
    start = now if started_at is None else clean_moment(started_at, "started_at")
    with transaction.atomic():
        found, created = _opened(actor, key, started_at=start, now=now, **said)
        if not created:
            _learn(found, actor, now, **said)
    return found


def record_turns(
    *, actor: Actor, session: str, turns: Sequence[Mapping[str, Any]], user_id: str = ""
) -> Recorded:
    """Add turns to a session, all of them or none; returns after commit (A2, B10).

    `turns` are as TurnGiven says. A session that is not there is started, one that has ended goes
    on; a turn whose key is there already is left out. Raises Invalid or NotAllowed.
    """
    actor = _recorder(actor, user_id)
    key = _key(session)
    given = cleaned_turns(turns)
    now = timezone.now()
    start = min(turn.happened_at for turn in given)
    with transaction.atomic():
        found, _created = _opened(actor, key, started_at=start, now=now)
        added = _unrecorded(found, given)
        if added:
            _append(found, added, actor, now)
    return Recorded(found, tuple(added), len(given) - len(added), _remember(found, added))


def end_session(*, actor: Actor, session: str, user_id: str = "", outcome: str = "") -> Session:
    """End a session and have it distilled (H3); ending it again only adds an outcome it lacked.

    Raises Invalid, NotAllowed, or NotFound for a session that was never started.
    """
    actor = _recorder(actor, user_id)
    key = _key(session)
    outcome = one_of(outcome or Session.Outcome.UNKNOWN, Session.Outcome.values, "outcome")
    own = Session.objects.visible_to(actor).filter(user_id=actor.user_id, key=key)
    logbook.settled()  # What was recalled into the session is nothing to learn from it (B9).
    with transaction.atomic():
        found: Session | None = own.select_for_update(of=("self",), no_key=True).first()
        if found is None:
            raise missing()
        if found.outcome == Session.Outcome.UNKNOWN != outcome:
            found.outcome = outcome
            found.save(update_fields=["outcome"])
            log(actor, "session_outcome", session=str(found.pk), outcome=outcome)
        end(found, actor=actor, by=Session.EndedBy.HOST, now=timezone.now())
    return found


def end_by_person(*, actor: Actor, session_id: UUID) -> Session:
    """End a session that its host left open. Raises NotAllowed or NotFound."""
    actor.require("write")
    if actor.kind != "user":
        raise NotAllowed(_("This is for people; an agent ends its session by its name."))
    with transaction.atomic():
        rows = Session.objects.visible_to(actor).select_for_update(of=("self",), no_key=True)
        found: Session | None = rows.filter(pk=session_id).first()
        if found is None:
            raise missing()
        end(found, actor=actor, by=Session.EndedBy.PERSON, now=timezone.now())
    return found


def end(session: Session, *, actor: Actor, by: Session.EndedBy, now: datetime) -> None:
    """End a locked session, unless it has ended, and have it distilled after commit."""
    if session.ended_at is not None:
        return
    session.ended_at, session.ended_by = now, by
    if by != Session.EndedBy.IDLE:
        session.touched_at = now
    session.save(update_fields=["ended_at", "ended_by", "touched_at"])
    log(actor, "session_ended", session=str(session.pk), by=by, turns=session.turn_count)
    nudge("memories.distil", str(session.pk))


def _recorder(actor: Actor, user_id: str) -> Actor:
    """Return the agent on behalf of its user, or raise NotAllowed: only agents record."""
    actor.require("write")
    if actor.kind != "agent":
        raise NotAllowed(_("Only agents record sessions: use the key of an agent."))
    return actor.acting_for(short_text(user_id, "user_id", MAX_NAME))


def _key(session: str) -> str:
    key = short_text(session, "session", MAX_NAME)
    if not key:
        raise Invalid(_("session is empty: give the name it was started with."), field="session")
    return key


def _opened(
    actor: Actor, key: str, *, started_at: datetime, now: datetime, **said: str
) -> tuple[Session, bool]:
    """Return (the locked session, whether it is new); of two that start it at once, one does."""
    rows = Session.objects.select_for_update(of=("self",), no_key=True)
    found, created = rows.get_or_create(
        agent_id=cast(UUID, actor.id),
        user_id=actor.user_id,
        key=key,
        defaults={
            "space_id": actor.space_id,
            "started_at": started_at,
            "last_turn_at": started_at,
            "touched_at": now,
            **said,
        },
    )
    if created:
        log(actor, "session_started", session=str(found.pk), user_id=actor.user_id)
    return found, created


def _learn(session: Session, actor: Actor, now: datetime, *, task: str, visibility: str) -> None:
    """Add to a session what it lacked; it never becomes less private."""
    changed = {}
    if task and not session.task:
        changed["task"] = session.task = task
    if visibility == Visibility.PRIVATE != session.visibility:
        changed["visibility"] = session.visibility = visibility
    session.touched_at = now
    session.save(update_fields=["touched_at", *changed])
    if changed:
        log(actor, "session_changed", session=str(session.pk), fields=sorted(changed))


def _unrecorded(session: Session, given: Sequence[Turn]) -> list[Turn]:
    """Return the turns whose key is new, each key once; turns without a key are always new."""
    keys = {turn.key for turn in given if turn.key}
    # The exclusion repeats the condition of the index on keys, so that it is used.
    recorded = session.turns.filter(key__in=keys).exclude(key="").values_list("key", flat=True)
    seen = set(recorded)
    fresh = []
    for turn in given:
        if turn.key not in seen:
            fresh.append(turn)
            seen.update([turn.key] if turn.key else [])
    return fresh


def _append(session: Session, turns: Sequence[Turn], actor: Actor, now: datetime) -> None:
    first = session.turn_count + 1
    if session.turn_count + len(turns) > MAX_TURNS:
        raise Invalid(
            _("A session holds at most %(most)d turns: start a new session.") % {"most": MAX_TURNS},
            field="session",
        )
    for number, turn in enumerate(turns, first):
        turn.number = number
        turn.session, turn.space_id, turn.user_id = session, session.space_id, session.user_id
    Turn.objects.bulk_create(turns, batch_size=_BATCH)
    times = [turn.happened_at for turn in turns]
    # Old turns may be told later: their times count, not ours.
    latest = max(times) if first == 1 else max(*times, session.last_turn_at)
    session.started_at = min(*times, session.started_at)
    session.last_turn_at = latest
    session.turn_count += len(turns)
    session.touched_at = now
    _reopen(session, actor)
    session.save(update_fields=_MOVED)


def _reopen(session: Session, actor: Actor) -> None:
    if session.ended_at is not None:
        session.ended_at, session.ended_by = None, ""
        log(actor, "session_reopened", session=str(session.pk))


def _remember(session: Session, turns: Sequence[Turn]) -> tuple[str, ...]:
    """Put recorded turns into working memory; while Redis is away, say so."""
    if not turns:
        return ()
    try:
        working_memory_of(session).push(turns)
    except WorkingMemoryDown:
        return ("working_memory",)
    return ()
