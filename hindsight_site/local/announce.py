"""What a started product tells: ready.json for programs, one block of text for people."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from .system import write_private


@dataclass(frozen=True, kw_only=True)
class Ready:
    """Everything that is needed to use a running product; the keys of ready.json."""

    web_url: str
    api_url: str
    mcp_url: str
    embedder_url: str
    username: str
    password: str
    agent_key: str
    space: str

    def write(self, path: Path) -> None:
        """Replace ready.json at once; only its owner may read it, since it names secrets."""
        write_private(path, json.dumps(asdict(self), indent=2) + "\n")


def stdio_client(ready: Ready, *, command: list[str], environment: Mapping[str, str]) -> str:
    """Return the configuration of an MCP client that starts the bridge itself, as JSON."""
    server = {
        "command": command[0],
        "args": command[1:],
        "env": {**environment, "HINDSIGHT_AGENT_KEY": ready.agent_key},
    }
    return json.dumps({"mcpServers": {"hindsight": server}}, indent=2)


def http_client(ready: Ready) -> str:
    """Return the configuration of an MCP client that speaks HTTP, as JSON."""
    headers = {"Authorization": f"Bearer {ready.agent_key}"}
    server = {"type": "http", "url": ready.mcp_url, "headers": headers}
    return json.dumps({"mcpServers": {"hindsight": server}}, indent=2)


def block(ready: Ready, *, stdio: str) -> str:
    """Return the text that a person at the terminal needs, once everything runs."""
    return f"""
Hindsight is ready: {ready.web_url}

  Sign in as   {ready.username}
  Password     {ready.password or "the one you chose"}
  Agent key    {ready.agent_key}  (space {ready.space})
  REST API     {ready.api_url}
  MCP          {ready.mcp_url}

Configuration of an MCP client, over HTTP:

{http_client(ready)}

or over stdio:

{stdio}

Ctrl-C stops everything.
"""
