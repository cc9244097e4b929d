"""POST /search."""

from memories.models import Recall
from tests.memories.api.client import Caller, refusal


def test_it_finds_by_meaning_and_says_why(owner: Caller) -> None:  # C4
    wanted = owner.write("Deploys run from the release branch")["id"]
    owner.write("The cat is called Momo")
    answer = owner.post("/search", {"query": "which branch do we deploy from?"})
    assert answer.status_code == 200
    first = answer.json()["hits"][0]
    assert (first["id"], first["rank"]) == (wanted, 1)
    assert first["explanation"]
    assert first["arms"]


def test_it_logs_the_recall(owner: Caller) -> None:  # C6
    answer = owner.post("/search", {"query": "branch", "current_session": "s1", "user_id": "u1"})
    logged = Recall.objects.get(pk=answer.json()["recall_id"])
    assert (logged.query, logged.session, logged.user_id) == ("branch", "s1", "u1")


def test_it_applies_the_filters(owner: Caller) -> None:  # C3
    owner.write("Deploys run from the release branch", kind="fact")
    body = {"query": "deploy branch", "kind": "lesson"}
    assert owner.post("/search", body).json()["hits"] == []


def test_it_searches_within_one_session(owner: Caller) -> None:  # C3
    wanted = owner.write("Deploys run from the release branch", session="s1")["id"]
    owner.write("Deploys need two reviews", session="s2")
    found = owner.post("/search", {"query": "deploys", "session": "s1"}).json()["hits"]
    assert [hit["id"] for hit in found] == [wanted]


def test_it_returns_at_most_top_k(owner: Caller) -> None:
    for text in ("Deploys run on Monday", "The cat eats fish", "Deploys need two reviews"):
        owner.write(text)
    assert len(owner.post("/search", {"query": "deploy", "top_k": 1}).json()["hits"]) == 1


def test_it_refuses_top_k_out_of_range(owner: Caller) -> None:
    answer = owner.post("/search", {"query": "x", "top_k": 51})
    assert refusal(answer, 400, "invalid")["field"] == "top_k"


def test_it_refuses_to_search_what_is_deleted(owner: Caller) -> None:  # C2
    answer = owner.post("/search", {"query": "x", "status": "deleted"})
    assert refusal(answer, 400, "invalid")["field"] == "status"


def test_it_never_finds_what_belongs_to_others(owner: Caller, outsider: Caller) -> None:  # D1
    owner.write("Deploys run from the release branch")
    owner.write("Deploys of u1 run from the blue branch", user_id="u1")
    assert outsider.post("/search", {"query": "deploy branch"}).json()["hits"] == []
    found = owner.post("/search", {"query": "deploy branch", "user_id": "u2"}).json()["hits"]
    assert [hit["user_id"] for hit in found] == [""]
