"""The endpoints that tell about a space as a whole: its numbers and its policy."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.documented import documented
from memories.policies import PolicyNumbers, policy_for
from review.api import inputs, shapes
from review.api.door import PeopleDoor
from review.numbers import Numbers, Oldest, Wait, numbers_of
from review.rates import Rate

_COUNTED = ("open", "snoozed", "assigned", "made", "undone", "automatic")


class NumbersOf(PeopleDoor):
    """What the queue does."""

    @documented("get_numbers", query=inputs.NumbersInput, ok={200: shapes.NumbersOutput})
    def get(self, request: Request) -> Response:
        """The backlog now, and throughput, waits and rates of acceptance over the last days."""
        days = self.query(inputs.NumbersInput)["days"]
        return Response(numbers_payload(numbers_of(self.actor, days)))


class PolicyOf(PeopleDoor):
    """The space's numbers."""

    @documented("get_policy", ok={200: shapes.PolicyOutput})
    def get(self, request: Request) -> Response:
        """Every number of the space's policy that holds now, beside its default."""
        self.query(inputs.Nothing)
        self.actor.require("read")
        version, numbers = policy_for(self.actor.space_id)
        told = {"numbers": numbers.model_dump(), "defaults": PolicyNumbers().model_dump()}
        return Response({"version": version, **told})


def numbers_payload(numbers: Numbers) -> dict[str, Any]:
    """Return the numbers of a queue as plain JSON."""
    return {
        **{name: getattr(numbers, name) for name in _COUNTED},
        "backlog": [asdict(one) | {"total": one.total} for one in numbers.backlog],
        "oldest": _oldest(numbers.oldest),
        "days": [asdict(one) | {"day": one.day.isoformat()} for one in numbers.days],
        "wait": _wait("", numbers.wait),
        "waits": [_wait(kind, wait) for kind, wait in numbers.waits.items()],
        "by_agent": [
            _rate({"agent": name}, rate) for (_id, name), rate in numbers.by_agent.items()
        ],
        "by_reason": [
            _rate({"kind": kind, "reason": reason}, rate)
            for (kind, reason), rate in numbers.by_reason.items()
        ],
        "people": [asdict(one) for one in numbers.people],
        "rules": [asdict(one) for one in numbers.rules],
    }


def _oldest(found: Oldest | None) -> dict[str, str] | None:
    if found is None:
        return None
    return {
        "id": str(found.id),
        "kind": found.kind,
        "created_at": found.created_at.isoformat(),
    }


def _wait(kind: str, wait: Wait) -> dict[str, Any]:
    return {
        "kind": kind,
        "count": wait.count,
        "median": _seconds(wait.median),
        "p90": _seconds(wait.p90),
    }


def _seconds(span: timedelta | None) -> float | None:
    return None if span is None else round(span.total_seconds(), 3)


def _rate(whose: Mapping[str, str], rate: Rate) -> dict[str, Any]:
    low, high = rate.interval
    counted = {"accepted": rate.accepted, "rejected": rate.rejected, "other": rate.other}
    shares = {"share": rate.share, "low": low, "high": high}
    return {**whose, **counted, **{name: round(value, 4) for name, value in shares.items()}}
