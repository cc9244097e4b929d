"""Real servers in homes that only their owner can walk into (pytest makes its directory 0700)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hindsight_site.local import bootstrap
from hindsight_site.local.postgres import Postgres
from hindsight_site.local.system import make_home
from hindsight_site.local.valkey import Valkey


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the machine's own set-up reaches these tests."""
    for name in (
        *("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "EMBEDDER_URL"),
        *("HINDSIGHT_HOME", "HINDSIGHT_PG_BIN", "WEB_PORT", "MCP_PORT", "EMBEDDER_PORT"),
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home of its own; whatever was started in it is stopped."""
    path = tmp_path / "a home"
    make_home(path)
    yield path
    bootstrap.valkey(path).stop()
    bootstrap.postgres(path).stop()


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One home for the tests of a module: preparing PostgreSQL takes seconds."""
    path = tmp_path_factory.mktemp("shared") / "a home"
    make_home(path)
    yield path
    bootstrap.valkey(path).stop()
    bootstrap.postgres(path).stop()


@pytest.fixture
def postgres(shared_home: Path) -> Postgres:
    """The supervisor of the shared home's PostgreSQL, which may or may not run."""
    return bootstrap.postgres(shared_home)


@pytest.fixture
def valkey(shared_home: Path) -> Valkey:
    """The supervisor of the shared home's Valkey, which may or may not run."""
    return bootstrap.valkey(shared_home)
