"""The endpoints of the review queue: whoever sees the memories reads, people decide."""

from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.documented import documented
from memories.api.door import Door, about
from memories.api.inputs import OneInput
from memories.models.flag import Flag
from review.api import inputs, shapes
from review.api.door import PeopleDoor, cursor_read, cut
from review.decisions import decide
from review.filters import QueueFilter
from review.payloads import flag_payload, one_flag_payload
from review.queue import counts_of, get_flag, order_of, waiting


class Flags(Door):
    """What waits, or waited, for a person."""

    @documented("list_flags", query=inputs.FlagsInput, ok={200: shapes.FlagPage})
    def get(self, request: Request) -> Response:
        """Flags, what presses most first, a page at a time. Those that wait unless `state` says
        otherwise; decided ones the last decided first."""
        given = self.query(inputs.FlagsInput)
        actor = self.acting_for(given)
        cursor, limit = given.pop("cursor", None), given.pop("limit")
        chosen = QueueFilter(**given)
        order = order_of(chosen)
        at, seen = cursor_read(cursor, order)
        rows = waiting(actor, chosen, at).filter(about(actor, "memory__"))
        found, following = cut(rows, order, at, seen, limit)
        return Response({"items": [flag_payload(one, actor) for one in found], "next": following})


class FlagCounts(PeopleDoor):
    """How much waits."""

    @documented("count_flags", query=inputs.CountsInput, ok={200: shapes.FlagCounts})
    def get(self, request: Request) -> Response:
        """How many flags wait, by kind."""
        counts = counts_of(self.actor, QueueFilter(**self.query(inputs.CountsInput)))
        return Response({"kinds": counts.kinds, "total": counts.all, "snoozed": counts.snoozed})


class OneFlag(Door):
    """One flag. A foreign id and a missing one look the same."""

    @documented("get_flag", query=OneInput, ok={200: shapes.OneFlagOutput})
    def get(self, request: Request, flag_id: UUID) -> Response:
        """Its memories, why they were flagged, what may be decided and what that would do, what
        was said about it, and the decision if there is one."""
        actor = self.acting_for(self.query(OneInput))
        return Response(one_flag_payload(get_flag(actor, flag_id), actor))


class Decide(PeopleDoor):
    """A person's word on a flag."""

    @documented(
        "decide",
        body=inputs.DecideInput,
        ok={200: shapes.DecidedOutput},
        errors=(409, 413, 415),
    )
    def post(self, request: Request, flag_id: UUID) -> Response:
        """Settle a flag. The same decision again changes nothing. 409 when a memory changed since
        you read it, or someone decided otherwise first."""
        given = self.body(inputs.DecideInput)
        versions = _versions(given.pop("expected_versions"))
        settled = decide(
            actor=self.actor,
            flag_id=flag_id,
            choice=given.pop("choice"),
            expected_versions=versions,
            **given,
        )
        waits = shapes.SECOND_PERSON if settled.flag.status == Flag.Status.OPEN else None
        now = get_flag(self.actor, flag_id)
        return Response({**flag_payload(now, self.actor), "waiting_for": waits})


def _versions(seen: dict[str, Any]) -> tuple[int, ...]:
    others = [seen["old"]] if seen.get("old") else seen.get("sources", [])
    return (seen["new"], *others)
