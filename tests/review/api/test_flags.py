"""GET /flags, GET /flags/{id} and POST /flags/{id}/decide."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from hindsight_site.accounts.models import User
from memories.models import Flag, Membership, Memory, Space
from review.models import Decision
from tests.memories.api.client import Caller, refusal

KEEP_NEW = {"choice": "keep_new", "expected_versions": {"new": 1, "old": 1}}
Build = Callable[..., Flag]


def ids(answer: Any) -> list[str]:
    return [item["id"] for item in answer.json()["items"]]


def test_it_lists_open_flags_with_both_texts(curator: Caller, conflict: Build) -> None:
    first, second = conflict(), conflict("cats purr", "dogs bark")
    answer = curator.get("/flags", sort="newest")
    assert ids(answer) == [str(second.pk), str(first.pk)]
    item = answer.json()["items"][1]
    assert (item["new"]["content"], item["old"]["content"]) == (
        "the port is 443",
        "lunch is at noon",
    )
    assert (item["reason"], item["scores"], item["decision"]) == (
        "another_value",
        {"cosine": 0.9},
        None,
    )
    assert item["new"]["disputed"] is item["old"]["disputed"] is True


def test_it_asks_the_database_a_fixed_number_of_times(
    curator: Caller, conflict: Build, django_assert_num_queries: Any
) -> None:
    conflict()
    conflict("cats purr", "dogs bark")
    # session, user, their spaces, the membership, the policy, flags, new ones, old ones, decisions,
    # claims
    with django_assert_num_queries(10):
        curator.get("/flags")


def test_it_narrows_to_one_end_user(owner: Caller, curator: Caller, conflict: Build) -> None:  # D1
    mine = conflict(user_id="u1")
    assert ids(owner.get("/flags")) == ids(owner.get("/flags", user_id="u2")) == []
    assert ids(owner.get("/flags", user_id="u1")) == [str(mine.pk)]
    assert ids(curator.get("/flags", user_id="u2")) == []
    assert ids(curator.get("/flags")) == ids(curator.get("/flags", user_id="u1")) == [str(mine.pk)]


def test_it_hides_flags_from_strangers(outsider: Caller, flag: Flag) -> None:  # D1
    assert ids(outsider.get("/flags")) == []
    foreign = outsider.get(f"/flags/{flag.pk}")
    refusal(foreign, 404, "not_found")
    assert foreign.content == outsider.get(f"/flags/{uuid.uuid4()}").content


def test_it_hides_a_flag_on_a_teammates_private_memory(
    mate: Caller, curator: Caller, conflict: Build
) -> None:  # D2
    flag = conflict(visibility="private")
    assert ids(mate.get("/flags")) == []
    refusal(mate.get(f"/flags/{flag.pk}"), 404, "not_found")
    assert ids(curator.get("/flags")) == [str(flag.pk)]


def test_it_reads_one_as_the_list_shows_it_and_more(owner: Caller, flag: Flag) -> None:
    [listed] = owner.get("/flags").json()["items"]
    one = owner.get(f"/flags/{flag.pk}").json()
    assert {name: one[name] for name in listed} == listed
    assert set(one) - set(listed) == {"sources", "offers", "comments"}


def test_it_decides(curator: Caller, flag: Flag) -> None:  # G3
    answer = curator.post(f"/flags/{flag.pk}/decide", KEEP_NEW | {"note": "checked"})
    assert answer.status_code == 200
    body = answer.json()
    assert (body["status"], body["resolution"]) == ("resolved", "keep_new")
    assert body["waiting_for"] is None
    assert body["decision"]["id"] == str(Decision.objects.get().pk)
    assert (body["new"]["status"], body["old"]["status"]) == ("active", "superseded")
    assert (body["decision"]["user"], body["decision"]["note"]) == ("rui", "checked")


def test_it_merges(curator: Caller, flag: Flag) -> None:
    body = KEEP_NEW | {"choice": "merge", "content": "The port is 443 at lunch"}
    answer = curator.post(f"/flags/{flag.pk}/decide", body)
    assert answer.json()["new"]["content"] == "The port is 443 at lunch"


def test_it_takes_no_decision_from_an_agent(owner: Caller, mate: Caller, flag: Flag) -> None:  # F5
    for caller in (owner, mate):
        error = refusal(caller.post(f"/flags/{flag.pk}/decide", KEEP_NEW), 403, "not_allowed")
        assert error["message"].startswith("Review decisions are for people")
    assert (Decision.objects.count(), Flag.objects.get().status) == (0, "open")


def test_it_takes_no_decision_from_a_viewer(curator: Caller, flag: Flag) -> None:  # G4
    Membership.objects.update(role="viewer")
    refusal(curator.post(f"/flags/{flag.pk}/decide", KEEP_NEW), 403, "not_allowed")


def test_it_takes_no_decision_from_another_team(
    outsider: Caller, flag: Flag, curator: Caller
) -> None:
    elsewhere = Space.objects.create(slug="other", name="Other")
    Membership.objects.update(space=elsewhere)
    refusal(curator.post(f"/flags/{flag.pk}/decide", KEEP_NEW), 404, "not_found")
    assert Flag.objects.get().status == "open"


def test_it_answers_409_with_the_present_versions(
    owner: Caller, curator: Caller, flag: Flag
) -> None:
    Memory.objects.filter(pk=flag.memory_id).update(version=3)
    error = refusal(curator.post(f"/flags/{flag.pk}/decide", KEEP_NEW), 409, "stale")
    assert error["details"] == {"new_version": 3, "old_version": 1}


def test_it_takes_the_same_decision_twice(curator: Caller, flag: Flag) -> None:  # G3
    once, twice = (curator.post(f"/flags/{flag.pk}/decide", KEEP_NEW) for _ in range(2))
    assert (once.status_code, twice.status_code) == (200, 200)
    assert once.json() == twice.json()
    assert Decision.objects.count() == 1


def test_it_answers_409_to_another_decision(curator: Caller, flag: Flag) -> None:
    curator.post(f"/flags/{flag.pk}/decide", KEEP_NEW)
    again = curator.post(f"/flags/{flag.pk}/decide", KEEP_NEW | {"choice": "keep_old"})
    refusal(again, 409, "stale")
    assert Decision.objects.get().choice == "keep_new"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "choice"),
        ({"choice": "burn"}, "choice"),
        ({"choice": "keep_new"}, "expected_versions"),
        (KEEP_NEW | {"expected_versions": 1}, "expected_versions"),
        (KEEP_NEW | {"expected_versions": {"new": 1}}, "expected_versions"),
        (
            KEEP_NEW | {"expected_versions": {"new": 1, "old": 1, "sources": [1]}},
            "expected_versions.sources",
        ),
        (KEEP_NEW | {"expected_versions": {"new": "1", "old": 1}}, "expected_versions.new"),
        (KEEP_NEW | {"expected_versions": {"new": 1, "old": 1, "x": 1}}, "expected_versions.x"),
        (KEEP_NEW | {"why": "because"}, "why"),
        (KEEP_NEW | {"choice": "both_true"}, "note"),
        (KEEP_NEW | {"choice": "merge"}, "content"),
        (KEEP_NEW | {"content": "text"}, "content"),
    ],
)
def test_it_names_what_is_wrong_with_a_decision(
    curator: Caller, flag: Flag, body: dict[str, Any], field: str
) -> None:
    error = refusal(curator.post(f"/flags/{flag.pk}/decide", body), 400, "invalid")
    assert field in (error["field"], *error.get("details", {}).get("fields", {}))


def test_it_answers_to_a_missing_flag_as_to_a_foreign_one(curator: Caller, reviewer: User) -> None:
    refusal(curator.post(f"/flags/{uuid.uuid4()}/decide", KEEP_NEW), 404, "not_found")
    refusal(curator.post("/flags/x/decide", KEEP_NEW), 404, "not_found")
