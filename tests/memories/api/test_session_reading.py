"""What REST shows of sessions: lists, turns, failed calls, and what was kept and why."""

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.models import Memory, Session, Space
from tests.memories.api.client import FAILED, HELLO, Caller, refusal, start, turns
from tests.memories.runs import looked_back


# --- Reading --------------------------------------------------------------------------------------
def test_it_lists_sessions_newest_first(record: Caller, curator: Caller) -> None:
    names = [start(record, session=name).rpartition("/")[2] for name in ("a", "b", "c")]
    first = record.get("/sessions", limit=2).json()
    second = record.get("/sessions", limit=2, cursor=first["next"]).json()
    assert [one["id"] for one in first["items"] + second["items"]] == names[::-1]
    assert second["next"] is None
    assert len(curator.get("/sessions").json()["items"]) == 3


def test_it_filters_sessions(record: Caller) -> None:
    start(record, session="deploy-1", task="Deploy the API")
    record.post(f"{start(record, session='tea')}/end", {"outcome": "failure"})

    def found(**query: str) -> list[str]:
        return [one["session"] for one in record.get("/sessions", **query).json()["items"]]

    assert found(state="open") == ["deploy-1"]
    assert found(outcome="failure") == found(state="ended") == ["tea"]
    assert found(text="deploy") == ["deploy-1"]
    assert found(agent="nobody") == []
    refusal(record.get("/sessions", state="lost"), 400, "invalid")
    refusal(record.get("/sessions", status="open"), 400, "invalid")


def test_it_lists_sessions_in_a_fixed_number_of_queries(
    record: Caller, django_assert_num_queries: Any
) -> None:
    for number in range(3):
        start(record, session=str(number))
    with django_assert_num_queries(2):  # the key, the page
        record.get("/sessions")


def test_it_pages_through_turns_in_order(record: Caller) -> None:
    path = start(record)
    turns(record, path, *({"content": f"Line {number}"} for number in range(5)))
    first = record.get(f"{path}/turns", limit=3).json()
    second = record.get(f"{path}/turns", limit=3, cursor=first["next"]).json()
    assert [one["number"] for one in first["items"] + second["items"]] == [1, 2, 3, 4, 5]
    assert (first["next"], second["next"]) == (3, None)
    for cursor in ("-1", "x", ""):
        refusal(record.get(f"{path}/turns", cursor=cursor), 400, "invalid")


def test_it_lists_failed_calls_of_one_user(record: Caller) -> None:  # A2
    path = start(record, user_id="alice")
    fine = {"type": "tool_result", "tool": "pytest", "ok": True}
    old = FAILED | {"key": "old", "happened_at": "2024-01-01T00:00:00Z"}
    turns(record, path, HELLO, fine, FAILED, old, user_id="alice")
    [found] = record.get("/turns/failed", user_id="alice").json()["items"]
    assert (found["tool"], found["error"]) == ("pytest", "2 failed")
    assert path.endswith(found["session_id"])
    assert len(record.get("/turns/failed", user_id="alice", days=3650).json()["items"]) == 2
    assert record.get("/turns/failed", user_id="bob").json()["items"] == []
    assert record.get("/turns/failed").json()["items"] == []
    for days in ("0", "-1", "3651", "week", "1.5"):
        refusal(record.get("/turns/failed", days=days), 400, "invalid")


# --- What was kept --------------------------------------------------------------------------------
def test_it_shows_what_was_kept_and_why(owner: Caller) -> None:  # B2
    kept = owner.write("The user prefers tea.")["id"]
    path = start(owner)
    turns(owner, path, HELLO)
    owner.post(f"{path}/end", {})
    session = Session.objects.get()
    said = (("kept", "stored", "The user prefers tea."), ("dropped", "greeting", "Hello!"))
    looked_back(session, *said, memory=Memory.objects.get(pk=kept))
    answer = owner.get(f"{path}/distillation").json()
    [run] = answer["items"]
    assert (answer["session"]["state"], answer["session"]["undistilled"]) == ("distilled", 0)
    assert (run["state"], run["distiller"], run["counts"]) == (
        "done",
        "rules",
        {"kept": 1, "dropped": 1},
    )
    told = [(one["verdict"], one["reason"], one["memory_id"]) for one in run["candidates"]]
    assert told == [("kept", "stored", kept), ("dropped", "greeting", None)]
    assert (run["candidates"][0]["turns"], run["candidates"][0]["quote"]) == ([1], said[0][2])


def test_it_says_that_distilling_failed(record: Caller) -> None:
    path = start(record)
    turns(record, path, HELLO)
    record.post(f"{path}/end", {})
    Session.objects.update(failures=1)
    assert record.get(path).json()["state"] == "failed"


def test_it_names_no_memory_that_the_reader_may_not_see(
    record: Caller, teammate: Any, space: Space
) -> None:  # D1
    path = start(record)
    turns(record, path, HELLO)
    theirs = Memory.objects.create(
        space=space, agent_id=teammate.id, visibility="private", content="x", confidence=1.0
    )
    looked_back(Session.objects.get(), ("kept", "stored", "Tea."), memory=theirs)
    [run] = record.get(f"{path}/distillation").json()["items"]
    assert run["candidates"][0]["memory_id"] is None


def test_it_pages_through_runs(record: Caller) -> None:
    path = start(record)
    for number in range(2):
        turns(record, path, {"content": f"Line {number}"})
        looked_back(Session.objects.get())
    first = record.get(f"{path}/distillation", limit=1).json()
    second = record.get(f"{path}/distillation", limit=1, cursor=first["next"]).json()
    assert [first["items"][0]["first_turn"], second["items"][0]["first_turn"]] == [2, 1]
    assert second["next"] is None


def test_it_reads_all_candidates_in_a_fixed_number_of_queries(record: Caller) -> None:
    path = start(record)
    turns(record, path, HELLO)

    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            record.get(f"{path}/distillation")
        return len(captured)

    looked_back(Session.objects.get(), ("dropped", "greeting", "Hi"))
    few = queries()
    Session.objects.update(distilled_through=0)
    looked_back(Session.objects.get(), *[("dropped", "greeting", "Hi")] * 9, state="failed")
    assert queries() == few
