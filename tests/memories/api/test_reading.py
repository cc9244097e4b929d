"""GET /memories, GET /memories/{id} and its versions."""

import uuid
from typing import Any

import pytest

from memories.models import Memory
from tests.memories.api.client import Caller, refusal

FACTS = [
    "Lunch is served at noon",
    "The build uses Gradle",
    "用户喜欢深色主题",
    "Invoices are sent on Fridays",
    "The cat is called Momo",
]


@pytest.fixture
def facts(owner: Caller) -> list[str]:
    """Ids of five unrelated memories, oldest first."""
    return [owner.write(text)["id"] for text in FACTS]


def ids(answer: Any) -> list[str]:
    return [item["id"] for item in answer.json()["items"]]


def test_it_lists_newest_first(owner: Caller, facts: list[str]) -> None:
    answer = owner.get("/memories")
    assert (ids(answer), answer.json()["next"]) == (facts[::-1], None)


def test_it_gives_a_cursor_to_the_next_page(owner: Caller, facts: list[str]) -> None:
    first = owner.get("/memories", limit=2)
    second = owner.get("/memories", limit=2, cursor=first.json()["next"])
    third = owner.get("/memories", limit=2, cursor=second.json()["next"])
    assert ids(first) + ids(second) + ids(third) == facts[::-1]
    assert third.json()["next"] is None


def test_it_repeats_and_skips_nothing_while_others_write(owner: Caller, facts: list[str]) -> None:
    first = owner.get("/memories", limit=3)
    owner.write("The printer is on floor two")
    second = owner.get("/memories", limit=3, cursor=first.json()["next"])
    assert ids(first) + ids(second) == facts[::-1]


def test_it_has_no_next_page_when_the_last_one_is_exactly_full(
    owner: Caller, facts: list[str]
) -> None:
    assert owner.get("/memories", limit=5).json()["next"] is None


@pytest.mark.parametrize("limit", ["0", "101", "-1", "x", "1e3", ""])
def test_it_refuses_a_page_of_another_size(owner: Caller, limit: str) -> None:
    assert refusal(owner.get("/memories", limit=limit), 400, "invalid")["field"] == "limit"


def test_it_asks_the_database_a_fixed_number_of_times(
    owner: Caller, facts: list[str], django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(2):  # the key, the page
        owner.get("/memories")


def test_it_filters(owner: Caller) -> None:  # C3
    wanted = owner.write("Deploy with the red button", kind="procedure", tags=["ops", "prod"])["id"]
    owner.write("Lunch is served at noon", kind="fact", tags=["ops"])
    assert ids(owner.get("/memories", kind=["procedure", "lesson"])) == [wanted]
    assert ids(owner.get("/memories", tags=["ops", "prod"])) == [wanted]
    assert ids(owner.get("/memories", agent="nobody")) == []


def test_it_filters_by_time(owner: Caller) -> None:  # C3
    old = owner.write("Moved to Berlin", happened_at="2024-02-01T00:00:00Z")["id"]
    new = owner.write("Bought a red bicycle", happened_at="2024-05-01T00:00:00Z")["id"]
    assert ids(owner.get("/memories", since="2024-03-01T00:00:00Z")) == [new]
    assert ids(owner.get("/memories", until="2024-03-01")) == [old]


def test_it_includes_the_day_of_a_bare_date(owner: Caller) -> None:  # as over MCP
    owner.write("Moved to Berlin", happened_at="2024-02-01T15:00:00Z")
    assert len(ids(owner.get("/memories", until="2024-02-01"))) == 1
    assert ids(owner.get("/memories", until="2024-02-01T00:00:00Z")) == []
    refusal(owner.get("/memories", until="9999-12-31"), 400, "invalid")


def test_it_refuses_an_empty_span(owner: Caller) -> None:
    answer = owner.get("/memories", since="2024-03-01", until="2024-02-01")
    assert refusal(answer, 400, "invalid")["field"] == "until"


@pytest.mark.parametrize("name", ["agent", "session", "kind", "status", "since", "cursor"])
def test_it_refuses_an_empty_filter_rather_than_widen_the_answer(owner: Caller, name: str) -> None:
    error = refusal(owner.get("/memories", **{name: ""}), 400, "invalid")
    assert error["field"].startswith(name)


def test_it_refuses_a_repeated_value_where_one_is_meant(owner: Caller) -> None:
    refusal(owner.get("/memories", limit=["1", "2"]), 400, "invalid")


def test_it_refuses_an_unknown_filter_rather_than_widen_the_answer(owner: Caller) -> None:
    assert refusal(owner.get("/memories", statuss="active"), 400, "invalid")["field"] == "statuss"


def test_it_shows_deleted_memories_only_when_asked(owner: Caller) -> None:
    gone = owner.write("Lunch is served at noon")["id"]
    owner.delete(f"/memories/{gone}")
    assert ids(owner.get("/memories")) == []
    assert ids(owner.get("/memories", status="deleted")) == [gone]


def test_it_narrows_a_persons_list_to_one_end_user(owner: Caller, curator: Caller) -> None:
    one = owner.write("Lunch is served at noon", user_id="u1")["id"]
    two = owner.write("The build uses Gradle", user_id="u2")["id"]
    nobodys = owner.write("用户喜欢深色主题")["id"]
    assert ids(curator.get("/memories")) == [nobodys, two, one]
    assert ids(curator.get("/memories", user_id="u1")) == [nobodys, one]


def test_it_reads_one_as_the_list_shows_it(owner: Caller, facts: list[str]) -> None:
    [listed] = owner.get("/memories", limit=1).json()["items"]
    assert owner.get(f"/memories/{facts[-1]}").json() == listed


def test_it_answers_alike_for_missing_malformed_and_foreign_ids(
    owner: Caller, outsider: Caller, facts: list[str]
) -> None:  # D1
    foreign = outsider.get(f"/memories/{facts[0]}")
    missing = outsider.get(f"/memories/{uuid.uuid4()}")
    refusal(foreign, 404, "not_found")
    assert foreign.content == missing.content
    refusal(outsider.get("/memories/not-an-id"), 404, "not_found")


def test_it_shows_history_newest_first(owner: Caller) -> None:  # E1
    memory = owner.write("Lunch is served at noon")
    path = f"/memories/{memory['id']}"
    owner.patch(path, {"expected_version": 1, "content": "Lunch is at one", "reason": "moved"})
    items = owner.get(f"{path}/versions").json()["items"]
    assert [(one["number"], one["content"], one["reason"]) for one in items] == [
        (2, "Lunch is at one", "moved"),
        (1, "Lunch is served at noon", ""),
    ]
    assert items[0]["actor"] == "coder"


def test_it_pages_through_history(owner: Caller) -> None:
    path = f"/memories/{owner.write('Lunch is served at noon')['id']}"
    owner.patch(path, {"expected_version": 1, "subject": "lunch"})
    first = owner.get(f"{path}/versions", limit=1).json()
    second = owner.get(f"{path}/versions", limit=1, cursor=first["next"]).json()
    assert [first["items"][0]["number"], second["items"][0]["number"]] == [2, 1]
    assert second["next"] is None


def test_it_takes_a_cursor_that_no_version_can_have(owner: Caller) -> None:
    path = f"/memories/{owner.write('Lunch is served at noon')['id']}/versions"
    assert len(owner.get(path, cursor=10**30).json()["items"]) == 1


def test_it_hides_the_history_of_what_is_not_visible(owner: Caller, outsider: Caller) -> None:
    memory = owner.write("Lunch is served at noon")
    refusal(outsider.get(f"/memories/{memory['id']}/versions"), 404, "not_found")
    assert Memory.objects.count() == 1
