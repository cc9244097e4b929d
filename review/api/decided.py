"""The endpoints of decisions that were made, one by one and many at once."""

from typing import Any
from uuid import UUID

from django.db.models import Q
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.documented import documented
from memories.api.door import page
from memories.errors import Invalid
from memories.models.flag import Flag
from memories.permissions import Actor
from review import bulk
from review.api import inputs, shapes
from review.api.door import PeopleDoor
from review.bulk.reading import counted
from review.filters import QueueFilter
from review.models import Batch, BatchItem, Decision
from review.payloads import batch_payload, decision_payload, refusal_payload
from review.undo import undo_decision

_CHANGED = (409, 413, 415)
# What a service calls it, and what it is called here.
_NAMES = {"flag": "flags", "query": "filter"}
_FILTERS = {"user": "user_name", "batch": "batch_id", "since": "created_at__gte"}


class Decisions(PeopleDoor):
    """What was decided."""

    @documented("list_decisions", query=inputs.DecisionsInput, ok={200: shapes.DecisionPage})
    def get(self, request: Request) -> Response:
        """Decisions, newest first, a page at a time; those undone since are among them."""
        given = self.query(inputs.DecisionsInput)
        cursor, limit = given.pop("cursor", None), given.pop("limit")
        asked = Q(**{_FILTERS.get(name, name): value for name, value in given.items()})
        self.actor.require("read")
        seen = Flag.objects.visible_to(self.actor)
        rows = Decision.objects.filter(asked, flag__in=seen).select_related("flag")
        return page(rows, _decision, key="pk", cursor=cursor, limit=limit)


class UndoDecision(PeopleDoor):
    """Taking a decision back."""

    @documented(
        "undo_decision", body=inputs.Nothing, ok={200: shapes.DecisionOutput}, errors=_CHANGED
    )
    def post(self, request: Request, decision_id: UUID) -> Response:
        """Make everything what it was before, and open the flag again. Twice is harmless. 409, with
        the reason, when a memory was changed since."""
        self.body(inputs.Nothing)
        return Response(_decision(undo_decision(actor=self.actor, decision_id=decision_id)))


class BatchDoor(PeopleDoor):
    """What answers with a batch."""

    def batch(self, batch: Batch, *, limit: int = 20, cursor: int | None = None) -> Any:
        """Return a batch with a page of what was not decided or not undone."""
        refused = batch.items.filter(state__in=[BatchItem.State.REFUSED, BatchItem.State.KEPT])
        refusals = page(refused, refusal_payload, key="pk", cursor=cursor, limit=limit, rising=True)
        return batch_payload(batch, counts=counted(batch), refusals=refusals.data)


class Batches(BatchDoor):
    """One decision on many flags."""

    @documented(
        "preview_batch", body=inputs.BatchInput, ok={201: shapes.BatchOutput}, errors=(413, 415)
    )
    def post(self, request: Request) -> Response:
        """Prepare a decision on many flags: nothing is decided yet. The answer says how many would
        be, and which not and why."""
        batch = _previewed(self.actor, self.body(inputs.BatchInput))
        return Response(self.batch(batch), status=201)


class OneBatch(BatchDoor):
    """One batch. A foreign id and a missing one look the same."""

    @documented("get_batch", query=inputs.RefusalsInput, ok={200: shapes.BatchOutput})
    def get(self, request: Request, batch_id: UUID) -> Response:
        """How far it is, and a page of what was not decided, or not undone, and why."""
        given = self.query(inputs.RefusalsInput)
        return Response(self.batch(bulk.batch_of(actor=self.actor, batch_id=batch_id), **given))


class StartBatch(BatchDoor):
    """Carrying a batch out."""

    @documented("start_batch", body=inputs.Nothing, ok={200: shapes.BatchOutput}, errors=_CHANGED)
    def post(self, request: Request, batch_id: UUID) -> Response:
        """Carry out a draft of yours: a small one before this answers, a large one afterwards.
        Twice is harmless."""
        self.body(inputs.Nothing)
        return Response(self.batch(bulk.start(actor=self.actor, batch_id=batch_id)))


class UndoBatch(BatchDoor):
    """Taking a batch back."""

    @documented("undo_batch", body=inputs.Nothing, ok={200: shapes.BatchOutput}, errors=_CHANGED)
    def post(self, request: Request, batch_id: UUID) -> Response:
        """Take back every decision of a batch of yours that still can be; what still waits in it
        is not decided any more. Twice is harmless."""
        self.body(inputs.Nothing)
        return Response(self.batch(bulk.undo_batch(actor=self.actor, batch_id=batch_id)))


def _decision(decision: Decision) -> Any:
    return decision_payload(decision, decision.flag)


def _previewed(actor: Actor, given: dict[str, Any]) -> Batch:
    chosen = given.pop("filter", None)
    flags = given.pop("flags", None)
    try:
        return bulk.preview(
            actor=actor,
            flag_ids=flags,
            filter=None if chosen is None else QueueFilter(**chosen),
            **given,
        )
    except Invalid as error:
        error.field = _NAMES.get(error.field, error.field)
        raise
