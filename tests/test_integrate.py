"""The host loop of docs/integrate.md, run as it stands there against a running server (H3)."""

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import TypeAdapter
from pytest_django.live_server_helper import LiveServer

from mcp_bridge import arguments as given
from memories.distillation import distil
from memories.models import DistillationRun, Session, Turn
from memories.sessions.turns import cleaned_turns

DOCS = Path(__file__).resolve().parent.parent / "docs"
EXAMPLE = DOCS / "examples" / "host_loop.py"
PREFERENCE = "Please remember: I always want answers in metric units."


@pytest.fixture(scope="module")
def loop() -> Any:
    """The example as a module."""
    spec = importlib.util.spec_from_file_location("host_loop", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def api(live_server: LiveServer, embedder: str, agent_key: str) -> Iterator[httpx.Client]:
    with client(live_server.url, agent_key) as opened:
        yield opened


def client(url: str, key: str, **more: Any) -> httpx.Client:
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.Client(base_url=f"{url}/api/v1/", headers=headers, trust_env=False, **more)


class Model:
    """Stands in for a model: keeps what it was told, calls a tool that fails, and answers."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def __call__(self, known: str, question: str) -> list[dict[str, Any]]:
        self.told.append(known)
        return [
            {"role": "assistant", "type": "tool_call", "tool": "search", "data": {"q": question}},
            {"role": "tool", "type": "tool_result", "tool": "search", "ok": False, "error": "503"},
            {"role": "assistant", "content": "Noted."},
        ]


def test_the_document_quotes_the_example() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "integrate.md").read_text(), re.DOTALL)
    assert any(block in EXAMPLE.read_text() and "def converse" in block for block in blocks)


def test_the_call_over_mcp_can_be_copied() -> None:
    [block] = re.findall(r"```json\n(.*?)```", (DOCS / "integrate.md").read_text(), re.DOTALL)
    turns = TypeAdapter(given.Turns).validate_python(json.loads(block)["turns"])
    assert [turn.ok for turn in cleaned_turns(turns)] == [None, None, False, None]
    assert turns[1]["data"] == {"q": "units"}


def test_the_loop_is_short() -> None:
    source = EXAMPLE.read_text()
    loop = source[source.index("def converse") : source.index("def parrot")]
    assert len(loop.strip().splitlines()) <= 30


def test_it_records_every_turn_and_ends_the_session(loop: Any, api: httpx.Client) -> None:
    ended = loop.converse(api, "alice", ["Hello!", "How far is it?"], Model())
    assert (ended["state"], ended["outcome"], ended["turn_count"]) == ("ended", "success", 8)
    told = Turn.objects.order_by("number").values_list("key", "role", "ok")
    assert list(told[:4]) == [
        ("1", "user", None),
        ("1.1", "assistant", None),
        ("1.2", "tool", False),
        ("1.3", "assistant", None),
    ]
    failed = api.get("turns/failed", params={"user_id": "alice"}).json()["items"]
    assert [turn["error"] for turn in failed] == ["503", "503"]


def test_it_tells_the_model_what_was_said_just_now(loop: Any, api: httpx.Client) -> None:
    model = Model()
    loop.converse(api, "alice", ["Hello!", "How far is it?"], model)
    assert "Hello!" in model.told[1]
    assert "How far is it?" in model.told[1]


def test_it_knows_in_the_next_session_what_mattered(loop: Any, api: httpx.Client) -> None:  # B1
    loop.converse(api, "alice", [PREFERENCE], Model())
    run = distil(Session.objects.get().pk)
    assert run is not None
    assert run.state == DistillationRun.State.DONE, run.note
    model = Model()
    question = "In which units do I want answers?"
    loop.converse(api, "alice", [question], model)
    loop.converse(api, "bob", [question], model)
    assert "metric units" in model.told[0]
    assert "metric units" not in model.told[1]  # D1


def test_it_ends_the_session_when_the_model_breaks(loop: Any, api: httpx.Client) -> None:
    def broken(known: str, question: str) -> list[dict[str, Any]]:
        raise RuntimeError("no model")

    with pytest.raises(RuntimeError):
        loop.converse(api, "alice", ["Hello!"], broken)
    session = Session.objects.get()
    assert (session.outcome, session.turn_count) == ("failure", 1)
    assert session.ended_at is not None


class AnswersGetLost(httpx.HTTPTransport):
    """Delivers every request, and loses the answer to each first one."""

    def __init__(self) -> None:
        super().__init__()
        self.lost: set[bytes] = set()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = super().handle_request(request)
        seen = request.url.raw_path + request.read()
        if seen not in self.lost:
            self.lost.add(seen)
            answer.close()
            raise httpx.ReadTimeout("lost", request=request)
        return answer


def test_it_records_nothing_twice_when_answers_get_lost(
    loop: Any, live_server: LiveServer, embedder: str, agent_key: str
) -> None:  # B10
    with client(live_server.url, agent_key, transport=AnswersGetLost()) as unreliable:
        ended = loop.converse(unreliable, "alice", ["Hello!", "How far is it?"], Model())
    assert ended["turn_count"] == Turn.objects.count() == 8
    assert Session.objects.count() == 1
