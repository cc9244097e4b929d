"""One decision on many flags over REST: preview, start, progress, undo."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from memories.models import Flag
from review.models import Batch, Decision
from tests.memories.api.client import Caller, refusal

Build = Callable[..., Flag]


@pytest.fixture
def two(conflict: Build) -> list[str]:
    flags = (conflict("the port is 80", "lunch is at one"), conflict("cats purr", "dogs bark"))
    return [str(flag.pk) for flag in flags]


def previewed(curator: Caller, **said: Any) -> dict[str, Any]:
    answer = curator.post("/batches", {"choice": "keep_new"} | said)
    assert answer.status_code == 201, answer.content
    body: dict[str, Any] = answer.json()
    return body


def test_it_previews_without_deciding(curator: Caller, two: list[str]) -> None:
    batch = previewed(curator, flags=two, note="checked")
    assert (batch["state"], batch["choice"], batch["note"]) == ("draft", "keep_new", "checked")
    assert (batch["counts"]["waiting"], batch["counts"]["refused"]) == (2, 0)
    assert batch["refusals"] == {"items": [], "next": None}
    assert not Decision.objects.exists()
    assert curator.get(f"/batches/{batch['id']}").json() == batch


def test_it_previews_what_a_filter_matches(curator: Caller, two: list[str]) -> None:
    batch = previewed(curator, filter={"text": "purr"})
    assert (batch["counts"]["waiting"], batch["filter"]) == (1, "text=purr")
    assert previewed(curator, filter={})["counts"]["waiting"] == 2


def test_it_decides_and_undoes_as_one(curator: Caller, two: list[str]) -> None:  # G3
    batch = previewed(curator, flags=two)["id"]
    done = curator.post(f"/batches/{batch}/start", {})
    assert done.status_code == 200, done.content
    assert (done.json()["state"], done.json()["counts"]["decided"]) == ("done", 2)
    assert curator.get("/flags").json()["items"] == []
    made = curator.get("/decisions", batch=batch).json()["items"]
    assert {one["batch_id"] for one in made} == {batch}
    undone = curator.post(f"/batches/{batch}/undo", {}).json()
    assert (undone["state"], undone["counts"]["undone"]) == ("undone", 2)
    assert len(curator.get("/flags").json()["items"]) == 2


def test_it_pages_through_what_was_not_decided(
    curator: Caller, conflict: Build, two: list[str]
) -> None:
    batch = previewed(curator, flags=two)["id"]
    for flag in two:
        curator.post(
            f"/flags/{flag}/decide",
            {"choice": "keep_old", "expected_versions": {"new": 1, "old": 1}},
        )
    curator.post(f"/batches/{batch}/start", {})
    first = curator.get(f"/batches/{batch}", limit=1).json()["refusals"]
    second = curator.get(f"/batches/{batch}", cursor=first["next"]).json()["refusals"]
    found = first["items"] + second["items"]
    assert {item["flag_id"] for item in found} == set(two)
    assert all(item["state"] == "refused" and item["why"] for item in found)
    assert second["next"] is None


def test_it_starts_once(curator: Caller, two: list[str]) -> None:
    batch = previewed(curator, flags=two)["id"]
    once, twice = (curator.post(f"/batches/{batch}/start", {}) for _ in range(2))
    assert once.json() == twice.json()
    assert Decision.objects.count() == 2


def test_it_undoes_no_draft(curator: Caller, two: list[str]) -> None:
    batch = previewed(curator, flags=two)["id"]
    refusal(curator.post(f"/batches/{batch}/undo", {}), 409, "stale")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "choice"),
        ({"choice": "keep_new"}, "flags"),
        ({"choice": "keep_new", "flags": []}, "flags"),
        ({"choice": "keep_new", "flags": ["x"]}, "flags[0]"),
        ({"choice": "keep_new", "flags": [str(uuid.uuid4())], "filter": {}}, "flags"),
        ({"choice": "keep_new", "flags": [str(uuid.uuid4())]}, "flags"),
        ({"choice": "keep_new", "flags": [str(uuid.uuid4())] * 201}, "flags"),
        ({"choice": "burn", "filter": {}}, "choice"),
        ({"choice": "merge", "filter": {}}, "choice"),
        ({"choice": "reject", "filter": {}}, "reason"),
        ({"choice": "keep_new", "reason": "wrong", "filter": {}}, "reason"),
        ({"choice": "keep_new", "filter": {"kind": "x"}}, "filter.kind"),
        ({"choice": "keep_new", "filter": {"state": "decided"}}, "filter.state"),
        ({"choice": "keep_new", "filter": "all"}, "filter"),
        ({"choice": "keep_new", "filter": {}, "note": "x" * 301}, "note"),
    ],
)
def test_it_names_what_is_wrong(
    curator: Caller, flag: Flag, body: dict[str, Any], field: str
) -> None:
    error = refusal(curator.post("/batches", body), 400, "invalid")
    assert error["field"] == field
    assert not Batch.objects.exists()
