"""I2: the entrypoint starts each role, after what the role needs has answered."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
ADDRESSES = {"DATABASE_URL": "postgresql://database/x", "REDIS_URL": "redis://redis/0"}
# Answers for a service once its file exists in $ANSWERS; a command is told instead of run.
STUB = """#!/bin/sh
name=${0##*/}
if [ "$name" = sleep ]; then
    echo "slept $1"
    [ ! -f "$ANSWERS/later" ] || touch "$ANSWERS/$(cat "$ANSWERS/later")"
elif [ "$1" = docker/probe.py ]; then
    [ -f "$ANSWERS/$2" ] || { echo "ConnectionRefused: nobody at $2" >&2; exit 1; }
else
    echo "ran $name $*"
fi
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A place with stubs for every program that the entrypoint starts; all services answer."""
    for folder in ("bin", "answers", "app/docker", "tmp"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(PROJECT / "docker" / "entrypoint.sh", tmp_path / "app" / "docker")
    for name in ("python", "gunicorn", "celery", "sleep"):
        (tmp_path / "bin" / name).write_text(STUB)
        (tmp_path / "bin" / name).chmod(0o755)
    for service in ("database", "redis", "embedder"):
        (tmp_path / "answers" / service).touch()
    return tmp_path


def start(
    machine: Path, *arguments: str, addresses: dict[str, str] = ADDRESSES
) -> subprocess.CompletedProcess[str]:
    path = f"{machine / 'bin'}{os.pathsep}{os.environ['PATH']}"
    places = {"ANSWERS": str(machine / "answers"), "TMPDIR": str(machine / "tmp")}
    return subprocess.run(
        [machine / "app" / "docker" / "entrypoint.sh", *arguments],
        env={"PATH": path} | places | addresses,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("role", "command"),
    [
        ("web", "gunicorn hindsight_site.wsgi --bind 0.0.0.0:8000 "),
        ("worker", "celery -A hindsight_site worker "),
        ("beat", "celery -A hindsight_site beat "),
        ("mcp", "python manage.py run_mcp --http"),
        ("embedder", "python manage.py run_embedder --host 0.0.0.0 --port 8001"),
        ("migrate", "python manage.py migrate --no-input"),
    ],
)
def test_it_starts_each_role(machine: Path, role: str, command: str) -> None:
    started = start(machine, role)
    assert (started.returncode, started.stderr) == (0, "")
    assert started.stdout.startswith(f"ran {command}")
    assert (machine / "tmp" / "hindsight-role").read_text() == f"{role}\n"


def test_it_runs_any_command_of_the_product(machine: Path) -> None:
    assert start(machine, "manage", "create_key", "a b").stdout == (
        "ran python manage.py create_key a b\n"
    )


@pytest.mark.parametrize(
    ("role", "needs"),
    [
        ("web", "database"),
        ("web", "embedder"),
        ("worker", "embedder"),
        ("beat", "redis"),
        ("mcp", "embedder"),
        ("migrate", "database"),
    ],
)
def test_it_gives_up_after_ten_attempts_five_seconds_apart(
    machine: Path, role: str, needs: str
) -> None:
    (machine / "answers" / needs).unlink()
    started = start(machine, role)
    assert started.returncode == 1
    assert started.stdout.splitlines() == ["slept 5"] * 9
    told = started.stderr.splitlines()
    assert told[0] == (
        f"hindsight: The {needs} does not answer yet (attempt 1 of 10): "
        f"ConnectionRefused: nobody at {needs}"
    )
    assert told[-1].startswith(f"hindsight: The {needs} did not come. Check that it runs")
    assert len(told) == 11


def test_it_goes_on_when_the_service_comes(machine: Path) -> None:
    (machine / "answers" / "embedder").unlink()
    (machine / "answers" / "later").write_text("embedder")
    started = start(machine, "web")
    assert started.returncode == 0
    assert started.stdout.startswith("slept 5\nran gunicorn")


@pytest.mark.parametrize("missing", ADDRESSES)
def test_it_never_starts_servers_of_its_own(machine: Path, missing: str) -> None:
    started = start(machine, "manage", "migrate", addresses=ADDRESSES | {missing: ""})
    assert (started.returncode, started.stdout) == (1, "")
    assert "Set DATABASE_URL and REDIS_URL" in started.stderr


@pytest.mark.parametrize("arguments", [(), ("wbe",)])
def test_it_names_the_roles_that_there_are(machine: Path, arguments: tuple[str, ...]) -> None:
    started = start(machine, *arguments)
    assert (started.returncode, started.stdout) == (2, "")
    assert "use web, worker, beat, mcp, embedder, migrate, or manage" in started.stderr


@pytest.mark.parametrize(
    "script", ["docker/entrypoint.sh", "script/server", "script/test", ".ci/run"]
)
def test_it_passes_the_linter_for_shell_scripts(script: str) -> None:
    shellcheck = Path(sys.executable).parent / "shellcheck"
    command = [str(shellcheck), "--external-sources", script]
    told = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout) == (0, "")
