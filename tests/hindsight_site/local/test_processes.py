"""Programs are kept running, crashes are told, and nothing is left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hindsight_site.local import processes as room
from hindsight_site.local.processes import Look, Processes, Program
from hindsight_site.local.system import LocalError, alive, make_home

from .helpers import kill, wait_until

# Writes its process id where the test can read it, then does as the test says.
PRELUDE = "import os, pathlib, signal, sys, time; f = pathlib.Path(sys.argv[1]); "
RUNS = PRELUDE + "f.write_text(str(os.getpid())); time.sleep(600)"
FAILS = PRELUDE + "print('no such model'); sys.exit(3)"
IGNORES = PRELUDE + (
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); f.write_text(str(os.getpid())); time.sleep(600)"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_home(tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def processes(folder: Path) -> Iterator[Processes]:
    made = Processes(folder, os.environ)
    yield made
    made.kill()
    made.stop()


def program(folder: Path, code: str = RUNS, name: str = "worker") -> Program:
    note = folder / f"{name}.pid"
    return Program(
        name=name,
        argv=(sys.executable, "-c", code, str(note)),
        look=lambda started: Look(note.exists() and note.read_text() != ""),
    )


def noted_pid(folder: Path, name: str = "worker") -> int:
    return int((folder / f"{name}.pid").read_text())


def load(processes: Processes) -> None:
    deadline = time.monotonic() + 30
    while processes.loading():
        assert time.monotonic() < deadline
        processes.watch()
        time.sleep(0.02)


def crash(processes: Processes, folder: Path) -> int:
    """Kill the program and let its supervisor notice; return the number it had."""
    pid = noted_pid(folder)
    (folder / "worker.pid").unlink()
    os.kill(pid, signal.SIGKILL)
    while not processes.loading():
        processes.watch()
    return pid


def test_it_notices_when_a_program_has_loaded(processes: Processes, folder: Path) -> None:
    processes.start(program(folder))
    assert processes.loading() == ["worker"]
    load(processes)
    assert processes.loading() == []


def test_it_restarts_what_was_killed(
    processes: Processes, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    processes.start(program(folder))
    load(processes)
    first = crash(processes, folder)
    load(processes)
    assert noted_pid(folder) != first
    told = capsys.readouterr().err
    assert "worker was ended by signal 9 and is started again" in told
    assert "worker.log" in told


def test_it_tells_why_a_program_does_not_start(processes: Processes, folder: Path) -> None:
    processes.start(program(folder, FAILS))
    with pytest.raises(LocalError, match=r"(?s)exit code 3 while starting.*log:\nno such model"):
        load(processes)


def test_it_gives_up_when_a_program_keeps_crashing(
    processes: Processes, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "BACKOFF", 0.0)
    processes.start(program(folder))
    load(processes)
    for _ in range(4):
        crash(processes, folder)
        load(processes)
    with pytest.raises(LocalError, match="worker was ended by signal 9, 5 times within a minute"):
        crash(processes, folder)


def test_it_returns_what_a_short_program_prints(processes: Processes) -> None:
    assert processes.run("short", (sys.executable, "-c", "print(1 + 1)")) == "2\n"


def test_it_quotes_the_messages_of_a_short_program_that_fails(processes: Processes) -> None:
    with pytest.raises(LocalError, match=r"(?s)^short failed, see .*short\.log:\nno table$"):
        processes.run("short", (sys.executable, "-c", "import sys; sys.exit('no table')"))


def test_it_gives_later_variables_to_programs_started_later(processes: Processes) -> None:
    processes.set_environment(DATABASE_URL="postgresql://later")
    code = "import os; print(os.environ['DATABASE_URL'])"
    assert processes.run("short", (sys.executable, "-c", code)) == "postgresql://later\n"


def test_it_kills_a_program_that_ignores_the_request_to_end(
    processes: Processes, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "PATIENCE", 0.2)
    processes.start(program(folder, IGNORES))
    load(processes)
    pid = noted_pid(folder)
    processes.stop()
    assert not alive(pid)


def test_it_ends_what_a_killed_supervisor_left_behind(folder: Path) -> None:
    killed = Processes(folder, os.environ)
    killed.start(program(folder))
    load(killed)
    pid = noted_pid(folder)
    Processes(folder, os.environ).end_leftovers()
    assert not alive(pid)
    killed.stop()


def test_it_leaves_a_program_alone_that_only_has_the_number_of_a_leftover(folder: Path) -> None:
    (folder / "run" / "processes.json").write_text(f'{{"worker": [{os.getpid()}, "1"]}}')
    Processes(folder, os.environ).end_leftovers()  # we are still here


@pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel")
def test_it_takes_its_programs_along_when_it_is_killed(folder: Path) -> None:
    code = (
        "import os, sys, time, pathlib\n"
        "from hindsight_site.local.processes import Look, Processes, Program\n"
        "home = pathlib.Path(sys.argv[1])\n"
        "argv = (sys.executable, '-c', sys.argv[2], str(home / 'worker.pid'))\n"
        "Processes(home, os.environ).start(\n"
        "    Program(name='worker', argv=argv, look=lambda _: Look(True)))\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(folder), RUNS]) as supervisor:
        wait_until(lambda: program(folder).look(0).ready)
        kill(supervisor.pid)
    wait_until(lambda: not alive(noted_pid(folder)))
