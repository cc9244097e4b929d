"""One run of the whole product, from an empty machine to Ctrl-C."""

import fcntl
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from .announce import Ready, block, stdio_client
from .bootstrap import Services, ensure_services, local_secret_key, postgres, valkey
from .postgres import Postgres
from .processes import Processes
from .product import Ports, embedder, programs
from .system import PROJECT, LocalError, explained, home_directory, make_home, say
from .valkey import Valkey

LOADING_LIMIT = 600.0  # seconds; a first start may have to fetch the embedding model

# What of its own environment an MCP client hands to the server that it starts; no secrets.
PASSED_ON = (
    *("DATABASE_URL", "REDIS_URL", "EMBEDDING_MODEL", "EMBEDDING_MODELS"),
    *("RERANK_MODEL", "RERANK_URL", "RERANK_SECONDS"),
)


def up(*, demo: bool, tell: Callable[[str], object]) -> None:
    """Run the product until it is told to stop; `demo` fills a new local database with examples.

    `tell` gets the text for the person at the terminal, once, when everything has loaded.
    Raises LocalError with the reason when it cannot start or cannot go on.
    """
    home = home_directory()
    make_home(home)
    with sole_use(home) as note:
        ports = Ports.from_environment()
        note(f"process {os.getpid()}, http://127.0.0.1:{ports.web}/")
        (home / "ready.json").unlink(missing_ok=True)
        run = _Run(home, ports)
        with run.stopping_at_the_end():
            tell(run.start(demo=demo))
            run.watch_forever()


@contextmanager
def sole_use(home: Path) -> Iterator["_Note"]:
    """Hold the home for one product; yields a function that tells others who holds it.

    Raises LocalError naming the process and address of the product that holds it already.
    """
    path = home / "run" / "up.lock"
    with explained(path):
        file = path.open("a+")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "it is just starting"
            raise LocalError(
                f"Hindsight already runs on {home} ({holder}): use that one, or stop it first."
            ) from None
        yield _Note(file.fileno())


def started_services(home: Path) -> Path:
    """Return the mark that the local servers were started by a product, which stops them again.

    Servers that ran before, or that `infra up` has taken over, are left running.
    """
    return home / "run" / "started-services"


class _Note:
    def __init__(self, handle: int) -> None:
        self._handle = handle

    def __call__(self, text: str) -> None:
        os.ftruncate(self._handle, 0)
        os.write(self._handle, text.encode())


class _Run:
    def __init__(self, home: Path, ports: Ports) -> None:
        self._home = home
        self._ports = ports
        self._local = not (os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL"))
        self._services: Services | None = None
        self._processes = Processes(home, self._environment())
        self._stopping = False

    def start(self, *, demo: bool) -> str:
        """Bring everything up; return what the person at the terminal needs to use it."""
        began = time.monotonic()
        say("Starting Hindsight …")
        self._processes.end_leftovers()
        if self._ports.embedder is not None:
            # First, because its model takes longest and it needs nothing else.
            self._processes.start(embedder(self._ports.embedder))
        self._start_services()
        say("Updating the database …")
        self._manage("migrate", "--no-input")
        credentials = json.loads(self._manage("ensure_credentials", "--remember"))
        for program in programs(self._home, self._ports):
            self._processes.start(program)
        say("Waiting for " + ", ".join(self._processes.loading()) + " …")
        self._wait_until_loaded()
        self._load_demo_once(wanted=demo)
        ready = self._ready(credentials)
        ready.write(self._home / "ready.json")
        seconds = time.monotonic() - began
        say(f"Everything runs after {seconds:.0f} seconds; logs: {self._home}/logs")
        return block(ready, stdio=self._stdio(ready))

    def watch_forever(self) -> None:
        """Restart whatever dies, servers included; raises LocalError when that does not help."""
        while True:
            self._processes.watch()
            self._watch_services()
            time.sleep(1.0)

    @contextmanager
    def stopping_at_the_end(self) -> Iterator[None]:
        """End everything, servers last, on Ctrl-C, a request to end, or an error."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._told_to_stop)
        try:
            yield
        except KeyboardInterrupt:
            say("\nStopping …")
        finally:
            self._stopping = True
            (self._home / "ready.json").unlink(missing_ok=True)
            self._processes.stop()
            self._stop_services()

    def _told_to_stop(self, number: int, frame: FrameType | None) -> None:
        if self._stopping:
            self._processes.kill()
            return
        self._stopping = True
        raise KeyboardInterrupt

    # --- Servers ----------------------------------------------------------------------------------
    def _start_services(self) -> None:
        if self._local:
            say("Starting PostgreSQL and Valkey …")
            if postgres(self._home).pid() is None:
                started_services(self._home).touch()
        self._services = ensure_services(self._home)
        self._processes.set_environment(
            DATABASE_URL=self._services.database_url, REDIS_URL=self._services.redis_url
        )

    def _watch_services(self) -> None:
        for name, server, url in self._local_servers():
            if server.pid() is not None:
                continue
            say(f"{name} is gone and is started again, see {server.log}")
            if server.start() != url:
                raise LocalError(
                    f"{name} had to move to another port, because a program took its own: "
                    "start Hindsight again."
                )

    def _local_servers(self) -> Iterator[tuple[str, Postgres | Valkey, str]]:
        """Yield name, supervisor and URL of each server that nobody else looks after."""
        if self._services is None:
            return
        if not os.environ.get("DATABASE_URL"):
            yield "PostgreSQL", postgres(self._home), self._services.database_url
        if not os.environ.get("REDIS_URL"):
            yield "Valkey", valkey(self._home), self._services.redis_url

    def _stop_services(self) -> None:
        if self._local and started_services(self._home).exists():
            if not os.environ.get("REDIS_URL"):
                valkey(self._home).stop()
            if not os.environ.get("DATABASE_URL"):
                postgres(self._home).stop()
            started_services(self._home).unlink()

    # --- Programs ---------------------------------------------------------------------------------
    def _environment(self) -> dict[str, str]:
        made = {
            "HINDSIGHT_HOME": str(self._home),
            "WEB_PORT": str(self._ports.web),
            "MCP_PORT": str(self._ports.mcp),
            "PYTHONUNBUFFERED": "1",
        }
        if self._ports.embedder is not None:
            made["EMBEDDER_PORT"] = str(self._ports.embedder)
            made["EMBEDDER_URL"] = f"http://127.0.0.1:{self._ports.embedder}/v1"
        if not os.environ.get("SECRET_KEY"):
            made["SECRET_KEY"] = local_secret_key(self._home)
        return os.environ | made

    def _manage(self, *arguments: str) -> str:
        argv = (sys.executable, str(PROJECT / "manage.py"), *arguments)
        return self._processes.run(arguments[0], argv)

    def _wait_until_loaded(self) -> None:
        deadline = time.monotonic() + LOADING_LIMIT
        while loading := self._processes.loading():
            if time.monotonic() > deadline:
                raise LocalError(
                    f"{', '.join(loading)} did not become ready in {LOADING_LIMIT:.0f} seconds: "
                    f"see {self._home}/logs."
                )
            self._processes.watch()
            time.sleep(0.1)

    def _load_demo_once(self, *, wanted: bool) -> None:
        """Fill a new database of ours with the demo; one that others look after stays untouched."""
        done = self._home / "run" / "first-run-done"
        if done.exists():
            return
        if wanted and not os.environ.get("DATABASE_URL"):
            say("Loading the demo …")
            self._manage("load_demo")
        done.touch()

    # --- What is told -----------------------------------------------------------------------------
    def _ready(self, credentials: dict[str, str]) -> Ready:
        web = f"http://127.0.0.1:{self._ports.web}"
        names = ("username", "password", "agent_key", "space")
        return Ready(
            web_url=f"{web}/",
            api_url=f"{web}/api/v1/",
            mcp_url=f"http://127.0.0.1:{self._ports.mcp}/mcp",
            embedder_url=self._environment()["EMBEDDER_URL"],
            **{name: str(credentials[name]) for name in names},
        )

    def _stdio(self, ready: Ready) -> str:
        environment = {"HINDSIGHT_HOME": str(self._home), "EMBEDDER_URL": ready.embedder_url}
        for name in PASSED_ON:
            if value := os.environ.get(name):
                environment[name] = value
        command = [sys.executable, str(PROJECT / "manage.py"), "run_mcp"]
        return stdio_client(ready, command=command, environment=environment)
