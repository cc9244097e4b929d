"""I1: the embedded Valkey starts, is found again, survives a crash and explains refusals."""

import stat
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from hindsight_site.local import bootstrap
from hindsight_site.local import valkey as room
from hindsight_site.local.system import LocalError
from hindsight_site.local.valkey import Valkey

from .helpers import kill, listening, wait_until


def test_it_starts_a_server_that_keeps_what_it_is_given(valkey: Valkey) -> None:
    with redis.Redis.from_url(valkey.start()) as client:
        client.set("key", "value")
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    valkey.stop()
    with redis.Redis.from_url(valkey.start()) as client:
        assert client.get("key") == b"value"


def test_it_attaches_to_the_running_server(valkey: Valkey) -> None:
    first, pid = valkey.start(), valkey.pid()
    again = Valkey(directory=valkey.directory, log=valkey.log)
    assert (again.start(), again.pid()) == (first, pid)


def test_it_refuses_a_client_without_the_password(valkey: Valkey) -> None:
    valkey.start()
    port = int((valkey.directory / "port").read_text())
    with (
        redis.Redis(port=port, retry=Retry(NoBackoff(), 0)) as client,
        pytest.raises(redis.AuthenticationError),
    ):
        client.ping()


def test_it_keeps_the_password_from_other_users(valkey: Valkey) -> None:
    valkey.start()
    for name in ("password", "valkey.conf"):
        assert stat.S_IMODE((valkey.directory / name).stat().st_mode) == 0o600


def test_it_comes_back_at_the_same_place_after_a_crash(valkey: Valkey) -> None:
    url = valkey.start()
    with redis.Redis.from_url(url) as client:
        client.set("before", "the crash")
        wait_until(lambda: client.info("persistence")["aof_pending_bio_fsync"] == 0)
    kill(valkey.pid())
    assert valkey.url() is None
    assert valkey.start() == url
    with redis.Redis.from_url(url) as client:
        assert client.get("before") == b"the crash"


def test_it_moves_to_another_port_when_its_own_is_taken(valkey: Valkey) -> None:
    first = valkey.start()
    valkey.stop()
    with listening(int((valkey.directory / "port").read_text())):
        moved = valkey.start()
    assert moved != first


def test_it_stops_and_stopping_twice_is_no_error(valkey: Valkey) -> None:
    valkey.start()
    valkey.stop()
    assert valkey.pid() is None
    valkey.stop()


def test_it_uses_an_installed_server_when_the_package_is_missing(
    valkey: Valkey, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = home / "bin"
    programs.mkdir()
    (programs / "redis-server").symlink_to(room._program())
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(programs))
    other = bootstrap.valkey(home)
    with redis.Redis.from_url(other.start()) as client:
        assert client.ping()


def test_it_says_what_to_do_when_there_is_no_server(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(home))
    with pytest.raises(LocalError, match="or set REDIS_URL"):
        bootstrap.valkey(home).start()


def test_it_names_its_log_when_its_data_is_damaged(home: Path) -> None:
    valkey = bootstrap.valkey(home)
    valkey.start()
    valkey.stop()
    next((valkey.directory / "appendonlydir").glob("*.manifest")).write_text("nonsense\n")
    with pytest.raises(LocalError, match=r"valkey\.log"):
        valkey.start()
