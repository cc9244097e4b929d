"""What happens before Django is loaded: the local servers run and the environment names them."""

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .postgres import Postgres
from .system import home_directory, make_home, read_text, write_private
from .valkey import Valkey

# These read neither the database nor Redis; `up` and `infra` look after the servers themselves.
WITHOUT_SERVICES = frozenset(
    {
        *("check", "collectstatic", "compilemessages", "help", "infra", "makemessages"),
        *("run_embedder", "spectacular", "up", "version", "--version", "--help", "-h"),
    }
)


@dataclass(frozen=True, kw_only=True)
class Services:
    """Where the product finds its database and its Redis, as URLs that include the password."""

    database_url: str
    redis_url: str


def postgres(home: Path) -> Postgres:
    """Return the supervisor of the PostgreSQL of this home."""
    return Postgres(directory=home / "postgres", log=home / "logs" / "postgres.log")


def valkey(home: Path) -> Valkey:
    """Return the supervisor of the Valkey of this home."""
    return Valkey(directory=home / "valkey", log=home / "logs" / "valkey.log")


def ensure_services(home: Path) -> Services:
    """Return the services, after starting or attaching to the local ones.

    DATABASE_URL and REDIS_URL, where set, stand for servers that other people look after.
    Raises LocalError with a sentence for the person at the terminal.
    """
    database_url, redis_url = os.environ.get("DATABASE_URL"), os.environ.get("REDIS_URL")
    if not (database_url and redis_url):
        make_home(home)
    return Services(
        database_url=database_url or postgres(home).start(),
        redis_url=redis_url or valkey(home).start(),
    )


def local_secret_key(home: Path) -> str:
    """Return the key that signs the sessions of this installation, made on first use."""
    path = home / "secret_key"
    key = read_text(path)
    if key is None:
        key = secrets.token_urlsafe(50)
        write_private(path, key)
    return key


def prepare(argv: Sequence[str]) -> None:
    """Put DATABASE_URL, REDIS_URL and SECRET_KEY into the environment if this command needs them.

    A deployment names its own database, so it has to name its own key too: none is made for it.
    Raises LocalError.
    """
    command = argv[1] if len(argv) > 1 else "help"
    external = os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")
    if command in WITHOUT_SERVICES or {"--help", "-h"} & set(argv) or external:
        return
    home = home_directory()
    services = ensure_services(home)
    if not os.environ.get("DATABASE_URL"):
        os.environ.setdefault("SECRET_KEY", local_secret_key(home))
    os.environ |= {"DATABASE_URL": services.database_url, "REDIS_URL": services.redis_url}
