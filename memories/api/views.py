"""The endpoints of memories and search: parse, authorise, one call, render."""

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import inputs, outputs
from memories.api.documented import IDEMPOTENCY_KEY, documented
from memories.api.door import Door, about, page
from memories.api.versions import version_payload
from memories.errors import Invalid
from memories.lifecycle import delete_memory, give_feedback, update_memory
from memories.models.memory import LIVE
from memories.payloads import batch_payload, feedback_payload, memory_payload, write_payload
from memories.reading import get_memory, memories_of, versions_of
from memories.recall import recall
from memories.recall.payload import recall_payload
from memories.writing import Outcome, write_each, write_memory
from memories.writing.batch import BATCH

FRESH = (Outcome.CREATED, Outcome.FLAGGED)


class Memories(Door):
    """The memories of a space."""

    @documented(
        "write_memory",
        body=inputs.WriteInput,
        ok={201: outputs.WriteOutput, 200: outputs.WriteOutput},
        parameters=(IDEMPOTENCY_KEY,),
        errors=(413, 415),
    )
    def post(self, request: Request) -> Response:
        """Keep one statement. 201: stored (created; or flagged, a person decides: it contradicts
        what is known, or it is suspicious and kept from every agent meanwhile); 200: known already
        (duplicate, reinforced). Answered after it is safely stored."""
        said = self.body(inputs.WriteInput)
        said["idempotency_key"] = _one_key(said.get("idempotency_key", ""), request)
        result = write_memory(actor=self.actor, **said)
        return Response(write_payload(result), status=201 if result.outcome in FRESH else 200)

    @documented("list_memories", query=inputs.ListInput, ok={200: outputs.MemoryPage})
    def get(self, request: Request) -> Response:
        """Memories, newest first, a page at a time; active and pending ones by default."""
        given = self.query(inputs.ListInput)
        given.setdefault("status", [status.value for status in LIVE])
        actor = self.acting_for(given)
        rows = memories_of(actor, inputs.filters_of(given)).filter(about(actor))
        return page(
            rows, memory_payload, key="pk", cursor=given.get("cursor"), limit=given["limit"]
        )


class ManyMemories(Door):
    """Several statements at once."""

    def check_throttles(self, request: Request) -> None:
        """Count each statement as the call that it stands for; what cannot be read is one."""
        try:
            body: Any = request.data
        except Exception:
            super().check_throttles(request)
            raise
        given = body.get("memories")
        if isinstance(given, list):
            self.calls = max(1, min(len(given), BATCH))
        super().check_throttles(request)

    @documented(
        "write_memories",
        body=inputs.WriteManyInput,
        ok={200: outputs.WriteManyOutput},
        errors=(413, 415),
    )
    def post(self, request: Request) -> Response:
        """Keep up to 100 statements, with 200,000 characters of content, each as if it were written
        alone; each counts as a call. `results` are in their order, each what a single write answers
        or its refusal: that costs the others nothing. 400: there is no such list, nothing is
        written. Answered after all are safely stored."""
        if "Idempotency-Key" in request.headers:
            raise Invalid(
                _(
                    "The header Idempotency-Key is for a single write: give each of the memories "
                    "an idempotency_key of its own."
                ),
                field="idempotency_key",
            )
        said = self.body(inputs.WriteManyInput)
        return Response(batch_payload(write_each(actor=self.actor, statements=said["memories"])))


class OneMemory(Door):
    """One memory. A foreign id and a missing one look the same."""

    @documented("get_memory", query=inputs.OneInput, ok={200: outputs.MemoryOutput})
    def get(self, request: Request, memory_id: UUID) -> Response:
        """The memory as it is now, whatever its status."""
        actor = self.acting_for(self.query(inputs.OneInput))
        return Response(memory_payload(get_memory(actor=actor, memory_id=memory_id)))

    @documented(
        "update_memory",
        body=inputs.UpdateInput,
        ok={200: outputs.MemoryOutput},
        errors=(409, 413, 415),
    )
    def patch(self, request: Request, memory_id: UUID) -> Response:
        """Make a new version with what is given. 409, with the present state, when it is no longer
        the version you read. An agent changes only what it wrote and no person has confirmed."""
        given = self.body(inputs.UpdateInput)
        actor = self.acting_for(given)
        return Response(memory_payload(update_memory(actor=actor, memory_id=memory_id, **given)))

    @documented(
        "delete_memory",
        query=inputs.DeleteInput,
        ok={200: outputs.MemoryOutput},
        errors=(409,),
    )
    def delete(self, request: Request, memory_id: UUID) -> Response:
        """Delete softly: gone from every answer, restorable by a person. Twice is harmless."""
        given = self.query(inputs.DeleteInput)
        actor = self.acting_for(given)
        return Response(memory_payload(delete_memory(actor=actor, memory_id=memory_id, **given)))


class Versions(Door):
    """The history of a memory."""

    @documented("list_versions", query=inputs.VersionsInput, ok={200: outputs.VersionPage})
    def get(self, request: Request, memory_id: UUID) -> Response:
        """What it said at each step, who changed it and why, newest first."""
        given = self.query(inputs.VersionsInput)
        rows = versions_of(actor=self.acting_for(given), memory_id=memory_id)
        return page(
            rows, version_payload, key="number", cursor=given.get("cursor"), limit=given["limit"]
        )


class FeedbackOn(Door):
    """What agents and people say of a memory."""

    @documented(
        "give_feedback",
        body=inputs.FeedbackInput,
        ok={200: outputs.FeedbackOutput},
        errors=(413, 415),
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Say that it was useful, wrong or stale. It changes nothing by itself: a complaint is put
        to people. Saying it again of the same version replaces what was said."""
        given = self.body(inputs.FeedbackInput)
        said = give_feedback(actor=self.actor, memory_id=memory_id, **given)
        return Response(feedback_payload(said))


class Search(Door):
    """Recall over REST."""

    @documented(
        "search_memory",
        body=inputs.SearchInput,
        ok={200: outputs.RecallOutput},
        errors=(413, 415),
    )
    def post(self, request: Request) -> Response:
        """The memories that matter to a question, best first, each with why it was found."""
        given = self.body(inputs.SearchInput)
        filters = inputs.filters_of(given)
        session = given.pop("current_session", "")
        found = recall(actor=self.actor, filters=filters, session=session, **given)
        return Response(recall_payload(found))


def _one_key(field: str, request: Request) -> str:
    header: str = request.headers.get("Idempotency-Key", "")
    if field and header and field != header:
        raise Invalid(
            _("The header Idempotency-Key and the field idempotency_key differ: send one of them."),
            field="idempotency_key",
        )
    return field or header
