"""Claims, putting off, assigning and comments over REST."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from hindsight_site.accounts.models import User
from memories.models import Event, Flag, Space
from review.models import Claim, Comment
from tests.memories.api.client import Caller, refusal
from tests.people import member


@pytest.fixture
def colleague(space: Space, reviewer: User) -> Caller:
    """Another reviewer of the space."""
    return caller_of(member(space, "ann"))


def caller_of(user: User) -> Caller:
    client = APIClient()
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return Caller(client=client)


def soon(hours: float = 24.0) -> str:
    return (timezone.now() + timedelta(hours=hours)).isoformat()


# --- Claims ---------------------------------------------------------------------------------------
def test_it_claims_a_flag_for_a_while(curator: Caller, flag: Flag) -> None:
    claim = curator.post(f"/flags/{flag.pk}/claim", {}).json()
    assert (claim["user"], claim["mine"]) == ("rui", True)
    assert claim["until"] == Claim.objects.get().expires_at.isoformat()


def test_it_says_who_has_it(curator: Caller, colleague: Caller, flag: Flag) -> None:
    curator.post(f"/flags/{flag.pk}/claim", {})
    claim = colleague.post(f"/flags/{flag.pk}/claim", {}).json()
    assert (claim["user"], claim["mine"]) == ("rui", False)
    assert colleague.get(f"/flags/{flag.pk}").json()["claim"] == claim


def test_it_takes_over(curator: Caller, colleague: Caller, flag: Flag) -> None:
    curator.post(f"/flags/{flag.pk}/claim", {})
    claim = colleague.post(f"/flags/{flag.pk}/claim", {"take_over": True}).json()
    assert (claim["user"], claim["mine"]) == ("ann", True)


def test_it_gives_up_its_own_claim_only(curator: Caller, colleague: Caller, flag: Flag) -> None:
    curator.post(f"/flags/{flag.pk}/claim", {})
    assert colleague.delete(f"/flags/{flag.pk}/claim").json()["claim"]["user"] == "rui"
    for _time in range(2):
        answer = curator.delete(f"/flags/{flag.pk}/claim")
        assert (answer.status_code, answer.json()["claim"]) == (200, None)


def test_it_shows_no_claim_that_lapsed(curator: Caller, flag: Flag) -> None:
    curator.post(f"/flags/{flag.pk}/claim", {})
    Claim.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert curator.get(f"/flags/{flag.pk}").json()["claim"] is None


# --- Putting off ----------------------------------------------------------------------------------
def test_it_puts_off_and_brings_back(curator: Caller, flag: Flag) -> None:
    put_off = curator.post(f"/flags/{flag.pk}/snooze", {"until": soon()})
    assert put_off.json()["snoozed_until"] is not None
    assert curator.get("/flags").json()["items"] == []
    assert len(curator.get("/flags", state="snoozed").json()["items"]) == 1
    assert curator.post(f"/flags/{flag.pk}/wake", {}).json()["snoozed_until"] is None
    assert len(curator.get("/flags").json()["items"]) == 1


def test_it_takes_no_input_where_none_is_needed(curator: Caller, flag: Flag) -> None:
    assert curator.client.post(f"/api/v1/flags/{flag.pk}/wake").status_code == 200
    error = refusal(curator.post(f"/flags/{flag.pk}/wake", {"now": True}), 400, "invalid")
    assert (error["field"], error["message"]) == ("now", "now: This call takes no input.")


# --- Assigning ------------------------------------------------------------------------------------
def test_it_assigns_by_name(curator: Caller, colleague: Caller, flag: Flag) -> None:
    assert curator.post(f"/flags/{flag.pk}/assign", {"user": "ann"}).json()["assignee"] == "ann"
    assert len(colleague.get("/flags", assignee="me").json()["items"]) == 1
    assert curator.post(f"/flags/{flag.pk}/assign", {"user": None}).json()["assignee"] is None


def test_it_assigns_only_who_may_decide(curator: Caller, flag: Flag, space: Space) -> None:
    member(space, "vi", "viewer")
    member(None, "far")
    for name in ("vi", "far", "nobody"):
        error = refusal(curator.post(f"/flags/{flag.pk}/assign", {"user": name}), 400, "invalid")
        assert error["field"] == "user"
        assert error["message"].endswith("Name one of: rui.")


# --- Comments -------------------------------------------------------------------------------------
def test_it_keeps_comments_in_order(curator: Caller, colleague: Caller, flag: Flag) -> None:
    made = curator.post(f"/flags/{flag.pk}/comments", {"text": "Which is it?"})
    assert made.status_code == 201
    colleague.post(f"/flags/{flag.pk}/comments", {"text": "The log says 443."})
    first = curator.get(f"/flags/{flag.pk}/comments", limit=1).json()
    assert first["items"] == [made.json()]
    second = curator.get(f"/flags/{flag.pk}/comments", cursor=first["next"]).json()
    assert [(one["user"], one["text"]) for one in second["items"]] == [("ann", "The log says 443.")]
    shown = curator.get(f"/flags/{flag.pk}").json()["comments"]
    assert shown == first["items"] + second["items"]


# --- What all of them refuse ----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("claim", {"take_over": "yes"}, "take_over"),
        ("claim", {"user": "ann"}, "user"),
        ("snooze", {}, "until"),
        ("snooze", {"until": "tomorrow"}, "until"),
        ("snooze", {"until": "2020-01-01T00:00:00Z"}, "until"),
        ("snooze", {"until": "0001-01-01T00:00:00+14:00"}, "until"),
        ("snooze", {"until": "9999-12-31T23:59:59-12:00"}, "until"),
        ("assign", {}, "user"),
        ("assign", {"user": ""}, "user"),
        ("assign", {"user": "a\0b"}, "user"),
        ("assign", {"user": 1}, "user"),
        ("comments", {}, "text"),
        ("comments", {"text": ""}, "text"),
        ("comments", {"text": " \n"}, "text"),
        ("comments", {"text": "x" * 2001}, "text"),
    ],
)
def test_it_names_what_is_wrong(
    curator: Caller, flag: Flag, path: str, body: dict[str, Any], field: str
) -> None:
    error = refusal(curator.post(f"/flags/{flag.pk}/{path}", body), 400, "invalid")
    assert error["field"] == field
    assert not Comment.objects.exists()


@pytest.mark.parametrize(
    ("path", "body"),
    [("claim", {}), ("snooze", {"until": soon()}), ("wake", {}), ("assign", {"user": "rui"})],
)
def test_it_leaves_a_decided_flag_alone(
    curator: Caller, flag: Flag, path: str, body: dict[str, Any]
) -> None:
    Flag.objects.update(status="resolved", resolution="keep_new", resolved_at=timezone.now())
    error = refusal(curator.post(f"/flags/{flag.pk}/{path}", body), 409, "stale")
    assert error["details"] == {"resolution": "keep_new"}


def test_it_still_takes_comments_on_a_decided_flag(curator: Caller, flag: Flag) -> None:
    Flag.objects.update(status="resolved", resolution="keep_new", resolved_at=timezone.now())
    assert curator.post(f"/flags/{flag.pk}/comments", {"text": "Good."}).status_code == 201


def test_it_writes_all_of_it_into_the_audit_log(curator: Caller, flag: Flag) -> None:  # G4
    curator.post(f"/flags/{flag.pk}/snooze", {"until": soon()})
    curator.post(f"/flags/{flag.pk}/assign", {"user": "rui"})
    curator.post(f"/flags/{flag.pk}/comments", {"text": "Hm."})
    verbs = set(Event.objects.filter(actor_name="rui").values_list("verb", flat=True))
    assert verbs >= {"snoozed", "assigned", "commented"}
