"""The HTTP bridge as clients, browsers and proxies meet it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from mcp_bridge.server import NAME
from memories.identity import issue_key
from memories.models import Agent, AgentKey
from tests.mcp_bridge.bridges import Bridge
from tests.mcp_bridge.sessions import Session, over_http

INITIALIZE: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture
def raw(bridge: Bridge, key: str) -> Iterator[httpx.Client]:
    """A plain HTTP client with a valid key."""
    headers = {
        "Authorization": f"Bearer {key}",
        "Accept": "application/json, text/event-stream",
    }
    base = bridge.url.removesuffix("/mcp")
    with httpx.Client(base_url=base, headers=headers, trust_env=False, timeout=10) as client:
        yield client


def test_it_tells_that_it_serves(bridge: Bridge) -> None:
    answer = httpx.get(bridge.health, trust_env=False)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "server": NAME})


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_it_serves_both_spellings_without_redirect(raw: httpx.Client, path: str) -> None:
    answer = raw.post(path, json=INITIALIZE)
    assert answer.status_code == 200
    assert f'"name":"{NAME}"' in answer.text


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_it_serves_the_official_client(bridge: Bridge, key: str, path: str, mode: str) -> None:
    with over_http(bridge.url.removesuffix("/mcp") + path, key, mode) as session:
        assert len(session.tools().tools) == 14
        assert session.said("search_memory", query="anything")["hits"] == []


def test_it_negotiates_an_unknown_protocol_version(raw: httpx.Client) -> None:
    asked = INITIALIZE | {"params": INITIALIZE["params"] | {"protocolVersion": "1999-01-01"}}
    answer = raw.post("/mcp", json=asked)
    assert answer.status_code == 200
    assert '"protocolVersion":"20' in answer.text


def test_it_explains_that_batches_are_gone(raw: httpx.Client) -> None:
    answer = raw.post("/mcp", json=[INITIALIZE])
    assert answer.status_code == 400
    assert "one JSON-RPC message a request" in answer.json()["error"]["message"]


def test_it_recognises_a_batch_behind_white_space(raw: httpx.Client) -> None:
    def body() -> Iterator[bytes]:
        yield b" \n"
        yield b"[{}]"

    headers = {"Content-Type": "application/json"}
    assert "one JSON-RPC" in raw.post("/mcp", content=body(), headers=headers).text


def test_it_answers_broken_json_with_an_error(raw: httpx.Client) -> None:
    headers = {"Content-Type": "application/json"}
    answer = raw.post("/mcp", content=b"{", headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == -32700


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_it_has_no_stream_to_listen_to_and_no_session_to_end(
    raw: httpx.Client, method: str
) -> None:
    assert raw.request(method, "/mcp").status_code == 405


@pytest.mark.parametrize("header", [None, "Bearer hs_wrong", "Bearer", "Basic eDp5", "Bearer x"])
def test_it_turns_away_whoever_has_no_key(raw: httpx.Client, header: str | None) -> None:
    raw.headers.pop("Authorization")
    headers = {"Authorization": header} if header else {}
    assert raw.post("/mcp", json=INITIALIZE, headers=headers).status_code == 401


def test_it_turns_away_a_revoked_key(raw: httpx.Client, key: str) -> None:
    from django.utils import timezone

    AgentKey.objects.update(revoked_at=timezone.now())
    assert raw.post("/mcp", json=INITIALIZE).status_code == 401


def test_it_takes_identity_from_the_key_alone(http: Session, key: str) -> None:  # D1
    said = http.said(
        "write_memory", content="Who am I?", source="user_input", agent="admin", space="other"
    )
    assert said["memory"]["agent"] == "coder"


def test_it_tells_a_scopeless_key_what_it_lacks(bridge: Bridge, key: str) -> None:
    bare = issue_key(Agent.objects.get(), scopes=())[1]
    with over_http(bridge.url, bare) as session:
        assert "lacks the scope" in session.refused("search_memory", query="anything")


def test_it_lets_browsers_of_allowed_origins_in(raw: httpx.Client) -> None:
    origin = {"Origin": "http://localhost:6274"}
    asked = origin | {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,mcp-session-id,mcp-protocol-version",
    }
    allowed = raw.options("/mcp", headers=asked)
    assert allowed.status_code == 200
    assert allowed.headers["Access-Control-Allow-Origin"] == origin["Origin"]
    answer = raw.post("/mcp", json=INITIALIZE, headers=origin)
    assert "Mcp-Session-Id" in answer.headers["Access-Control-Expose-Headers"]


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://localhost.evil.example", "http://localhostx:80"]
)
def test_it_keeps_other_origins_out(raw: httpx.Client, origin: str) -> None:
    answer = raw.post("/mcp", json=INITIALIZE, headers={"Origin": origin})
    assert answer.status_code == 403
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_it_keeps_rebound_names_out(raw: httpx.Client) -> None:
    answer = raw.post("/mcp", json=INITIALIZE, headers={"Host": "evil.example"})
    assert answer.status_code == 421


def test_it_stays_light(http: Session, bridge: Bridge) -> None:
    http.said("write_memory", content="The office cat is called Miso.", source="user_input")
    http.said("search_memory", query="office cat")
    assert bridge.process is not None
    process = Path(f"/proc/{bridge.process.pid}")
    if not process.exists():
        pytest.skip("only Linux tells the memory of a process this way")
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    assert int(status["VmRSS"].split()[0]) < 150 * 1024
    assert "torch" not in (process / "maps").read_text()
