"""A caller's side of REST and MCP: a key, a question or a statement, and the answer as JSON."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx
import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

SECONDS = 60.0
"""How long an answer is waited for: more than any product may take, for the figure to show it."""


class CallFailed(Exception):
    """A door refused a call that it should have answered; the text says how."""


class Rest:
    """The REST API as one client uses it, over one connection. Calls raise CallFailed."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def search(self, query: str, user_id: str, **more: Any) -> Mapping[str, Any]:
        return self._post("search", {"query": query, "user_id": user_id, **more})

    def write(self, content: str, user_id: str) -> Mapping[str, Any]:
        said = {"content": content, "user_id": user_id, "source": "user_input"}
        return self._post("memories", said)

    def write_many(self, batch: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, Any]]:
        """Write (content, user_id) pairs, at most 100; one that is refused raises CallFailed."""
        return _all_kept("REST", self._post("memories/batch", {"memories": _statements(batch)}))

    def _post(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        response = self._http.post(path, json=body)
        if response.is_error:
            raise CallFailed(f"REST {path}: {response.status_code} {response.text[:200]}")
        answer: Mapping[str, Any] = response.json()
        return answer


class Mcp:
    """The MCP tools as the official client calls them, in one session. Calls raise CallFailed."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal, self._client = portal, client

    def search(self, query: str, user_id: str) -> Mapping[str, Any]:
        return self._call("search_memory", {"query": query, "user_id": user_id})

    def write(self, content: str, user_id: str) -> Mapping[str, Any]:
        said = {"content": content, "user_id": user_id, "source": "user_input"}
        return self._call("write_memory", said)

    def write_many(self, batch: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, Any]]:
        """Write (content, user_id) pairs, at most 100; one that is refused raises CallFailed."""
        return _all_kept("MCP", self._call("write_memories", {"memories": _statements(batch)}))

    def _call(self, tool: str, arguments: dict[str, Any]) -> Mapping[str, Any]:
        answer = self._portal.call(self._client.call_tool, tool, arguments)
        if answer.is_error:
            raise CallFailed(f"MCP {tool}: {answer.content}")
        found: Mapping[str, Any] = answer.structured_content
        return found


def _statements(batch: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [
        {"content": content, "user_id": user_id, "source": "user_input"}
        for content, user_id in batch
    ]


def _all_kept(door: str, answer: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    results: Sequence[Mapping[str, Any]] = answer["results"]
    for result in results:
        if "error" in result:
            raise CallFailed(f"{door}: {result['error']}")
    return results


@contextmanager
def rest(url: str, key: str) -> Iterator[Rest]:
    """Open a connection to the REST API of a server, as the agent that holds the key."""
    with httpx.Client(
        base_url=f"{url.rstrip('/')}/api/v1/", headers=_as(key), timeout=SECONDS, trust_env=False
    ) as http:
        yield Rest(http)


@contextmanager
def mcp(url: str, key: str) -> Iterator[Mcp]:
    """Open a session of MCP over streamable HTTP, as the agent that holds the key."""
    session = _session(f"{url.rstrip('/')}/mcp", key)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(session) as client:
        yield Mcp(portal, client)


@asynccontextmanager
async def _session(url: str, key: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=_as(key), timeout=SECONDS, trust_env=False) as http,
        Client(
            streamable_http_client(url, http_client=http), read_timeout_seconds=SECONDS
        ) as client,
    ):
        yield client


def _as(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}
