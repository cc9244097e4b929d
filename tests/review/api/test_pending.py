"""POST /flags/{id}/decide on what waits as pending."""

from typing import Any

import pytest

from memories.models import Flag, Memory
from memories.permissions import Actor
from review.models import Decision
from tests.doubts import DOUBTED, SURE, doubt
from tests.memories.api.client import Caller, refusal

SEEN = {"expected_versions": {"new": 1}}
pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def flag(actor: Actor) -> Flag:
    return doubt(actor)


def test_it_lists_them_by_kind_with_one_text(curator: Caller, flag: Flag) -> None:
    [item] = curator.get("/flags", kind="pending").json()["items"]
    assert (item["id"], item["reason"], item["old"]) == (str(flag.pk), "low_confidence", None)
    assert item["new"]["content"] == DOUBTED
    assert item["flagged_versions"] == {"new": 1, "old": None}
    assert curator.get("/flags", kind="conflict").json()["items"] == []


@pytest.mark.parametrize("old", [{}, {"old": None}])
def test_it_approves(curator: Caller, flag: Flag, old: dict[str, None]) -> None:
    body = {"choice": "approve", "expected_versions": {"new": 1} | old}
    answer = curator.post(f"/flags/{flag.pk}/decide", body).json()
    assert (answer["status"], answer["resolution"]) == ("resolved", "approve")
    assert (answer["new"]["status"], answer["new"]["confidence"]) == ("active", 0.95)


def test_it_edits_and_approves(curator: Caller, flag: Flag) -> None:
    body = SEEN | {"choice": "edit_approve", "content": SURE}
    answer = curator.post(f"/flags/{flag.pk}/decide", body).json()
    assert (answer["new"]["content"], answer["decision"]["content"]) == (SURE, SURE)


def test_it_rejects_with_a_reason(curator: Caller, flag: Flag) -> None:
    body = SEEN | {"choice": "reject", "reason": "injection", "note": "tells agents what to do"}
    answer = curator.post(f"/flags/{flag.pk}/decide", body).json()
    assert answer["new"]["status"] == "overturned"
    said = answer["decision"]
    assert (said["reason"], said["note"]) == ("injection", "tells agents what to do")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"choice": "reject"}, "reason"),
        ({"choice": "reject", "reason": "because"}, "reason"),
        ({"choice": "approve", "reason": "wrong"}, "reason"),
        ({"choice": "edit_approve"}, "content"),
        ({"choice": "approve", "content": SURE}, "content"),
        ({"choice": "approve", "expected_versions": {"new": 1, "old": 1}}, "expected_versions"),
        ({"choice": "approve", "expected_versions": {}}, "expected_versions.new"),
    ],
)
def test_it_names_what_is_wrong_with_a_decision(
    curator: Caller, flag: Flag, body: dict[str, Any], field: str
) -> None:
    error = refusal(curator.post(f"/flags/{flag.pk}/decide", SEEN | body), 400, "invalid")
    assert field in (error["field"], *error.get("details", {}).get("fields", {}))
    assert Memory.objects.get().status == "pending"


@pytest.mark.parametrize("choice", ["keep_new", "keep_old", "both_true", "merge"])
def test_it_names_the_decisions_that_fit(curator: Caller, flag: Flag, choice: str) -> None:
    body = SEEN | {"choice": choice}
    error = refusal(curator.post(f"/flags/{flag.pk}/decide", body), 400, "invalid")
    assert (error["field"], error["message"]) == (
        "choice",
        f"“{choice}” is no decision on this item. It takes one of: approve, edit_approve, reject.",
    )


def test_it_takes_no_decision_from_an_agent(owner: Caller, flag: Flag) -> None:  # F5
    body = SEEN | {"choice": "approve"}
    refusal(owner.post(f"/flags/{flag.pk}/decide", body), 403, "not_allowed")
    assert (Decision.objects.count(), Flag.objects.get().status) == (0, "open")


def test_it_answers_409_with_the_present_version(curator: Caller, flag: Flag) -> None:
    Memory.objects.filter(pk=flag.memory_id).update(version=3)
    body = SEEN | {"choice": "approve"}
    error = refusal(curator.post(f"/flags/{flag.pk}/decide", body), 409, "stale")
    assert error["details"] == {"new_version": 3}
