"""The official client, in plain calls: over HTTP, over stdio, and inside this process."""

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ListToolsResult

from mcp_bridge.server import make_server
from memories.permissions import Actor
from tests.services import PROJECT

ANSWER_LIMIT = 10.0  # seconds after which common clients give up
BRIDGE = "bridge"  # the name under which PostgreSQL knows the connections of bridges


@dataclass
class Session:
    """One open connection of the official client."""

    portal: BlockingPortal
    client: Client

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """Call a tool; one that does not answer in time fails the test."""
        result = self.portal.call(self.client.call_tool, tool, arguments)
        assert isinstance(result, CallToolResult)
        return result

    def said(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the structured answer of a call that must succeed."""
        result = self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        assert json.loads(text_of(result)) == result.structured_content
        return structured(result)

    def refused(self, tool: str, **arguments: Any) -> str:
        """Return the error text of a call that must fail."""
        result = self.call(tool, **arguments)
        assert result.is_error, text_of(result)
        return text_of(result)

    def tools(self) -> ListToolsResult:
        return self.portal.call(self.client.list_tools)


def text_of(result: CallToolResult) -> str:
    """Return the text of a result; every result of ours is exactly one text, and never empty."""
    [block] = result.content
    assert block.type == "text"
    assert block.text
    return block.text


def structured(result: CallToolResult) -> dict[str, Any]:
    """Return the structured content of a result, which ours always have."""
    found = result.structured_content
    assert isinstance(found, dict)
    return found


@contextmanager
def connected(server: Any, mode: str = "auto") -> Iterator[Session]:
    """Open a session to whatever the official client accepts."""
    client = Client(server, mode=mode, read_timeout_seconds=ANSWER_LIMIT)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
        yield Session(portal, client)


def inside(actor: Actor, mode: str = "auto") -> AbstractContextManager[Session]:
    """Open a session to a server in this process on which `actor` is who calls."""

    async def identity() -> Actor:
        return actor

    return connected(make_server(identity), mode)


class _Http:
    """The transport with a key, and with the HTTP client it needs closed behind it."""

    def __init__(self, url: str, key: str) -> None:
        self._url, self._key = url, key
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Any:
        http = httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {self._key}"}, timeout=ANSWER_LIMIT, trust_env=False
        )
        await self._stack.enter_async_context(http)
        return await self._stack.enter_async_context(
            streamable_http_client(self._url, http_client=http)
        )

    async def __aexit__(self, *error: Any) -> None:
        await self._stack.aclose()


@contextmanager
def over_http(url: str, key: str, mode: str = "auto") -> Iterator[Session]:
    with connected(_Http(url, key), mode) as session:
        yield session


@contextmanager
def over_stdio(
    key: str, environment: dict[str, str], log: Path, mode: str = "auto"
) -> Iterator[Session]:
    """Start the bridge as a desktop client does, and talk to it."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=[str(PROJECT / "manage.py"), "run_mcp"],
        env=environment | {"HINDSIGHT_AGENT_KEY": key},
        cwd=str(PROJECT),
    )
    with log.open("w") as errors, connected(_stdio(parameters, errors), mode) as session:
        yield session


def _stdio(parameters: StdioServerParameters, errors: TextIO | io.TextIOBase) -> Any:
    return stdio_client(parameters, errlog=errors)  # type: ignore[arg-type]


def bridge_environment(database_url: str, **more: str) -> dict[str, str]:
    """Return what a bridge process needs to serve the given database."""
    kept = ("PATH", "HOME", "REDIS_URL", "EMBEDDER_URL", "HINDSIGHT_HOME")
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        "DATABASE_URL": f"{database_url}?application_name={BRIDGE}",
        "DJANGO_SETTINGS_MODULE": "hindsight_site.settings",
        "PYTHONUNBUFFERED": "1",
    } | more
