"""A memory's past over REST: comparing, restoring, exporting (E1, J4, H2)."""

import uuid
from typing import Any

import pytest

from memories.models import Memory, MemoryVersion
from tests.memories.api.client import Caller, refusal

FIRST, SECOND = "Lunch is served at noon.", "Lunch is served at one."


@pytest.fixture
def path(owner: Caller) -> str:
    """The path of a memory with two versions."""
    made = owner.write(FIRST, tags=["food"], reflection="Said the cook.")
    path = f"/memories/{made['id']}"
    changed = {"expected_version": 1, "content": SECOND, "tags": [], "reason": "summer"}
    assert owner.patch(path, changed).status_code == 200
    return path


def compare(caller: Caller, path: str, older: Any = 1, newer: Any = 2, **more: Any) -> Any:
    return caller.get(f"{path}/compare", **{"from": older, "to": newer} | more)


def test_it_compares_any_two_versions(owner: Caller, path: str) -> None:  # E1
    said = compare(owner, path).json()
    assert (said["from"], said["to"]) == (1, 2)
    assert "".join(one["text"] for one in said["content"] if one["side"] != "new") == FIRST
    assert "".join(one["text"] for one in said["content"] if one["side"] != "old") == SECOND
    assert {"side": "new", "text": "one"} in said["content"]
    assert said["reflection"] == [{"side": "both", "text": "Said the cook."}]
    assert said["altered"] == [{"field": "tags", "before": ["food"], "after": []}]


def test_it_compares_backwards_as_well(owner: Caller, path: str) -> None:
    said = compare(owner, path, 2, 1).json()
    assert {"side": "new", "text": "noon"} in said["content"]


@pytest.mark.parametrize("number", [3, 2**40])
def test_it_knows_no_version_that_never_was(owner: Caller, path: str, number: int) -> None:
    assert refusal(compare(owner, path, 1, number), 404, "not_found")["field"] == "number"


def test_it_asks_for_both_numbers(owner: Caller, path: str) -> None:
    refusal(owner.get(f"{path}/compare", to=2), 400, "invalid")


def test_it_restores_a_version(owner: Caller, path: str) -> None:  # E1
    answer = owner.post(f"{path}/versions/1/restore", {"expected_version": 2, "reason": "autumn"})
    assert answer.status_code == 200
    said = answer.json()
    assert (said["content"], said["tags"], said["version"]) == (FIRST, ["food"], 3)
    assert MemoryVersion.objects.get(memory=said["id"], number=3).reason == "autumn"


def test_it_answers_409_to_who_read_another_version(owner: Caller, path: str) -> None:
    stale = owner.post(f"{path}/versions/1/restore", {"expected_version": 1})
    assert refusal(stale, 409, "stale")["details"]["version"] == 2
    assert Memory.objects.get().version == 2


def test_it_wants_to_know_the_version_that_was_read(owner: Caller, path: str) -> None:
    error = refusal(owner.post(f"{path}/versions/1/restore", {}), 400, "invalid")
    assert error["field"] == "expected_version"


def test_it_lets_no_other_agent_restore(mate: Caller, path: str) -> None:  # F5
    refusal(mate.post(f"{path}/versions/1/restore", {"expected_version": 2}), 403, "not_allowed")


def test_it_exports_the_whole_history(curator: Caller, path: str) -> None:  # J4
    said = curator.get(f"{path}/history").json()
    assert [one["content"] for one in said["versions"]] == [FIRST, SECOND]
    assert [one["verb"] for one in said["events"]] == ["created", "updated"]
    assert said["memory"]["content"] == SECOND
    assert said["recalls"]["count"] == 0


@pytest.mark.parametrize("ask", ["compare?from=1&to=2", "history"])
def test_it_answers_a_foreign_id_like_a_missing_one(
    outsider: Caller, path: str, ask: str
) -> None:  # D1
    foreign = outsider.get(f"{path}/{ask}")
    missing = outsider.get(f"/memories/{uuid.uuid4()}/{ask}")
    assert foreign.status_code == missing.status_code == 404
    assert foreign.content == missing.content


# --- Archive, trash, pin --------------------------------------------------------------------------
def searched(caller: Caller, **more: Any) -> list[str]:
    hits = caller.post("/search", {"query": SECOND} | more).json()["hits"]
    return [hit["content"] for hit in hits]


def test_it_archives_and_finds_it_on_demand_only(owner: Caller, path: str) -> None:  # E5
    said = owner.post(f"{path}/archive", {"expected_version": 2, "reason": "over"}).json()
    assert (said["status"], said["version"]) == ("archived", 3)
    assert searched(owner) == []
    assert searched(owner, status="archived") == [SECOND]


def test_it_takes_it_back_from_the_archive(owner: Caller, curator: Caller, path: str) -> None:  # E5
    owner.post(f"{path}/archive", {})
    said = curator.post(f"{path}/restore", {"expected_version": 3}).json()
    assert (said["status"], said["version"]) == ("active", 4)
    assert searched(owner) == [SECOND]


def test_it_takes_it_back_from_the_trash(owner: Caller, curator: Caller, path: str) -> None:  # E6
    owner.delete(path)
    assert curator.post(f"{path}/restore", {}).json()["status"] == "active"


def test_it_lets_no_agent_take_back(owner: Caller, path: str) -> None:  # F5
    owner.post(f"{path}/archive", {})
    refusal(owner.post(f"{path}/restore", {}), 403, "not_allowed")


def test_it_pins_for_people_only(owner: Caller, curator: Caller, path: str) -> None:  # F5
    refusal(owner.post(f"{path}/pin", {"pinned": True}), 403, "not_allowed")
    assert curator.post(f"{path}/pin", {"pinned": True}).status_code == 200
    assert Memory.objects.get().pinned
    curator.post(f"{path}/pin", {"pinned": False, "expected_version": 3})
    assert not Memory.objects.get().pinned


@pytest.mark.parametrize("change", ["archive", "restore", "pin"])
def test_it_answers_409_to_a_stale_change(curator: Caller, path: str, change: str) -> None:
    body = {"expected_version": 1} | ({"pinned": True} if change == "pin" else {})
    refusal(curator.post(f"{path}/{change}", body), 409, "stale")


# --- Links and consolidation ----------------------------------------------------------------------
def test_it_lists_what_it_is_connected_with(owner: Caller) -> None:  # A3
    old = owner.write("The office is in Kyoto.", subject="office")
    new = owner.write("The office is in Osaka.", subject="office")
    said = owner.get(f"/memories/{old['id']}/links").json()
    assert [(one["type"], one["memory"]["id"]) for one in said["items"]] == [
        ("contradicts", new["id"])
    ]
    assert said["more"] == 0


def test_it_lists_no_links_to_what_one_may_not_see(owner: Caller, mate: Caller) -> None:  # D1
    old = owner.write("The office is in Kyoto.", session="s1")
    owner.write("Rent is due on Monday.", session="s1", visibility="private")
    assert len(owner.get(f"/memories/{old['id']}/links").json()["items"]) == 1
    assert mate.get(f"/memories/{old['id']}/links").json() == {"items": [], "more": 0}


def test_it_proposes_one_memory_for_several(owner: Caller) -> None:  # E4, F5
    parts = ["The deploy runs at 18:00 on Fridays.", "The deploy needs two approvals."]
    ids = [owner.write(part)["id"] for part in parts]
    answer = owner.post("/consolidations", {"memory_ids": ids})
    assert answer.status_code == 201
    said = answer.json()
    assert said["memory_ids"] == sorted(ids)
    assert all(part in said["content"] for part in parts)
    assert owner.get("/memories").json()["items"][0]["id"] in ids
    assert owner.post("/consolidations", {"memory_ids": ids}).json()["flag"] == said["flag"]


def test_it_makes_nothing_of_foreign_memories(owner: Caller, outsider: Caller) -> None:  # D1
    mine = [owner.write(f"The deploy has step {n}.")["id"] for n in (1, 2)]
    refusal(outsider.post("/consolidations", {"memory_ids": mine}), 404, "not_found")
