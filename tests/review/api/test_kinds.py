"""GET /flags/{id} and POST /flags/{id}/decide on each kind: what is offered, and merges."""

from typing import Any

import pytest

from hindsight_site.accounts.models import User
from memories.models import Flag, Memory, Policy
from memories.permissions import Actor
from review.kinds import KINDS
from review.models import Decision
from tests.memories.api.client import Caller, refusal
from tests.review.flags import OPEN, merge_proposal, versions_of

pytestmark = pytest.mark.usefixtures("embedder")


def offers(answer: Any) -> dict[str, dict[str, Any]]:
    return {offer["choice"]: offer for offer in answer.json()["offers"]}


@pytest.mark.parametrize("kind", list(OPEN))
def test_it_says_what_may_be_decided(curator: Caller, actor: Actor, kind: str) -> None:  # G2
    flag = OPEN[kind](actor)
    found = offers(curator.get(f"/flags/{flag.pk}"))
    assert list(found) == [offer.choice for offer in KINDS[kind].offers]
    assert all(offer["label"] and offer["effect"] for offer in found.values())
    assert next(iter(found.values()))["effects"]


@pytest.mark.parametrize("kind", list(OPEN))
def test_it_does_what_it_said(curator: Caller, actor: Actor, kind: str) -> None:  # G2
    flag = OPEN[kind](actor)
    offer = next(
        one
        for one in offers(curator.get(f"/flags/{flag.pk}")).values()
        if not (one["takes_text"] or one["takes_reason"] or one["asks_note"])
    )
    body = {"choice": offer["choice"], "expected_versions": seen(flag)}
    answer = curator.post(f"/flags/{flag.pk}/decide", body)
    assert answer.status_code == 200, answer.content
    for effect in offer["effects"]:
        memory = Memory.objects.get(pk=effect["memory_id"])
        assert memory.status == effect["status"]["after"]
        assert round(memory.confidence, 4) == effect["confidence"]["after"]


def seen(flag: Flag) -> dict[str, Any]:
    new, *others = versions_of(flag)
    if flag.counterpart_id:
        return {"new": new, "old": others[0]}
    return {"new": new, "sources": others} if others else {"new": new}


def test_it_asks_the_database_as_often_for_many_offers_as_for_one(
    curator: Caller, actor: Actor, django_assert_max_num_queries: Any
) -> None:
    flag = OPEN["conflict"](actor)
    with django_assert_max_num_queries(20):
        curator.get(f"/flags/{flag.pk}")


def test_it_offers_an_agent_nothing(owner: Caller, curator: Caller, actor: Actor) -> None:  # F5
    flag = OPEN["conflict"](actor)
    curator.post(f"/flags/{flag.pk}/comments", {"text": "between us"})
    body = owner.get(f"/flags/{flag.pk}").json()
    assert (body["offers"], body["comments"], body["claim"]) == ([], [], None)


def test_it_offers_nothing_once_decided(curator: Caller, actor: Actor) -> None:
    flag = OPEN["pending"](actor)
    body = {"choice": "approve", "expected_versions": {"new": 1}}
    assert curator.post(f"/flags/{flag.pk}/decide", body).status_code == 200
    assert offers(curator.get(f"/flags/{flag.pk}")) == {}


# --- Merge proposals ------------------------------------------------------------------------------
@pytest.fixture
def proposal(actor: Actor) -> Flag:
    return merge_proposal(actor)


def test_it_shows_the_sources_in_the_order_of_versions(curator: Caller, proposal: Flag) -> None:
    sources = curator.get(f"/flags/{proposal.pk}").json()["sources"]
    keys = sorted(proposal.sources.values_list("memory_id", flat=True))
    assert [source["memory"]["id"] for source in sources] == [str(key) for key in keys]
    assert [source["flagged_version"] for source in sources] == [1, 1]


def test_it_merges_a_proposal(curator: Caller, proposal: Flag) -> None:  # E8
    body = {"choice": "approve", "expected_versions": {"new": 1, "sources": [1, 1]}}
    answer = curator.post(f"/flags/{proposal.pk}/decide", body).json()
    assert (answer["status"], answer["new"]["status"]) == ("resolved", "active")
    assert set(Memory.objects.exclude(pk=proposal.memory_id).values_list("status", flat=True)) == {
        "superseded"
    }


def test_it_says_when_a_source_was_changed(curator: Caller, proposal: Flag) -> None:  # G3
    last = proposal.sources.order_by("memory_id").last()
    assert last is not None
    Memory.objects.filter(pk=last.memory_id).update(version=4)
    body = {"choice": "approve", "expected_versions": {"new": 1, "sources": [1, 1]}}
    error = refusal(curator.post(f"/flags/{proposal.pk}/decide", body), 409, "stale")
    assert error["details"]["versions"] == [1, 1, 4]


@pytest.mark.parametrize("versions", [{"new": 1}, {"new": 1, "sources": [1]}])
def test_it_wants_the_versions_of_all_sources(
    curator: Caller, proposal: Flag, versions: dict[str, Any]
) -> None:
    body = {"choice": "approve", "expected_versions": versions}
    error = refusal(curator.post(f"/flags/{proposal.pk}/decide", body), 400, "invalid")
    assert error["field"] == "expected_versions"


def test_it_keeps_a_proposal_from_agents(owner: Caller, proposal: Flag) -> None:  # F2
    refusal(owner.get(f"/flags/{proposal.pk}"), 404, "not_found")
    assert owner.get("/flags").json()["items"] == []


# --- Two people -----------------------------------------------------------------------------------
def test_a_text_of_ones_own_waits_for_a_second_person(
    curator: Caller, actor: Actor, reviewer: User
) -> None:  # G4
    flag = OPEN["pending"](actor)
    Policy.objects.create(
        space_id=actor.space_id, version=1, numbers={"review": {"two_people": True}}
    )
    body = {
        "choice": "edit_approve",
        "content": "The team likes stand-ups short.",
        "expected_versions": {"new": 1},
    }
    answer = curator.post(f"/flags/{flag.pk}/decide", body)
    assert answer.status_code == 200, answer.content
    told = answer.json()
    assert (told["status"], told["waiting_for"]) == ("open", "second_person")
    assert (told["decision"], Decision.objects.count()) == (None, 0)
    assert told["new"]["version"] == 2
    alone = {"choice": "approve", "expected_versions": {"new": 2}}
    error = refusal(curator.post(f"/flags/{flag.pk}/decide", alone), 403, "not_allowed")
    assert "somebody else has to approve it" in error["message"]
