"""GET /review/numbers and GET /policy."""

import pytest

from memories.models import Flag, Policy
from tests.memories.api.client import Caller, refusal

KEEP_NEW = {"choice": "keep_new", "expected_versions": {"new": 1, "old": 1}}


def test_it_tells_the_numbers(curator: Caller, flag: Flag) -> None:
    before = curator.get("/review/numbers", days=7).json()
    assert (before["open"], before["made"], len(before["days"])) == (1, 0, 7)
    assert before["oldest"]["id"] == str(flag.pk)
    assert before["wait"] == {"kind": "", "count": 0, "median": None, "p90": None}
    curator.post(f"/flags/{flag.pk}/decide", KEEP_NEW)
    after = curator.get("/review/numbers").json()
    assert (after["open"], after["made"], after["oldest"]) == (0, 1, None)
    assert after["people"] == [{"name": "rui", "made": 1, "undone": 0}]
    [agent] = after["by_agent"]
    assert (agent["agent"], agent["accepted"], agent["share"]) == ("coder", 1, 1.0)
    assert after["wait"]["count"] == 1
    assert after["wait"]["median"] >= 0


@pytest.mark.parametrize("days", ["0", "366", "-1", "week", "1.5"])
def test_it_refuses_a_span_it_does_not_count(curator: Caller, db: None, days: str) -> None:
    assert refusal(curator.get("/review/numbers", days=days), 400, "invalid")["field"] == "days"


def test_it_tells_the_policy_beside_its_defaults(curator: Caller, flag: Flag) -> None:
    body = curator.get("/policy").json()
    assert (body["version"], body["numbers"]) == (0, body["defaults"])
    Policy.objects.create(
        space_id=flag.space_id, version=3, numbers={"review": {"claim_minutes": 20}}
    )
    body = curator.get("/policy").json()
    assert body["version"] == 3
    assert body["numbers"]["review"]["claim_minutes"] == 20
    assert body["defaults"]["review"]["claim_minutes"] == 10
