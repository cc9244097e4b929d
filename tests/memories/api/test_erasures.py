"""Erasing an end user over REST: for admins, with the name twice (E6)."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from hindsight_site.accounts.models import User
from memories import jobs
from memories.models import JobRun, Memory
from memories.permissions import Actor
from tests.memories.api.client import Caller, refusal
from tests.memories.recall.helpers import jot

pytestmark = pytest.mark.django_db
X = "u-1"
BOTH = {"user_id": X, "confirm": X}


@pytest.fixture
def boss(admin: Actor) -> Caller:
    client = APIClient()
    client.force_login(
        User.objects.get(username=admin.name), "django.contrib.auth.backends.ModelBackend"
    )
    return Caller(client=client)


def test_it_shows_what_would_go(boss: Caller, actor: Actor) -> None:
    jot(actor, "likes tea", user_id=X)
    answer = boss.get("/erasures/preview", user_id=X)
    assert answer.status_code == 200
    assert answer.json() == {
        "user_id": X,
        "counts": {"memory": 1, "memoryversion": 1},
        "elsewhere": 0,
        "open_sessions": 0,
    }


def test_it_erases_and_lists_the_receipt_without_the_name(boss: Caller, actor: Actor) -> None:
    jot(actor, "likes tea", user_id=X)
    answer = boss.post("/erasures", BOTH)
    assert (answer.status_code, answer.json()["state"]) == (202, "waiting")
    jobs.carry_on(JobRun.objects.get().pk)
    (receipt,) = boss.get("/erasures", user_id=X).json()["items"]
    assert receipt["id"] == answer.json()["id"]
    assert (receipt["state"], receipt["counts"]["memory"]) == ("done", 1)
    assert len(receipt["subject"]) == 64
    assert X not in str(receipt.values())
    assert boss.get("/erasures", user_id="u-2").json() == {"items": [], "next": None}
    assert not Memory.objects.filter(user_id=X).exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (BOTH | {"confirm": "u-2"}, "confirm"),
        ({"user_id": X}, "confirm"),
        (BOTH | {"user_id": " "}, "user_id"),
        (BOTH | {"all": True}, "all"),
    ],
)
def test_it_refuses_what_is_not_confirmed(boss: Caller, body: dict[str, Any], field: str) -> None:
    error = refusal(boss.post("/erasures", body), 400, "invalid")
    assert error["field"] == field
    assert not JobRun.objects.exists()


def test_it_is_for_admins_alone(record: Caller, curator: Caller) -> None:
    for caller in (record, curator):
        refusal(caller.post("/erasures", BOTH), 403, "not_allowed")
        refusal(caller.get("/erasures"), 403, "not_allowed")
        refusal(caller.get("/erasures/preview", user_id=X), 403, "not_allowed")
