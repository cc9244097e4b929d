"""Who may call, and in which space they act."""

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from hindsight_site.accounts.models import User
from memories.identity import issue_key
from memories.models import Agent, AgentKey, Membership, Memory, Space
from tests.memories.api.client import Caller, refusal

SAID = {"content": "Lunch is served at noon", "source": "user_input"}


def test_it_wants_to_know_who_calls(db: None) -> None:
    answer = Caller().get("/memories")
    assert "Bearer" in refusal(answer, 401, "unauthenticated")["message"]
    assert answer["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("key", ["hs_wrong", "nothing", "hs_é", "hs_" + "x" * 5000, ""])
def test_it_turns_unknown_keys_away(db: None, key: str) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    refusal(Caller(client=client).get("/memories"), 401, "unauthenticated")


def test_it_turns_revoked_and_expired_keys_away(agent: Agent) -> None:
    expired = issue_key(agent, expires_at=timezone.now() - timedelta(seconds=1))[1]
    key, revoked = issue_key(agent)
    AgentKey.objects.filter(pk=key.pk).update(revoked_at=timezone.now())
    for token in (expired, revoked):
        refusal(Caller(token).get("/memories"), 401, "unauthenticated")


def test_it_holds_a_key_to_its_scopes(agent: Agent) -> None:
    reader = Caller(issue_key(agent, scopes=["read"])[1])
    writer = Caller(issue_key(agent, scopes=["write"])[1])
    refusal(reader.post("/memories", SAID), 403, "not_allowed")
    refusal(writer.get("/memories"), 403, "not_allowed")
    refusal(writer.post("/search", {"query": "x"}), 403, "not_allowed")


def test_it_keeps_a_bound_key_with_its_user(space: Space) -> None:  # D1
    bound = Caller(issue_key(Agent.objects.create(space=space, name="b", user_id="u1"))[1])
    refusal(bound.get("/memories", user_id="u2"), 403, "not_allowed")
    assert bound.get("/memories", user_id="u1").status_code == 200


def test_it_knows_a_person_by_token(reviewer: User) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {Token.objects.create(user=reviewer).key}")
    assert Caller(client=client).get("/memories").status_code == 200


def test_it_turns_unknown_tokens_away(db: None) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION="Token abc")
    refusal(Caller(client=client).get("/memories"), 401, "unauthenticated")


def test_it_enforces_csrf_for_sessions(embedder: str, reviewer: User) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(reviewer, "django.contrib.auth.backends.ModelBackend")
    caller = Caller(client=client)
    assert caller.get("/memories").status_code == 200
    refusal(caller.post("/memories", SAID), 403, "not_allowed")
    client.cookies["csrftoken"] = "a" * 32
    sent = caller.post("/memories", SAID, **{"X-CSRFToken": "a" * 32})
    assert sent.status_code == 201


def test_it_sends_a_person_without_a_space_to_an_admin(db: None) -> None:
    client = APIClient()
    client.force_login(User.objects.create_user("new"), "django.contrib.auth.backends.ModelBackend")
    refusal(Caller(client=client).get("/memories"), 403, "not_allowed")


def test_it_asks_a_person_of_several_spaces_which(curator: Caller, reviewer: User) -> None:
    other = Space.objects.create(slug="other", name="Other")
    Membership.objects.create(space=other, user=reviewer, role="viewer")
    error = refusal(curator.get("/memories"), 400, "invalid")
    assert error["field"] == "space"
    assert "other" in error["message"]
    assert "team" in error["message"]


def test_it_takes_the_space_from_the_query_or_a_header(
    owner: Caller, curator: Caller, reviewer: User
) -> None:
    other = Space.objects.create(slug="other", name="Other")
    Membership.objects.create(space=other, user=reviewer, role="viewer")
    owner.write("Lunch is served at noon")
    assert len(curator.get("/memories", space="team").json()["items"]) == 1
    assert curator.get("/memories", space="other").json()["items"] == []
    answer = curator.post("/search?space=other", {"query": "lunch"})
    assert answer.json()["hits"] == []
    with_header = curator.client.get("/api/v1/memories", headers={"X-Space": "team"})
    assert len(with_header.json()["items"]) == 1


@pytest.mark.parametrize("slug", ["far", "missing", "\x00", "é"])
def test_it_does_not_tell_foreign_spaces_from_missing_ones(
    curator: Caller, outsider: Caller, owner: Caller, slug: str
) -> None:  # D1
    for caller in (curator, owner):
        answer = caller.get("/memories", space=slug)
        error = refusal(answer, 404, "not_found")
        assert error["message"] == "You are in no space of that name."


def test_it_accepts_that_a_key_names_its_own_space(owner: Caller) -> None:
    assert owner.get("/memories", space="team").status_code == 200


def test_it_shows_people_and_teammates_no_more_than_they_may_see(
    owner: Caller, mate: Caller, curator: Caller
) -> None:  # D2
    memory = owner.write("My own scratch note on Gradle", visibility="private")
    refusal(mate.get(f"/memories/{memory['id']}"), 404, "not_found")
    assert mate.get("/memories").json()["items"] == []
    assert curator.get(f"/memories/{memory['id']}").status_code == 200
    assert Memory.objects.count() == 1
