"""D1 through every endpoint of sessions: a foreign session is like a missing one."""

import uuid
from typing import Any

import pytest
from rest_framework.test import APIClient

from memories.models import Agent, Session, Space, Turn
from tests.memories.api.client import FAILED, HELLO, Caller, refusal, start, turns
from tests.people import member

ON_ONE = [
    ("get", ""),
    ("get", "/turns"),
    ("get", "/distillation"),
    ("post", "/turns"),
    ("post", "/end"),
    ("post", "/context"),
]
BODIES: dict[str, dict[str, Any]] = {
    "/turns": {"turns": [HELLO]},
    "/end": {},
    "/context": {"query": "tea"},
}


def ask(caller: Caller, method: str, session: str, path: str, **more: str) -> Any:
    address = f"/sessions/{session}{path}"
    if method == "get":
        return caller.get(address, **more)
    return caller.post(address, BODIES[path] | more)


@pytest.mark.parametrize(("method", "path"), ON_ONE)
@pytest.mark.parametrize("who", ["mate", "outsider", "other user", "no user"])
def test_it_answers_a_foreign_session_like_a_missing_one(
    record: Caller, mate: Caller, outsider: Caller, who: str, method: str, path: str
) -> None:  # D1
    foreign = start(record, session="secret-key", user_id="alice").rpartition("/")[2]
    turns(record, f"/sessions/{foreign}", HELLO, user_id="alice")
    caller, user = {
        "mate": (mate, "alice"),
        "outsider": (outsider, "alice"),
        "other user": (record, "bob"),
        "no user": (record, ""),
    }[who]
    more = {"user_id": user} if user else {}
    refused = ask(caller, method, foreign, path, **more)
    missing = ask(caller, method, str(uuid.uuid4()), path, **more)
    refusal(refused, 404, "not_found")
    assert refused.content == missing.content
    assert Turn.objects.count() == Session.objects.count() == 1
    assert Session.objects.get().ended_at is None
    assert ask(record, method, foreign, path, user_id="alice").status_code in (200, 201)


def test_it_lists_nobody_elses_sessions_or_failures(
    record: Caller, mate: Caller, outsider: Caller, curator: Caller
) -> None:  # D1
    path = start(record, user_id="alice")
    turns(record, path, FAILED, user_id="alice")
    for caller, user in ((mate, "alice"), (outsider, "alice"), (record, "bob"), (record, "")):
        more = {"user_id": user} if user else {}
        assert caller.get("/sessions", **more).json()["items"] == []
        assert caller.get("/turns/failed", **more).json()["items"] == []
    assert len(curator.get("/sessions").json()["items"]) == 1
    assert len(curator.get("/turns/failed", user_id="alice").json()["items"]) == 1


def test_it_shows_a_private_session_only_to_who_may_see_it(
    record: Caller, curator: Caller, space: Space
) -> None:  # D1, D2
    path = start(record, visibility="private")
    viewer = APIClient()
    viewer.force_login(member(space, "vi", "viewer"), "django.contrib.auth.backends.ModelBackend")
    refusal(Caller(client=viewer).get(path), 404, "not_found")
    assert Caller(client=viewer).get("/sessions").json()["items"] == []
    assert curator.get(path).status_code == 200


def test_it_keeps_two_users_sessions_of_one_name_apart(record: Caller) -> None:
    one = start(record, session="s", user_id="alice")
    two = start(record, session="s", user_id="bob")
    assert one != two
    turns(record, one, HELLO, user_id="alice")
    assert record.get(two, user_id="bob").json()["turn_count"] == 0


def test_it_does_not_go_on_with_a_session_from_before_its_key_was_bound(
    record: Caller, agent: Agent
) -> None:
    path = start(record, session="s")
    Agent.objects.filter(pk=agent.pk).update(user_id="alice")
    refusal(turns(record, path, HELLO), 404, "not_found")
    assert Session.objects.count() == 1


def test_it_wants_a_key(record: Caller) -> None:
    path = start(record)
    for method, more in ON_ONE:
        refusal(ask(Caller(), method, path.rpartition("/")[2], more), 401, "unauthenticated")
    refusal(Caller().get("/turns/failed"), 401, "unauthenticated")
    refusal(Caller().get("/sessions"), 401, "unauthenticated")
