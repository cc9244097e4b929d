"""GET /flags and /flags/counts: filters, orders and pages of the queue."""

import uuid
from base64 import urlsafe_b64encode
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from hindsight_site.accounts.models import User
from memories.models import Flag, Memory
from tests.memories.api.client import Caller, refusal

Build = Callable[..., Flag]


def ids(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [item["id"] for item in answer.json()["items"]]


@pytest.fixture
def three(conflict: Build) -> list[str]:
    """Three flags, the oldest first; the second is about what agents recall most."""
    found = [
        conflict("the port is 80", "lunch is at one"),
        conflict("cats purr", "dogs bark"),
        conflict("doors open at 9", "the roof is flat"),
    ]
    Memory.objects.filter(pk=found[1].memory_id).update(recall_count=500)
    for age, flag in zip((9, 6, 3), found, strict=True):
        Flag.objects.filter(pk=flag.pk).update(created_at=timezone.now() - timedelta(hours=age))
    return [str(flag.pk) for flag in found]


def test_it_lists_what_presses_most_first(curator: Caller, three: list[str]) -> None:
    assert ids(curator.get("/flags")) == [three[1], three[0], three[2]]


@pytest.mark.parametrize(("sort", "order"), [("newest", (2, 1, 0)), ("oldest", (0, 1, 2))])
def test_it_lists_by_age(
    curator: Caller, three: list[str], sort: str, order: tuple[int, ...]
) -> None:
    assert ids(curator.get("/flags", sort=sort)) == [three[at] for at in order]


@pytest.mark.parametrize("sort", ["priority", "newest", "oldest"])
def test_it_pages_in_every_order(curator: Caller, three: list[str], sort: str) -> None:
    whole = ids(curator.get("/flags", sort=sort))
    found: list[str] = []
    cursor: dict[str, str | None] = {}
    for _page in range(3):
        answer = curator.get("/flags", sort=sort, limit=1, **cursor)
        found += ids(answer)
        cursor = {"cursor": answer.json()["next"]}
    assert (found, cursor["cursor"]) == (whole, None)


def test_it_pages_through_decided_ones(curator: Caller, three: list[str]) -> None:
    now = timezone.now()
    for after, key in enumerate((three[1], three[2], three[0])):
        Flag.objects.filter(pk=key).update(
            status="resolved", resolution="x", resolved_at=now + timedelta(minutes=after)
        )
    first = curator.get("/flags", state="decided", limit=2)
    second = curator.get("/flags", state="decided", limit=2, cursor=first.json()["next"])
    assert ids(first) + ids(second) == [three[0], three[2], three[1]]


def lapsed() -> str:
    at = timezone.now() - timedelta(days=8)
    return urlsafe_b64encode(f"{at.isoformat()} 1.0~{uuid.uuid4()}".encode()).decode()


@pytest.mark.parametrize(
    "cursor",
    ["x", "é", "a\0b", "AAAA", str(uuid.uuid4()), lapsed()],
    ids=["word", "accent", "nul", "base64", "uuid", "lapsed"],
)
def test_it_says_that_a_cursor_is_none(curator: Caller, db: None, cursor: str) -> None:
    error = refusal(curator.get("/flags", cursor=cursor), 400, "invalid")
    assert error["field"] == "cursor"
    assert "Leave it out to begin anew" in error["message"]


def test_it_refuses_the_cursor_of_another_order(curator: Caller, three: list[str]) -> None:
    cursor = curator.get("/flags", sort="newest", limit=1).json()["next"]
    refusal(curator.get("/flags", cursor=cursor), 400, "invalid")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"kind": "conflict"}, 1),
        ({"kind": "merge"}, 0),
        ({"reason": "number"}, 1),
        ({"reason": "antonym"}, 0),
        ({"agent": "coder"}, 1),
        ({"agent": "nobody"}, 0),
        ({"session": "s1"}, 1),
        ({"session": "s2"}, 0),
        ({"source": "user_input"}, 1),
        ({"source": "tool_result"}, 0),
        ({"confidence": "high"}, 1),
        ({"confidence": "low"}, 0),
        ({"age": "day"}, 1),
        ({"age": "older"}, 0),
        ({"language": "en"}, 1),
        ({"language": "zh"}, 0),
        ({"assignee": "nobody"}, 1),
        ({"assignee": "me"}, 0),
        ({"text": "port"}, 1),
        ({"text": "lunch"}, 1),
        ({"text": "ship"}, 0),
        ({"state": "open"}, 1),
        ({"state": "snoozed"}, 0),
        ({"state": "decided"}, 0),
        ({"kind": "conflict", "text": "port", "age": "day"}, 1),
    ],
)
def test_it_filters(curator: Caller, conflict: Build, query: dict[str, str], found: int) -> None:
    flag = conflict(session="s1")
    Flag.objects.filter(pk=flag.pk).update(reason="number")
    assert len(ids(curator.get("/flags", **query))) == found


@pytest.mark.parametrize(
    "name",
    ["kind", "reason", "source", "confidence", "age", "language", "state", "sort", "status", "x"],
)
def test_it_refuses_a_word_it_does_not_know(curator: Caller, db: None, name: str) -> None:
    error = refusal(curator.get("/flags", **{name: "nonsense"}), 400, "invalid")
    assert error["field"] == name


def test_it_shows_who_looks_at_a_flag_and_whose_it_is(
    curator: Caller, owner: Caller, flag: Flag, reviewer: User
) -> None:
    Flag.objects.update(assignee=reviewer, snoozed_until=timezone.now() - timedelta(days=1))
    curator.post(f"/flags/{flag.pk}/claim", {})
    [mine] = curator.get("/flags", assignee="me").json()["items"]
    assert (mine["claim"]["user"], mine["claim"]["mine"], mine["assignee"]) == ("rui", True, "rui")
    assert mine["snoozed_until"] is not None
    [read] = owner.get("/flags").json()["items"]
    assert (read["claim"], read["assignee"]) == (None, None)


def test_it_counts_by_kind(curator: Caller, three: list[str]) -> None:
    Flag.objects.filter(pk=three[0]).update(snoozed_until=timezone.now() + timedelta(days=1))
    body = curator.get("/flags/counts").json()
    assert (body["kinds"]["conflict"], body["kinds"]["merge"]) == (2, 0)
    assert (body["total"], body["snoozed"]) == (2, 1)
    assert curator.get("/flags/counts", text="purr").json()["total"] == 1
    assert curator.get("/flags/counts", user_id="u1").json()["total"] == 0


def test_it_counts_nothing_for_an_agent(owner: Caller, flag: Flag) -> None:  # F5
    refusal(owner.get("/flags/counts"), 403, "not_allowed")
