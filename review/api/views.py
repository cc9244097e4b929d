"""The endpoints of the review queue: whoever sees the memories reads, people decide."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.documented import documented
from memories.api.door import Door, about, page
from memories.api.inputs import OneInput
from memories.lifecycle import Choice
from review.api.shapes import DecideInput, FlagOutput, FlagPage, FlagsInput
from review.decisions import decide
from review.payloads import flag_payload
from review.queue import flags_of, get_flag


class Flags(Door):
    """What waits, or waited, for a person."""

    @documented("list_flags", query=FlagsInput, ok={200: FlagPage})
    def get(self, request: Request) -> Response:
        """Flags, newest first, a page at a time. Open ones unless `status` says otherwise."""
        given = self.query(FlagsInput)
        actor = self.acting_for(given)
        cursor, limit = given.pop("cursor", None), given.pop("limit")
        rows = flags_of(actor).filter(about(actor, "memory__"), **given)
        return page(rows, flag_payload, key="pk", cursor=cursor, limit=limit)


class OneFlag(Door):
    """One flag. A foreign id and a missing one look the same."""

    @documented("get_flag", query=OneInput, ok={200: FlagOutput})
    def get(self, request: Request, flag_id: UUID) -> Response:
        """Both memories, why they were flagged, and the decision if there is one."""
        actor = self.acting_for(self.query(OneInput))
        return Response(flag_payload(get_flag(actor, flag_id)))


class Decide(Door):
    """A person's word on a flag."""

    @documented("decide", body=DecideInput, ok={200: FlagOutput}, errors=(409, 413, 415))
    def post(self, request: Request, flag_id: UUID) -> Response:
        """Settle a flag. 409 when a memory changed since you read it, or someone decided first.
        An agent's key is always answered with 403."""
        given = self.body(DecideInput)
        seen = given.pop("expected_versions")
        decide(
            actor=self.actor,
            flag_id=flag_id,
            choice=Choice(given.pop("choice")),
            expected_versions=tuple(seen[side] for side in ("new", "old") if seen.get(side)),
            **given,
        )
        return Response(flag_payload(get_flag(self.actor, flag_id)))
