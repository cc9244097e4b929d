"""The endpoints of sessions: a host records and recalls; whoever may sees what was kept and why."""

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import session_inputs as inputs
from memories.api import session_outputs as outputs
from memories.api.documented import documented
from memories.api.door import Door, about, page
from memories.api.inputs import OneInput
from memories.errors import Invalid
from memories.models.distillation import DistillationRun
from memories.models.session import Session
from memories.sessions import (
    end_by_person,
    end_session,
    reading,
    recall_context,
    record_turns,
    start_session,
)
from memories.sessions.payload import (
    context_payload,
    recorded_payload,
    run_payload,
    session_payload,
    turn_payload,
)


class SessionDoor(Door):
    """What is addressed by a session's id. A foreign id and a missing one look the same."""

    def found(self, given: dict[str, Any], session_id: UUID) -> Session:
        """Return the session as the end user in validated input lets it be seen."""
        return reading.get_session(actor=self.acting_for(given), session_id=session_id)

    def addressed(self, given: dict[str, Any], session_id: UUID) -> dict[str, Any]:
        """Return what the services call it by: who acts, its own name, and its end user.

        Which verb that takes is theirs to say: a key that may only write records, too.
        """
        seen = Session.objects.visible_to(self.acting_for(given))
        session = seen.filter(pk=session_id).first()
        # One key is bound to one user; what it recorded before that is no longer its to go on with.
        if session is None or self.actor.acting_for(session.user_id).user_id != session.user_id:
            raise reading.missing()
        return {"actor": self.actor, "session": session.key, "user_id": session.user_id}


class Sessions(Door):
    """The sessions of a space."""

    @documented(
        "start_session",
        body=inputs.StartInput,
        ok={201: outputs.SessionOutput, 200: outputs.SessionOutput},
        errors=(413, 415),
    )
    def post(self, request: Request) -> Response:
        """Open a session and learn its id. 201: opened; 200: one of that name was there already.
        Only an agent has sessions."""
        session = start_session(actor=self.actor, **self.body(inputs.StartInput))
        # One that was there before has been touched since it was made.
        fresh = session.touched_at <= session.created_at
        return Response(session_payload(session), status=201 if fresh else 200)

    @documented("list_sessions", query=inputs.SessionsInput, ok={200: outputs.SessionPage})
    def get(self, request: Request) -> Response:
        """Sessions, newest first, a page at a time. An agent sees its own, a person the space's."""
        given = self.query(inputs.SessionsInput)
        actor = self.acting_for(given)
        cursor, limit = given.pop("cursor", None), given.pop("limit")
        rows = reading.sessions_of(actor, reading.SessionFilters(**given)).filter(about(actor))
        return page(rows, session_payload, key="pk", cursor=cursor, limit=limit)


class OneSession(SessionDoor):
    """One session."""

    @documented("get_session", query=OneInput, ok={200: outputs.SessionOutput})
    def get(self, request: Request, session_id: UUID) -> Response:
        """The session as it is now."""
        return Response(session_payload(self.found(self.query(OneInput), session_id)))


class Turns(SessionDoor):
    """What happened in a session."""

    @documented(
        "record_turns",
        body=inputs.TurnsInput,
        ok={201: outputs.RecordedOutput, 200: outputs.RecordedOutput},
        errors=(413, 415),
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        """Record up to 1,000 turns, all or none. 201: some were new; 200: all were known by their
        key. Turns after the end open the session again."""
        given = self.body(inputs.TurnsInput)
        turns = inputs.turns_of(given)
        recorded = record_turns(turns=turns, **self.addressed(given, session_id))
        return Response(recorded_payload(recorded), status=201 if recorded.added else 200)

    @documented("list_turns", query=inputs.TurnsPageInput, ok={200: outputs.TurnPage})
    def get(self, request: Request, session_id: UUID) -> Response:
        """Turns in the order in which they were recorded, a page at a time."""
        given = self.query(inputs.TurnsPageInput)
        cursor, limit = given.pop("cursor", None), given.pop("limit")
        rows = reading.turns_of(actor=self.acting_for(given), session_id=session_id)
        return page(rows, turn_payload, key="number", cursor=cursor, limit=limit, rising=True)


class End(SessionDoor):
    """The end of a session."""

    @documented(
        "end_session",
        body=inputs.EndInput,
        ok={200: outputs.SessionOutput},
        errors=(413, 415),
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        """End the session, which has it distilled soon after. Twice is harmless. A person may end
        one that its host forgot."""
        given = self.body(inputs.EndInput)
        outcome = given.pop("outcome", "")
        if self.actor.kind == "agent":
            ended = end_session(outcome=outcome, **self.addressed(given, session_id))
            return Response(session_payload(ended))
        if outcome:
            sentence = _("How it went is for its agent to say: leave outcome out.")
            raise Invalid(sentence, field="outcome")
        session = self.found(given, session_id)
        ended = end_by_person(actor=self.actor, session_id=session.pk)
        return Response(session_payload(ended))


class ContextOf(SessionDoor):
    """Recall for a turn."""

    @documented(
        "recall_context",
        body=inputs.ContextInput,
        ok={200: outputs.ContextOutput},
        errors=(413, 415),
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        """A block to put before the model: what is known about the question, and the last turns."""
        given = self.body(inputs.ContextInput)
        asked = {name: given.pop(name) for name in ("query", "budget") if name in given}
        context = recall_context(**asked, **self.addressed(given, session_id))
        return Response(context_payload(context))


class Distillation(SessionDoor):
    """What became of a session."""

    @documented("get_distillation", query=inputs.RunsInput, ok={200: outputs.DistillationOutput})
    def get(self, request: Request, session_id: UUID) -> Response:
        """The session's runs, newest first, each with all it considered: what was kept, merged,
        flagged or dropped, and why."""
        given = self.query(inputs.RunsInput)
        cursor, limit = given.pop("cursor", None), given.pop("limit")
        actor = self.acting_for(given)
        session = reading.get_session(actor=actor, session_id=session_id)
        runs = reading.runs_of(actor=actor, session_id=session_id)
        answer = page(runs, _run, key="pk", cursor=cursor, limit=limit)
        return Response({"session": session_payload(session)} | answer.data)


class FailedCalls(Door):
    """Tool calls that failed."""

    @documented("list_failed_calls", query=inputs.FailedInput, ok={200: outputs.FailedPage})
    def get(self, request: Request) -> Response:
        """Results of tool calls that failed in the last days, the one recorded last first."""
        given = self.query(inputs.FailedInput)
        cursor, limit = given.pop("cursor", None), given.pop("limit")
        actor = self.acting_for(given)
        rows = reading.failed_calls(actor, user_id=actor.user_id, days=given["days"])
        return page(rows, turn_payload, key="pk", cursor=cursor, limit=limit)


def _run(run: DistillationRun) -> Any:
    return run_payload(run, run.candidates.all())
