"""I1: script/server prepares the machine, and says what is missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hindsight_site.local.system import PROJECT

SHELL_TOOLS = ("awk", "bash", "cmp", "cp", "dirname", "id", "mkdir", "rm", "tail", "tee", "touch")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the script, nothing to install, and a manage.py that tells its arguments."""
    shutil.copytree(PROJECT / "script", tmp_path / "script")
    (tmp_path / "requirements.txt").write_text("# nothing\n")
    (tmp_path / "manage.py").write_text("import sys; print(*sys.argv[1:])\n")
    (tmp_path / "bin").mkdir()
    for tool in SHELL_TOOLS:
        (tmp_path / "bin" / tool).symlink_to(str(shutil.which(tool)))
    return tmp_path


def server(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script from another directory, with only the programs in the project's bin."""
    return subprocess.run(
        [project / "script" / "server", *arguments],
        cwd="/",
        env={"PATH": str(project / "bin"), "HOME": str(project)},
        capture_output=True,
        text=True,
        check=False,
    )


def python(project: Path, text: str, name: str = "python3") -> None:
    """Put a Python on the path that answers as the shell lines say."""
    path = project / "bin" / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_it_prepares_once_and_is_quiet_afterwards(project: Path) -> None:
    python(project, f'exec "{os.path.realpath(sys.executable)}" "$@"')
    first = server(project, "--no-demo")
    assert (first.returncode, first.stdout) == (0, "up --no-demo\n")
    assert "Making a virtual environment" in first.stderr
    again = server(project)
    assert (again.stdout, again.stderr) == ("up\n", "")
    (project / "requirements.txt").write_text("# changed\n")
    changed = server(project)
    assert "Installing the requirements" in changed.stderr
    assert "Making a virtual environment" not in changed.stderr


def test_it_goes_on_after_an_interrupted_installation(project: Path) -> None:
    python(project, f'exec "{os.path.realpath(sys.executable)}" "$@"')
    (project / "requirements.txt").write_text("no such requirement!\n")
    failed = server(project)
    assert failed.returncode == 1
    assert "run this again" in failed.stderr
    (project / "requirements.txt").write_text("# nothing\n")
    assert server(project).stdout == "up\n"


def test_it_says_which_python_it_needs(project: Path) -> None:
    python(project, "exit 1")
    told = server(project)
    assert told.returncode == 1
    assert told.stderr == (
        "Hindsight needs Python 3.11, 3.12 or 3.13: install one, or set PYTHON to its path.\n"
    )


def test_it_names_the_package_that_debian_leaves_out(project: Path) -> None:
    python(project, 'case "$2" in *ensurepip*) exit 1;; *print*) echo python3.11-venv;; esac')
    told = server(project)
    assert told.returncode == 1
    assert "'apt install python3.11-venv'" in told.stderr


def test_it_says_when_the_project_cannot_be_written_to(project: Path) -> None:
    (project / ".venv").write_text("a file in the way, since root may write everywhere")
    told = server(project)
    assert told.returncode == 1
    assert f"{project} is not writable" in told.stderr
