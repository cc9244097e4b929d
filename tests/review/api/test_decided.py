"""GET /decisions and POST /decisions/{id}/undo."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.models import Flag, Memory
from review.models import Decision
from tests.memories.api.client import Caller, refusal

KEEP_NEW = {"choice": "keep_new", "expected_versions": {"new": 1, "old": 1}}
Build = Callable[..., Flag]


@pytest.fixture
def decided(curator: Caller, flag: Flag) -> str:
    """The id of a decision to keep the new one."""
    answer = curator.post(f"/flags/{flag.pk}/decide", KEEP_NEW)
    key: str = answer.json()["decision"]["id"]
    return key


def ids(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [item["id"] for item in answer.json()["items"]]


def test_it_lists_decisions_newest_first(curator: Caller, decided: str, conflict: Build) -> None:
    later = conflict("cats purr", "dogs bark")
    answer = curator.post(f"/flags/{later.pk}/decide", KEEP_NEW).json()
    page = curator.get("/decisions", limit=1)
    assert ids(page) == [answer["decision"]["id"]]
    assert page.json()["items"] == [answer["decision"]]
    assert ids(curator.get("/decisions", cursor=page.json()["next"])) == [decided]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"user": "rui"}, 1),
        ({"user": "ann"}, 0),
        ({"choice": "keep_new"}, 1),
        ({"choice": "reject"}, 0),
        ({"automatic": "false"}, 1),
        ({"automatic": "true"}, 0),
        ({"batch": str(uuid.uuid4())}, 0),
        ({"since": "2020-01-01"}, 1),
        ({"since": "2120-01-01T00:00:00Z"}, 0),
    ],
)
def test_it_filters(curator: Caller, decided: str, query: dict[str, str], found: int) -> None:
    assert len(ids(curator.get("/decisions", **query))) == found


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("automatic", "yes"),
        ("automatic", "1"),
        ("choice", "burn"),
        ("batch", "7"),
        ("since", "yesterday"),
        ("who", "rui"),
    ],
)
def test_it_names_what_is_wrong_with_a_filter(
    curator: Caller, db: None, name: str, value: str
) -> None:
    error = refusal(curator.get("/decisions", **{name: value}), 400, "invalid")
    assert error["field"] == name


def test_it_asks_the_database_a_fixed_number_of_times(
    curator: Caller, decided: str, conflict: Build, django_assert_num_queries: Any
) -> None:
    later = conflict("cats purr", "dogs bark")
    curator.post(f"/flags/{later.pk}/decide", KEEP_NEW)
    # session, user, their spaces, the membership, decisions with their flags
    with django_assert_num_queries(5):
        assert len(ids(curator.get("/decisions"))) == 2


def test_it_undoes_a_decision(curator: Caller, flag: Flag, decided: str) -> None:  # G3
    answer = curator.post(f"/decisions/{decided}/undo", {})
    assert answer.status_code == 200, answer.content
    assert answer.json()["undone_by"] == "rui"
    assert set(Memory.objects.values_list("status", flat=True)) == {"active"}
    body = curator.get(f"/flags/{flag.pk}").json()
    assert (body["status"], body["decision"]) == ("open", None)


def test_it_undoes_once(curator: Caller, decided: str) -> None:
    once, twice = (curator.post(f"/decisions/{decided}/undo", {}) for _ in range(2))
    assert (once.json(), twice.status_code) == (twice.json(), 200)


def test_it_says_why_it_cannot_be_undone(curator: Caller, flag: Flag, decided: str) -> None:
    memory = Memory.objects.get(pk=flag.memory_id)
    curator.patch(
        f"/memories/{memory.pk}",
        {"expected_version": memory.version, "content": "the port is 8443"},
    )
    error = refusal(curator.post(f"/decisions/{decided}/undo", {}), 409, "stale")
    assert "cannot be undone any more" in error["message"]
    assert error["details"] == {"memory_id": str(memory.pk)}
    assert Decision.objects.get().undone_at is None


def test_it_keeps_what_was_undone_in_the_list(curator: Caller, decided: str) -> None:
    curator.post(f"/decisions/{decided}/undo", {})
    [item] = curator.get("/decisions").json()["items"]
    assert item["undone_at"] is not None
    since = timezone.now() - timedelta(minutes=5)
    assert ids(curator.get("/decisions", since=since.isoformat())) == [decided]
