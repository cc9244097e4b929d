"""One shape for everything that goes wrong, whoever raised it."""

import json
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from memories.api import views
from memories.api.errors import STATUS
from memories.errors import ServiceError
from tests.memories.api.client import Caller, refusal

UNREADABLE = [
    b"{",
    b"",
    b'"text"',
    b"[1]",
    b"null",
    b"NaN",
    b'{"content": NaN}',
    b'{"content": "\xff"}',
    b'{"content": "x"} trailing',
    b'{"content": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b'{"metadata": {"n": ' + b"9" * 5000 + b"}}",
]


def send(caller: Caller, body: bytes, content_type: str = "application/json") -> Any:
    return caller.client.post("/api/v1/memories", data=body, content_type=content_type)


@pytest.mark.parametrize("body", UNREADABLE, ids=range(len(UNREADABLE)))
def test_it_says_400_to_a_body_that_is_no_json_object(owner: Caller, body: bytes) -> None:
    refusal(send(owner, body), 400, "invalid")


def test_it_says_413_to_a_body_that_is_too_large(owner: Caller, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    refusal(send(owner, json.dumps({"content": "x" * 1000}).encode()), 413, "too_large")


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "x"])
def test_it_says_415_to_another_content_type(owner: Caller, content_type: str) -> None:
    answer = send(owner, b'{"content": "x"}', content_type)
    assert "application/json" in refusal(answer, 415, "unsupported_media_type")["message"]


def test_it_says_406_when_json_is_not_acceptable(owner: Caller) -> None:
    answer = owner.client.get("/api/v1/memories", headers={"Accept": "text/html"})
    refusal(answer, 406, "not_acceptable")


@pytest.mark.parametrize(("method", "path"), [("PUT", "/memories/%s"), ("OPTIONS", "/search")])
def test_it_says_405_and_which_methods_there_are(owner: Caller, method: str, path: str) -> None:
    memory = owner.write("Lunch is served at noon")["id"]
    address = f"/api/v1{path}".replace("%s", memory)
    answer = owner.client.generic(method, address, "{}", content_type="application/json")
    refusal(answer, 405, "method_not_allowed")
    assert method not in answer["Allow"]


@pytest.mark.parametrize(
    "path", ["/api/", "/api/v1/nothing", "/api/v1/memories/", "/api/v1/memories/%00", "/api/%ff"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "BREW"])
def test_it_says_404_in_json_to_any_other_address(db: None, path: str, method: str) -> None:
    refusal(APIClient().generic(method, path), 404, "not_found")


@pytest.mark.parametrize("name", ["user_id", "agent", "tags", "session"])
@pytest.mark.parametrize("value", ["\x00", "\ud800", "a\x00b" * 60])
def test_it_survives_what_no_database_holds(owner: Caller, name: str, value: str) -> None:
    query = f"{name}=" + "".join(f"%{byte:02X}" for byte in value.encode("utf-8", "surrogatepass"))
    answer = owner.client.get(f"/api/v1/memories?{query}")
    assert answer.status_code in (200, 400)


@pytest.mark.parametrize("value", ["nan", "inf", "1e999", "-0.1", "two"])
def test_it_takes_only_numbers_for_numbers(owner: Caller, value: str) -> None:
    answer = owner.get("/memories", min_confidence=value)
    assert refusal(answer, 400, "invalid")["field"] == "min_confidence"


@pytest.mark.parametrize("value", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "x"])
def test_it_refuses_times_that_no_database_holds(owner: Caller, value: str) -> None:
    said = {"content": "Lunch", "happened_at": value}
    assert refusal(owner.post("/memories", said), 400, "invalid")["field"] == "happened_at"


def test_it_says_500_in_json_and_tells_the_error_reporters(
    owner: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(**_given: Any) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(views, "recall", broken)
    with pytest.raises(ZeroDivisionError):  # the test client listens to the same signal
        owner.post("/search", {"query": "x"})
    owner.client.raise_request_exception = False
    answer = owner.post("/search", {"query": "x"})
    refusal(answer, 500, "internal")
    assert b"secret" not in answer.content
    assert "ZeroDivisionError" in caplog.text


def test_it_says_refusals_in_the_callers_language(owner: Caller) -> None:
    answer = owner.client.get("/api/v1/nothing", headers={"Accept-Language": "zh-hans"})
    refusal(answer, 404, "not_found")
    assert answer["Content-Language"] == "zh-hans"


def test_it_knows_a_status_for_every_refusal_of_a_service() -> None:
    ours = {kind for kind in ServiceError.__subclasses__() if kind.__module__ == "memories.errors"}
    assert set(STATUS) == ours


def test_it_leaves_other_addresses_to_the_pages(client: Client, db: None) -> None:
    assert client.get("/nothing/")["Content-Type"].startswith("text/html")
