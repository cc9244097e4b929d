"""I1: script/test runs everything, says what failed, and leaves nothing behind."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
SHELL_TOOLS = ("bash", "cat", "cmp", "dirname", "env", "id", "mktemp", "rm", "sh", "sleep", "touch")
# Tells its name and arguments; fails when $FAILING names it; pytest may be asked to take long.
STUB = """#!/bin/sh
case "$*" in *'import '*) exit 0;; esac
name="${0##*/} $*"
echo "ran $name"
case "$name" in
*pytest*slow*) mkdir "$TMPDIR/hindsight-test-x"; touch started; exec sleep 60;;
*'infra down') echo "stopped $HINDSIGHT_HOME" >>told;;
esac
case "$name" in *"${FAILING:-nothing}"*) exit 1;; esac
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the scripts and a virtual environment whose programs only tell their names."""
    shutil.copytree(PROJECT / "script", tmp_path / "script")
    for folder in (".venv/bin", "bin", "tmp"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("requirements.txt", "requirements-dev.txt"):
        (tmp_path / name).touch()
        (tmp_path / ".venv" / f"{name}.installed").touch()
    for name in ("python", "ruff", "mypy", "lint-imports", "djlint"):
        (tmp_path / ".venv" / "bin" / name).write_text(STUB)
        (tmp_path / ".venv" / "bin" / name).chmod(0o755)
    for tool in (*SHELL_TOOLS, "chmod", "mkdir"):
        (tmp_path / "bin" / tool).symlink_to(str(shutil.which(tool)))
    # Stands for a user who may not install packages, whoever runs these tests.
    (tmp_path / "bin" / "id").unlink()
    (tmp_path / "bin" / "id").write_text("#!/bin/sh\necho 1000\n")
    (tmp_path / "bin" / "id").chmod(0o755)
    return tmp_path


def start(project: Path, *arguments: str, failing: str = "nothing") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [project / "script" / "test", *arguments],
        cwd="/",
        env={"PATH": str(project / "bin"), "TMPDIR": str(project / "tmp"), "FAILING": failing},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # A shell's background job, which this run may be, ignores Ctrl-C and would hand that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def told(project: Path, *arguments: str, failing: str = "nothing") -> tuple[int, str]:
    process = start(project, *arguments, failing=failing)
    output, _ = process.communicate(timeout=60)
    assert not list((project / "tmp").iterdir())
    return process.returncode, output


def ran(output: str) -> list[str]:
    return [line.removeprefix("ran ") for line in output.splitlines() if line.startswith("ran ")]


def test_it_runs_the_linters_and_checks_before_the_tests(project: Path) -> None:
    code, output = told(project)
    assert code == 0
    assert ran(output) == [
        "ruff check --output-format concise .",
        "ruff format --check .",
        "mypy .",
        "lint-imports --no-logo",
        "djlint templates --lint --quiet",
        "python manage.py makemigrations --check --dry-run",
        "python manage.py check --deploy --fail-level WARNING",
        "python -m pytest -n 2 --dist loadfile -m not browser",
    ]
    assert output.endswith("s: everything passed\n")


def test_it_gives_arguments_to_pytest_and_leaves_the_linters_out(project: Path) -> None:
    _code, output = told(project, "tests/review", "-k", "a or b")
    assert ran(output) == [
        "python -m pytest -n 2 --dist loadfile -m not browser tests/review -k a or b"
    ]


def test_it_says_how_to_get_a_browser(project: Path) -> None:
    _code, output = told(project, "tests")
    assert "run 'sudo apt-get install chromium'" in output


def test_it_runs_the_tests_of_pages_where_there_is_a_browser(project: Path) -> None:
    (project / "bin" / "google-chrome").symlink_to(project / "bin" / "touch")
    assert ran(told(project, "tests")[1]) == ["python -m pytest -n 2 --dist loadfile tests"]


def test_it_shows_what_every_linter_says_before_it_fails(project: Path) -> None:
    code, output = told(project, failing="ruff")
    assert code == 1
    assert ran(output)[-1].startswith("python manage.py check --deploy")
    assert output.endswith("failed: ruff check, ruff format\n")


def test_it_fails_with_the_tests(project: Path) -> None:
    code, output = told(project, failing="pytest")
    assert (code, output.splitlines()[-1].partition(": ")[2]) == (1, "failed: tests")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_what_runs_when_it_is_interrupted(project: Path, number: signal.Signals) -> None:
    process = start(project, "slow")
    deadline = time.monotonic() + 30
    while not (project / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, number)
    process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert "hindsight-test-x" in (project / "told").read_text()
    assert not list((project / "tmp").iterdir())
