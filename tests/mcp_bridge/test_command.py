"""`manage.py run_mcp` itself: what it prints, and how it refuses to start."""

import json
import socket
import subprocess
import sys
from typing import Any

import pytest

from tests.mcp_bridge.sessions import bridge_environment
from tests.services import PROJECT


def run_mcp(*arguments: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "run_mcp", *arguments],
        cwd=PROJECT,
        env=environment,
        input="",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def only_line(text: str) -> str:
    [line] = text.strip().splitlines()
    return line


def test_it_says_that_the_key_is_missing(database_url: str) -> None:
    done = run_mcp(environment=bridge_environment(database_url))
    assert done.returncode != 0
    assert done.stdout == ""
    assert "HINDSIGHT_AGENT_KEY is not set" in only_line(done.stderr)


def test_it_says_that_the_key_is_unknown(committed: None, database_url: str) -> None:
    environment = bridge_environment(database_url, HINDSIGHT_AGENT_KEY="hs_wrong")
    done = run_mcp(environment=environment)
    assert done.returncode != 0
    assert done.stdout == ""
    assert "unknown, expired or revoked" in only_line(done.stderr)


def test_it_says_that_its_port_is_taken(database_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        environment = bridge_environment(database_url, MCP_PORT=str(port))
        done = run_mcp("--http", environment=environment)
    assert done.returncode != 0
    assert "Set MCP_PORT to a free port" in only_line(done.stderr)


def test_it_speaks_nothing_but_the_protocol_on_stdout(key: str, database_url: str) -> None:
    messages: list[dict[str, Any]] = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2024-11-05",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    environment = bridge_environment(database_url, HINDSIGHT_AGENT_KEY=key, LOG_LEVEL="DEBUG")
    with subprocess.Popen(
        [sys.executable, "manage.py", "run_mcp"],
        cwd=PROJECT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as bridge:
        assert bridge.stdin
        assert bridge.stdout
        bridge.stdin.writelines(json.dumps(message) + "\n" for message in messages)
        bridge.stdin.flush()
        # As a client does: it leaves once it has its answers. What is under way then is given up.
        answers = [json.loads(bridge.stdout.readline()) for _each in range(2)]
        bridge.stdin.close()
        rest = bridge.stdout.read()
    assert (bridge.returncode, rest) == (0, "")
    assert [answer["id"] for answer in answers] == [1, 2]


@pytest.mark.parametrize("option", ["--help"])
def test_it_explains_itself_without_any_server(option: str) -> None:
    done = run_mcp(option, environment={"PATH": "/usr/bin:/bin"})
    assert done.returncode == 0
    assert "--http" in done.stdout
