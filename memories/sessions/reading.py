"""What an actor may read of sessions, one function a question. Foreign and missing look the same.

An agent sees its own sessions only, of the end user it acts for and of none; people see those of
their space (D1). Whoever sees a session sees its turns, its runs and their candidates.
"""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db.models import F, Prefetch, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.errors import Invalid, NotFound
from memories.inputs import MAX_NAME, one_of, short_text
from memories.models.distillation import Candidate, DistillationRun
from memories.models.memory import WIDE, Memory
from memories.models.session import Session, Turn
from memories.permissions import Actor

MAX_DAYS = 3650

_ended = Q(ended_at__isnull=False)
_to_distil = Q(distilled_through__lt=F("turn_count"))
# Every session is in one of them, the one that its payload names.
STATES = {
    "open": ~_ended,
    "ended": _ended & (Q(turn_count=0) | _to_distil & Q(failures=0)),
    "distilled": _ended & ~_to_distil & Q(turn_count__gt=0),
    "failed": _ended & _to_distil & Q(failures__gt=0),
}


@dataclass(frozen=True, slots=True)
class SessionFilters:
    """Which sessions: empty fields do not restrict.

    `agent` is a name; `state` is open, ended (waits to be distilled, or is empty), distilled (every
    turn of it) or failed (the last run did); `text` is searched in the task and the session's name.
    """

    user_id: str = ""
    agent: str = ""
    outcome: str = ""
    state: str = ""
    text: str = ""

    def condition(self) -> Q:
        """Return the filters as one condition on sessions, or raise Invalid."""
        given = {
            "user_id": short_text(self.user_id, "user_id", MAX_NAME),
            "agent__name": short_text(self.agent, "agent", MAX_NAME),
            "outcome": self.outcome and one_of(self.outcome, Session.Outcome.values, "outcome"),
        }
        condition = Q(**{name: value for name, value in given.items() if value})
        if self.state:
            condition &= STATES[one_of(self.state, list(STATES), "state")]
        if text := short_text(self.text, "text", MAX_NAME):
            condition &= Q(task__icontains=text) | Q(key__icontains=text)
        return condition


def missing() -> NotFound:
    """The one answer to a session that is unknown or belongs to someone else (D1)."""
    return NotFound(
        _("There is no such session here. If it is one user's, pass that user_id."),
        field="session",
    )


def sessions_of(actor: Actor, filters: SessionFilters | None = None) -> "QuerySet[Session]":
    """Return the sessions an actor may read, newest first, each with its agent."""
    return _visible(actor).filter((filters or SessionFilters()).condition())


def get_session(*, actor: Actor, session_id: UUID) -> Session:
    """Return one session with its agent, or raise NotFound."""
    return _found(_visible(actor).filter(pk=session_id))


def own_session(*, actor: Actor, session: str, user_id: str = "") -> Session:
    """Return an agent's session by the name its host gave it, or raise NotFound."""
    actor = actor.acting_for(short_text(user_id, "user_id", MAX_NAME))
    key = short_text(session, "session", MAX_NAME)
    mine = Q(agent_id=actor.id, user_id=actor.user_id, key=key)
    return _found(_visible(actor).filter(mine))


def turns_of(*, actor: Actor, session_id: UUID) -> "QuerySet[Turn]":
    """Return a session's turns in order, or raise NotFound; purged ones are no longer there."""
    return get_session(actor=actor, session_id=session_id).turns.order_by("number")


def failed_calls(actor: Actor, *, user_id: str, days: float = 7) -> "QuerySet[Turn]":
    """Return the failed tool results of one user, newest first, each with its session (A2)."""
    if not 0 < days <= MAX_DAYS:
        raise Invalid(
            _("days must be a number from 0 to %(most)d.") % {"most": MAX_DAYS}, field="days"
        )
    actor = actor.acting_for(short_text(user_id, "user_id", MAX_NAME))
    return (
        Turn.objects.filter(
            space_id=actor.space_id,
            user_id=actor.user_id,
            ok=False,
            happened_at__gte=timezone.now() - timedelta(days=days),
            session__in=_visible(actor),
        )
        .select_related("session")
        .order_by("-happened_at", "-id")
    )


def runs_of(*, actor: Actor, session_id: UUID) -> "QuerySet[DistillationRun]":
    """Return a session's runs, newest first, with their candidates, or raise NotFound.

    `candidate.memory` is None unless the actor may see that memory.
    """
    memories = Memory.objects.visible_to(actor).defer(*WIDE)
    candidates = Candidate.objects.prefetch_related(Prefetch("memory", queryset=memories))
    session = get_session(actor=actor, session_id=session_id)
    return session.runs.order_by("-id").prefetch_related(
        Prefetch("candidates", queryset=candidates.order_by("position"))
    )


def _visible(actor: Actor) -> "QuerySet[Session]":
    actor.require("read")
    found: QuerySet[Session] = Session.objects.visible_to(actor).select_related("agent")
    return found


def _found(sessions: "QuerySet[Session]") -> Session:
    session = sessions.first()
    if session is None:
        raise missing()
    return session
