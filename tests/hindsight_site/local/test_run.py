"""I1: one command brings everything up, keeps it up, and takes it down again."""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hindsight_site.local import bootstrap
from hindsight_site.local.product import get
from hindsight_site.local.system import PROJECT, alive

from .helpers import free_port, kill, listening, wait_until

COMMAND = [sys.executable, "-m", "tests.hindsight_site.local.fake_product"]


class Product:
    """A running `up` in a home of its own."""

    def __init__(self, home: Path, *arguments: str) -> None:
        self.home = home
        self.ready = home / "ready.json"
        self.ready.unlink(missing_ok=True)  # what a killed run left
        with (home / "out").open("w") as out, (home / "err").open("w") as err:
            self.process = subprocess.Popen(
                [*COMMAND, *arguments],
                cwd=PROJECT,
                env=os.environ | environment(home),
                stdout=out,
                stderr=err,
            )

    def wait_until_ready(self) -> dict[str, str]:
        wait_until(lambda: self.ready.exists() or self.process.poll() is not None)
        told: dict[str, str] = json.loads(self.ready.read_text())
        return told

    def pid(self, name: str) -> int:
        return int((self.home / f"{name}.pid").read_text() or 0)  # 0 while it is being written

    def stop(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=15)

    @property
    def messages(self) -> str:
        return (self.home / "err").read_text()


PORTS: dict[str, str] = {}


def environment(home: Path) -> dict[str, str]:
    if not PORTS:
        PORTS.update({name: str(free_port()) for name in ("WEB_PORT", "MCP_PORT", "EMBEDDER_PORT")})
    return {"HINDSIGHT_HOME": str(home), **PORTS}


@contextmanager
def product(home: Path, *arguments: str) -> Iterator[Product]:
    made = Product(home, *arguments)
    try:
        made.wait_until_ready()
        yield made
    finally:
        if made.process.poll() is None:
            made.stop()


def refused(home: Path, **variables: str) -> str:
    """Run `up` where it must refuse; return the sentence."""
    told = subprocess.run(
        COMMAND,
        cwd=PROJECT,
        env=os.environ | environment(home) | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert told.returncode == 1
    assert "Traceback" not in told.stderr
    return told.stderr


def test_it_tells_programs_and_people_where_everything_is(shared_home: Path) -> None:
    with product(shared_home) as running:
        told = running.wait_until_ready()
        assert get(int(PORTS["WEB_PORT"]), "/")[0] == 200
        assert stat.S_IMODE(running.ready.stat().st_mode) == 0o600
        wait_until(lambda: "Ctrl-C" in (shared_home / "out").read_text())
    assert set(told) == {
        *("web_url", "api_url", "mcp_url", "embedder_url"),
        *("username", "password", "agent_key", "space"),
    }
    text = (shared_home / "out").read_text()
    assert told["web_url"] in text
    assert told["agent_key"] in text


def test_it_stops_everything_it_started(shared_home: Path) -> None:
    with product(shared_home) as running:
        pids = [running.pid(name) for name in ("web", "mcp", "embedder")]
        pids += [bootstrap.postgres(shared_home).pid() or 0]
        pids += [bootstrap.valkey(shared_home).pid() or 0]
        assert all(map(alive, pids))
        assert running.stop(signal.SIGTERM) == 0
    assert not any(map(alive, pids))
    assert not running.ready.exists()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs a POSIX system")
def test_it_kills_everything_when_told_twice(shared_home: Path) -> None:
    with product(shared_home) as running:
        deaf = running.pid("web")
        os.kill(deaf, signal.SIGSTOP)  # does not hear the polite request
        running.process.send_signal(signal.SIGINT)
        wait_until(lambda: "Stopping" in running.messages)
        assert running.stop() == 0
    assert not alive(deaf)
    assert bootstrap.postgres(shared_home).pid() is None


def test_it_leaves_servers_running_that_ran_before(shared_home: Path) -> None:
    bootstrap.ensure_services(shared_home)
    with product(shared_home):
        pass
    assert bootstrap.postgres(shared_home).url()
    assert bootstrap.valkey(shared_home).url()
    bootstrap.postgres(shared_home).stop()
    bootstrap.valkey(shared_home).stop()


@pytest.mark.parametrize("name", ["embedder", "web"])
def test_it_brings_back_a_program_that_was_killed(shared_home: Path, name: str) -> None:
    with product(shared_home) as running:
        first = running.pid(name)
        kill(first)
        wait_until(lambda: running.pid(name) not in (0, first))
        wait_until(lambda: get(int(PORTS[f"{name.upper()}_PORT"]), "/")[0] == 200)


def test_it_brings_back_killed_servers_at_the_same_place(shared_home: Path) -> None:
    with product(shared_home):
        for server in (bootstrap.postgres(shared_home), bootstrap.valkey(shared_home)):
            url = server.url()
            kill(server.pid())
            wait_until(server.url)
            assert server.url() == url


def test_it_refuses_to_run_twice(shared_home: Path) -> None:
    with product(shared_home) as running:
        sentence = refused(shared_home)
        assert f"process {running.process.pid}, http://127.0.0.1:{PORTS['WEB_PORT']}/" in sentence
        assert running.process.poll() is None


def test_it_starts_again_after_it_was_killed(shared_home: Path) -> None:
    with product(shared_home) as running:
        left = running.pid("web")
        kill(running.process.pid)
        running.process.wait()
    with product(shared_home) as again:
        assert not alive(left)
        assert again.wait_until_ready()
    assert bootstrap.postgres(shared_home).pid() is None  # the killed one had started it


@pytest.mark.parametrize("variable", ["WEB_PORT", "MCP_PORT", "EMBEDDER_PORT"])
def test_it_names_the_port_that_is_taken(shared_home: Path, variable: str) -> None:
    with listening() as port:
        sentence = refused(shared_home, **{variable: str(port)})
    assert f"Port {port} cannot be used" in sentence
    assert f"set {variable} to a free port" in sentence


def test_it_refuses_a_port_that_is_no_number(shared_home: Path) -> None:
    assert "WEB_PORT is 'http': set it to a port number" in refused(shared_home, WEB_PORT="http")


def test_it_loads_the_demo_only_once(home: Path) -> None:
    with product(home) as running:
        assert "ran load_demo" in running.messages
    with product(home) as running:
        assert "ran load_demo" not in running.messages


def test_it_loads_no_demo_when_told_so(home: Path) -> None:
    with product(home, "--no-demo") as running:
        assert "ran load_demo" not in running.messages
