"""manage.py's first step: servers only for commands that need them, and never a word on stdout."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hindsight_site.local import bootstrap
from hindsight_site.local.system import PROJECT, home_directory

NAMES = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY")


@pytest.fixture
def prepared(shared_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HINDSIGHT_HOME", str(shared_home))
    for name in NAMES:  # so that whatever prepare() sets is undone
        monkeypatch.setenv(name, "")


def test_it_names_running_servers_in_the_environment(prepared: None, shared_home: Path) -> None:
    bootstrap.prepare(["manage.py", "shell"])
    assert os.environ["DATABASE_URL"] == bootstrap.postgres(shared_home).url()
    assert os.environ["REDIS_URL"] == bootstrap.valkey(shared_home).url()


def test_it_says_nothing_on_stdout(prepared: None, capfd: pytest.CaptureFixture[str]) -> None:
    bootstrap.postgres(home_directory()).stop()
    bootstrap.prepare(["manage.py", "run_mcp"])  # H1: the bridge's stdout is its protocol
    assert capfd.readouterr().out == ""


def test_it_leaves_a_server_that_others_look_after_alone(
    prepared: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://somewhere/else")
    bootstrap.prepare(["manage.py", "shell"])
    assert os.environ["DATABASE_URL"] == "postgresql://somewhere/else"
    assert os.environ["REDIS_URL"].startswith("redis://")
    assert os.environ["SECRET_KEY"] == ""  # so that `check --deploy` notices


@pytest.mark.parametrize("arguments", [[], ["help"], ["up"], ["--version"], ["shell", "--help"]])
def test_it_starts_nothing_for_a_command_that_needs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.setenv("HINDSIGHT_HOME", str(tmp_path / "none"))
    bootstrap.prepare(["manage.py", *arguments])
    assert not (tmp_path / "none").exists()


def test_it_keeps_the_key_that_signs_sessions(home: Path) -> None:
    key = bootstrap.local_secret_key(home)
    assert len(key) >= 50
    assert bootstrap.local_secret_key(home) == key
    assert stat.S_IMODE((home / "secret_key").stat().st_mode) == 0o600


def test_it_loads_no_django(tmp_path: Path) -> None:
    code = "import sys, hindsight_site.local.bootstrap; print('django' in sys.modules)"
    told = subprocess.check_output([sys.executable, "-c", code], cwd=PROJECT)
    assert told == b"False\n"


def test_it_ends_a_command_with_one_sentence_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told = subprocess.run(
        [sys.executable, PROJECT / "manage.py", "shell"],
        env=os.environ | {"HINDSIGHT_HOME": str(tmp_path / "file")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.startswith("A file is in the way of the directory")
    assert told.stderr.count("\n") == 1
