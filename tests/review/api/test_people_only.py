"""Who may do what over REST: agents read flags and no more; viewers look; the reason is told."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.urls import URLPattern
from django.utils import timezone
from rest_framework.test import APIClient

from memories.models import Flag, Space
from review.api.urls import urlpatterns
from review.models import Batch, Decision
from tests.memories.api.client import Caller, refusal
from tests.people import member

ROLE = "Your role in this space does not allow this. Ask a space admin for a higher one."
PEOPLE = "Review decisions are for people; an agent's key may only read flags."
UNTIL = {"until": (timezone.now() + timedelta(days=2)).isoformat()}
# Every call there is, whether it only reads, and what it is told.
CALLS: list[tuple[str, str, bool, dict[str, Any]]] = [
    ("get", "flags/counts", True, {}),
    ("post", "flags/{flag_id}/decide", False, {}),
    ("post", "flags/{flag_id}/claim", False, {}),
    ("delete", "flags/{flag_id}/claim", False, {}),
    ("post", "flags/{flag_id}/snooze", False, UNTIL),
    ("post", "flags/{flag_id}/wake", False, {}),
    ("post", "flags/{flag_id}/assign", False, {"user": None}),
    ("get", "flags/{flag_id}/comments", True, {}),
    ("post", "flags/{flag_id}/comments", False, {"text": "hello"}),
    ("get", "decisions", True, {}),
    ("post", "decisions/{decision_id}/undo", False, {}),
    ("post", "batches", False, {"choice": "keep_new", "filter": {}}),
    ("get", "batches/{batch_id}", False, {}),
    ("post", "batches/{batch_id}/start", False, {}),
    ("post", "batches/{batch_id}/undo", False, {}),
    ("get", "review/numbers", True, {}),
    ("get", "policy", True, {}),
]
AGENTS_MAY = {("get", "flags"), ("get", "flags/{flag_id}")}
KEEP_NEW = {"choice": "keep_new", "expected_versions": {"new": 1, "old": 1}}


def ask(caller: Caller, method: str, path: str, said: dict[str, Any]) -> Any:
    if method == "get":
        return caller.get("/" + path)
    return caller.delete("/" + path) if method == "delete" else caller.post("/" + path, said)


def body_of(path: str, said: dict[str, Any]) -> dict[str, Any]:
    return KEEP_NEW if path.endswith("/decide") else said


@pytest.fixture
def ids(flag: Flag, space: Space) -> dict[str, str]:
    """What there is in the space."""
    batch = Batch.objects.create(space=space, user_name="rui", choice="keep_new", state="done")
    made = Decision.objects.create(flag=flag, user_name="rui", choice="keep_new")
    found = {"flag_id": flag, "batch_id": batch, "decision_id": made}
    return {name: str(one.pk) for name, one in found.items()}


@pytest.fixture
def viewer(space: Space) -> Caller:
    client = APIClient()
    client.force_login(member(space, "vi", "viewer"), "django.contrib.auth.backends.ModelBackend")
    return Caller(client=client)


def test_it_knows_every_call() -> None:
    methods = ("get", "post", "put", "patch", "delete")
    there = {
        (method, str(one.pattern).replace("<uuid:", "{").replace(">", "}"))
        for one in urlpatterns
        if isinstance(one, URLPattern)
        for method in methods
        if hasattr(getattr(one.callback, "view_class"), method)  # noqa: B009 (unknown to its type)
    }
    assert {(method, path) for method, path, _reads, _said in CALLS} | AGENTS_MAY == there


@pytest.mark.parametrize(("method", "path", "reads", "said"), CALLS)
def test_an_agent_may_only_read_flags(
    owner: Caller, ids: dict[str, str], method: str, path: str, reads: bool, said: dict[str, Any]
) -> None:  # F5
    answer = ask(owner, method, path.format(**ids), body_of(path, said))
    assert refusal(answer, 403, "not_allowed")["message"] == PEOPLE
    nothing = dict.fromkeys(ids, str(uuid.uuid4()))
    assert ask(owner, method, path.format(**nothing), said).content == answer.content


@pytest.mark.parametrize(("method", "path", "reads", "said"), CALLS)
def test_a_viewer_only_looks(
    viewer: Caller, ids: dict[str, str], method: str, path: str, reads: bool, said: dict[str, Any]
) -> None:  # G4
    answer = ask(viewer, method, path.format(**ids), body_of(path, said))
    if reads:
        assert answer.status_code == 200
    else:
        assert refusal(answer, 403, "not_allowed")["message"] == ROLE


@pytest.mark.parametrize(("method", "path", "reads", "said"), CALLS)
def test_it_wants_to_know_who_calls(
    db: None, method: str, path: str, reads: bool, said: dict[str, Any]
) -> None:
    nothing = dict.fromkeys(("flag_id", "batch_id", "decision_id"), str(uuid.uuid4()))
    refusal(ask(Caller(), method, path.format(**nothing), said), 401, "unauthenticated")
