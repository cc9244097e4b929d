"""Keeping programs running: started, watched, restarted after a crash, stopped in reverse.

honcho's Manager was tried for this and does not fit: it stops everything when one program ends,
adds a Python process and a shell to each program, and cannot tell whether a program has loaded.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from .system import PROJECT, LocalError, birth, open_log, read_text, say, see, write_private

CRASHES_ALLOWED = 5  # within WINDOW, of one program
WINDOW = 60.0  # seconds
BACKOFF = 0.5  # seconds before the first restart; twice as long before each next one
PATIENCE = 6.0  # seconds between asking a program to end and ending it

_LIBC = ctypes.CDLL(None)  # loaded here: between fork and exec only calls are safe


class Look(NamedTuple):
    """What a look at a program showed; `note` is for the person who waits."""

    ready: bool
    note: str = ""


NOT_YET = Look(ready=False)


@dataclass(frozen=True, kw_only=True)
class Program:
    """A long-running program and how to see that it has finished loading.

    `look` gets the wall-clock time of the start, in seconds since the epoch.
    """

    name: str
    argv: Sequence[str]
    look: Callable[[float], Look]


@dataclass(kw_only=True)
class _Child:
    program: Program
    log: Path
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    log_start: int = 0
    seen: Look = NOT_YET
    was_ready: bool = False
    restart_at: float = 0.0
    crashes: deque[float] = field(default_factory=lambda: deque(maxlen=CRASHES_ALLOWED))


class Processes:
    """The programs of one home; their output goes to `logs/NAME.log` there."""

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self._home = home
        self._environment = dict(environment)
        self._children: dict[str, _Child] = {}
        self._register = home / "run" / "processes.json"

    def set_environment(self, **variables: str) -> None:
        """Give more variables to every program that is started from now on."""
        self._environment |= variables

    def end_leftovers(self) -> None:
        """End what an earlier supervisor left behind when it was killed."""
        known = json.loads(read_text(self._register) or "{}").values()
        _end([pid for pid, born in known if birth(pid) == born])
        self._register.unlink(missing_ok=True)

    def start(self, program: Program) -> None:
        """Start a program without waiting until it has loaded."""
        child = _Child(program=program, log=self._home / "logs" / f"{program.name}.log")
        self._children[program.name] = child
        self._launch(child)

    def run(self, name: str, argv: Sequence[str]) -> str:
        """Run a program to its end and return what it printed; its messages go to `logs/NAME.log`.

        Raises LocalError, with the last lines of the log, when it fails.
        """
        path = self._home / "logs" / f"{name}.log"
        with open_log(path) as log:
            since = log.tell()
            process = self._popen(argv, stdout=subprocess.PIPE, stderr=log.fileno())
        try:
            printed, _ = process.communicate()
        except BaseException:
            _end([process.pid], reap=[process])
            raise
        if process.returncode:
            raise LocalError(f"{name} failed, {see(path, since=since)}")
        return printed.decode()

    def watch(self) -> None:
        """Look at every program once: restart what crashed, note what has loaded.

        Raises LocalError when a program does not start at all or crashes again and again.
        """
        for child in self._children.values():
            if child.process is None:
                if time.monotonic() >= child.restart_at:
                    self._launch(child)
            elif child.process.poll() is not None:
                self._crashed(child, child.process)
            elif not child.seen.ready:
                self._look(child)

    def loading(self) -> list[str]:
        """Return the names of the programs that are not ready yet."""
        return [name for name, child in self._children.items() if not child.seen.ready]

    def stop(self) -> None:
        """End every program, the last started first; whoever ignores it is killed."""
        running = [child.process for child in self._children.values() if child.process]
        _end([process.pid for process in reversed(running)], reap=running)
        self._children.clear()
        self._register.unlink(missing_ok=True)

    def kill(self) -> None:
        """End every program at once, without a chance to finish anything."""
        for child in self._children.values():
            if child.process:
                _signal(child.process.pid, signal.SIGKILL)

    def _launch(self, child: _Child) -> None:
        with open_log(child.log) as log:
            child.log_start = log.tell()
            child.started = time.time()
            output = log.fileno()
            child.process = self._popen(child.program.argv, stdout=output, stderr=output)
        child.seen = NOT_YET
        running = {
            name: (other.process.pid, birth(other.process.pid))
            for name, other in self._children.items()
            if other.process
        }
        write_private(self._register, json.dumps(running))

    def _popen(self, argv: Sequence[str], *, stdout: int, stderr: int) -> subprocess.Popen[bytes]:
        # A session of its own: Ctrl-C reaches only us, and we end the programs in order.
        return subprocess.Popen(
            argv,
            cwd=PROJECT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            preexec_fn=_end_with_parent if sys.platform == "linux" else None,
        )

    def _look(self, child: _Child) -> None:
        """Note whether a program has loaded, and tell what is new about it."""
        seen = child.program.look(child.started)
        if seen != child.seen:
            say(f"  {child.program.name}: {seen.note or ('ready' if seen.ready else 'starting')}")
        child.seen = seen
        child.was_ready = child.was_ready or seen.ready

    def _crashed(self, child: _Child, process: subprocess.Popen[bytes]) -> None:
        """Plan the restart of a program that ended; raises LocalError when there is no hope."""
        code, name, now = process.returncode, child.program.name, time.monotonic()
        _signal(process.pid, signal.SIGKILL)  # whatever it started itself
        child.process, child.seen = None, NOT_YET
        child.crashes.append(now)
        how = f"was ended by signal {-code}" if code < 0 else f"stopped with exit code {code}"
        last = see(child.log, since=child.log_start)
        if not child.was_ready:
            raise LocalError(f"{name} {how} while starting, {last}")
        if len(child.crashes) == CRASHES_ALLOWED and now - child.crashes[0] < WINDOW:
            raise LocalError(f"{name} {how}, {CRASHES_ALLOWED} times within a minute, {last}")
        recent = sum(now - moment < WINDOW for moment in child.crashes)
        child.restart_at = now + BACKOFF * 2 ** (recent - 1)
        say(f"{name} {how} and is started again, {last}")


def _end_with_parent() -> None:
    """Ask the kernel to end this program when the supervisor is gone, however it went (Linux)."""
    _LIBC.prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def _signal(pid: int, number: signal.Signals) -> None:
    """Signal a program; killing includes everything that it started."""
    with suppress(ProcessLookupError, PermissionError):
        if number == signal.SIGKILL:
            os.killpg(pid, number)
        else:
            os.kill(pid, number)


def _end(pids: Sequence[int], *, reap: Sequence[subprocess.Popen[bytes]] = ()) -> None:
    """Ask the programs to end, wait for all of them together, and kill the rest."""
    for pid in pids:
        _signal(pid, signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE
    while any(birth(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid in pids:
        _signal(pid, signal.SIGKILL)
    for process in reap:
        process.wait()
