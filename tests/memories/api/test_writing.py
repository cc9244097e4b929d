"""POST /memories."""

from memories.models import Event, Memory
from tests.memories.api.client import Caller, refusal

SAID = {"content": "Deploys run from the release branch", "source": "user_input"}


def test_it_answers_201_with_the_stored_memory(owner: Caller) -> None:
    answer = owner.post("/memories", SAID | {"tags": ["deploy"], "user_id": "u1", "kind": "fact"})
    assert answer.status_code == 201
    body = answer.json()
    assert (body["outcome"], body["flags"]) == ("created", [])
    stored = Memory.objects.get(pk=body["memory"]["id"])
    assert (stored.content, stored.user_id, stored.tags) == (SAID["content"], "u1", ["deploy"])


def test_it_answers_200_to_what_is_known(owner: Caller) -> None:  # B7
    first = owner.post("/memories", SAID).json()["memory"]["id"]
    again = owner.post("/memories", SAID)
    assert (again.status_code, again.json()["outcome"]) == (200, "duplicate")
    assert again.json()["memory"]["id"] == first


def test_it_answers_201_and_names_the_flag_for_a_contradiction(owner: Caller) -> None:  # E3
    owner.write("The API server listens on port 8080")
    answer = owner.post(
        "/memories", {"content": "The API server listens on port 9090", "source": "user_input"}
    )
    assert (answer.status_code, answer.json()["outcome"]) == (201, "flagged")
    assert answer.json()["memory"]["disputed"] is True
    assert len(answer.json()["flags"]) == 1


def test_it_gives_a_retry_the_same_answer(owner: Caller) -> None:  # B10
    answers = [owner.post("/memories", SAID, **{"Idempotency-Key": "k1"}) for _ in range(2)]
    assert [one.status_code for one in answers] == [201, 201]
    assert answers[0].json()["memory"]["id"] == answers[1].json()["memory"]["id"]
    assert Memory.objects.count() == 1
    assert Event.objects.filter(verb="reinforced").count() == 0


def test_it_takes_the_idempotency_key_as_a_field_too(owner: Caller) -> None:
    owner.post("/memories", SAID, **{"Idempotency-Key": "k1"})
    again = owner.post("/memories", SAID | {"idempotency_key": "k1"})
    assert again.status_code == 201
    assert Memory.objects.count() == 1


def test_it_refuses_two_different_idempotency_keys(owner: Caller) -> None:
    answer = owner.post("/memories", SAID | {"idempotency_key": "a"}, **{"Idempotency-Key": "b"})
    assert refusal(answer, 400, "invalid")["field"] == "idempotency_key"


def test_it_refuses_a_key_that_was_used_for_another_text(owner: Caller) -> None:
    owner.post("/memories", SAID, **{"Idempotency-Key": "k1"})
    answer = owner.post("/memories", {"content": "Other"}, **{"Idempotency-Key": "k1"})
    assert refusal(answer, 400, "invalid")["field"] == "idempotency_key"


def test_it_says_400_when_a_rule_turns_it_away(owner: Caller) -> None:  # B5
    answer = owner.post("/memories", SAID | {"confidence": 0.1})
    assert refusal(answer, 400, "refused")["field"] == "confidence"
    assert Memory.objects.count() == 0


def test_it_names_every_unknown_field(owner: Caller) -> None:
    error = refusal(owner.post("/memories", SAID | {"tag": "x", "usr": "y"}), 400, "invalid")
    assert set(error["details"]["fields"]) == {"tag", "usr"}


def test_it_names_the_field_that_is_missing(owner: Caller) -> None:
    assert refusal(owner.post("/memories", {}), 400, "invalid")["field"] == "content"


def test_it_names_the_place_of_a_wrong_value_in_a_list(owner: Caller) -> None:
    error = refusal(owner.post("/memories", SAID | {"tags": ["good", 5]}), 400, "invalid")
    assert error["field"] == "tags[1]"


def test_it_takes_no_text_for_a_number(owner: Caller) -> None:
    answer = owner.post("/memories", SAID | {"confidence": "0.9"})
    assert refusal(answer, 400, "invalid")["field"] == "confidence"


def test_it_refuses_a_user_id_in_the_query_which_would_be_lost(owner: Caller) -> None:  # D1
    answer = owner.post("/memories?user_id=u1", SAID)
    assert refusal(answer, 400, "invalid")["field"] == "user_id"
    assert Memory.objects.count() == 0


def test_it_keeps_text_with_what_cannot_be_stored_replaced(owner: Caller) -> None:
    assert owner.write("port\x008080 is open")["content"] == "port�8080 is open"


def test_it_lets_a_viewer_write_nothing(owner: Caller, curator: Caller, reviewer: object) -> None:
    reviewer.memberships.update(role="viewer")  # type: ignore[attr-defined]
    refusal(curator.post("/memories", SAID), 403, "not_allowed")
