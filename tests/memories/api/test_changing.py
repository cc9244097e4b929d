"""PATCH and DELETE /memories/{id}."""

from typing import Any

import pytest

from memories.models import Memory
from tests.memories.api.client import Caller, refusal


@pytest.fixture
def memory(owner: Caller) -> dict[str, Any]:
    return owner.write("Lunch is served at noon")


@pytest.fixture
def path(memory: dict[str, Any]) -> str:
    return f"/memories/{memory['id']}"


def test_it_changes_what_is_given_and_nothing_else(
    owner: Caller, memory: dict[str, Any], path: str
) -> None:
    answer = owner.patch(path, {"expected_version": 1, "tags": ["food"]})
    assert answer.status_code == 200
    expected = memory | {"tags": ["food"], "version": 2, "updated_at": answer.json()["updated_at"]}
    assert answer.json() == expected


def test_it_answers_409_with_the_present_state_to_a_stale_change(owner: Caller, path: str) -> None:
    owner.patch(path, {"expected_version": 1, "content": "Lunch is at one"})
    error = refusal(owner.patch(path, {"expected_version": 1, "subject": "lunch"}), 409, "stale")
    assert error["details"] == {"version": 2, "content": "Lunch is at one", "status": "active"}


def test_it_needs_the_version_that_was_read(owner: Caller, path: str) -> None:
    answer = owner.patch(path, {"content": "Lunch is at one"})
    assert refusal(answer, 400, "invalid")["field"] == "expected_version"


def test_it_refuses_a_change_of_nothing(owner: Caller, path: str) -> None:
    refusal(owner.patch(path, {"expected_version": 1}), 400, "invalid")


def test_it_does_not_take_null_for_a_change(owner: Caller, path: str) -> None:
    answer = owner.patch(path, {"expected_version": 1, "content": None})
    assert refusal(answer, 400, "invalid")["field"] == "content"


def test_it_says_disputed_when_the_new_text_contradicts(owner: Caller) -> None:  # E3
    owner.write("The API server listens on port 8080")
    other = owner.write("Lunch is served at noon")["id"]
    answer = owner.patch(
        f"/memories/{other}",
        {"expected_version": 1, "content": "The API server listens on port 9090"},
    )
    assert answer.json()["disputed"] is True


def test_it_deletes_softly(owner: Caller, memory: dict[str, Any], path: str) -> None:  # E6
    answer = owner.delete(path, expected_version=1, reason="wrong")
    assert (answer.status_code, answer.json()["status"]) == (200, "deleted")
    assert Memory.objects.get(pk=memory["id"]).status == "deleted"


def test_it_does_not_delete_another_version_than_the_one_seen(owner: Caller, path: str) -> None:
    refusal(owner.delete(path, expected_version=7), 409, "stale")


def test_it_keeps_a_teammates_agent_from_changing_and_deleting(mate: Caller, path: str) -> None:
    refusal(mate.patch(path, {"expected_version": 1, "subject": "x"}), 403, "not_allowed")
    refusal(mate.delete(path), 403, "not_allowed")


def test_it_answers_a_stranger_as_if_there_were_nothing(outsider: Caller, path: str) -> None:  # D1
    refusal(outsider.patch(path, {"expected_version": 1, "subject": "x"}), 404, "not_found")
    refusal(outsider.delete(path), 404, "not_found")


def test_it_changes_a_users_memory_only_for_that_user(owner: Caller) -> None:  # D1
    path = f"/memories/{owner.write('Lunch is at noon', user_id='u1')['id']}"
    for wrong in ("", "u2"):
        body = {"expected_version": 1, "subject": "x", "user_id": wrong}
        refusal(owner.patch(path, body), 404, "not_found")
        refusal(owner.delete(path, user_id=wrong), 404, "not_found")
    right = {"expected_version": 1, "subject": "x", "user_id": "u1"}
    assert owner.patch(path, right).status_code == 200
    assert owner.delete(path, user_id="u1").status_code == 200
