"""Does a service of a deployment answer? Exit code 0 when it does, else 1 and the reason.

    python docker/probe.py database | redis | embedder | self

Stands alone, without Django, so that asking costs little. `self` asks the role that the entrypoint
started in this container.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import Request, urlopen

SECONDS = 5
HERE = Path(tempfile.gettempdir())  # where entrypoint.sh leaves the role and beat its schedule
BEAT_SECONDS = 600  # Celery's beat writes its schedule every three minutes


def database() -> None:
    import psycopg

    with psycopg.connect(os.environ["DATABASE_URL"], connect_timeout=SECONDS) as connection:
        connection.execute("SELECT 1")


def redis() -> None:
    from redis import Redis

    Redis.from_url(os.environ["REDIS_URL"], socket_timeout=SECONDS).ping()


def embedder() -> None:
    base = os.environ.get("EMBEDDER_URL", "http://127.0.0.1:8001/v1")
    key = os.environ.get("EMBEDDER_API_KEY", "")
    answers(f"{base.rstrip('/')}/models", {"Authorization": f"Bearer {key}"} if key else {})


def answers(url: str, headers: dict[str, str]) -> None:
    """Raise OSError unless `url` answers with a code below 400."""
    with urlopen(Request(url, headers=headers), timeout=SECONDS):  # noqa: S310 - ours
        return


def web() -> None:
    # As the proxy in front of it would ask, or the answer is a redirect or a refusal.
    host = os.environ.get("ALLOWED_HOSTS", "localhost").split(",")[0].strip().lstrip(".*")
    headers = {"Host": host or "localhost", "X-Forwarded-Proto": "https"}
    answers("http://127.0.0.1:8000/health/", headers)


def worker() -> None:
    name = f"celery@{socket.gethostname()}"
    command = ["celery", "-A", "hindsight_site", "inspect", "ping", "-d", name]
    subprocess.run(command, check=True, capture_output=True)


def beat() -> None:
    written = max((path.stat().st_mtime for path in HERE.glob("hindsight-beat*")), default=0.0)
    if time.time() - written > BEAT_SECONDS:
        raise TimeoutError(f"the schedule was not written in the last {BEAT_SECONDS} seconds")


def this_role() -> None:
    role = (HERE / "hindsight-role").read_text().strip()
    if check := OF_A_ROLE.get(role):
        check()


OF_A_ROLE: dict[str, Callable[[], None]] = {
    "web": web,
    "worker": worker,
    "beat": beat,
    "mcp": lambda: answers("http://127.0.0.1:8765/health", {}),
    "embedder": lambda: answers("http://127.0.0.1:8001/health", {}),
}
CHECKS = {"database": database, "redis": redis, "embedder": embedder, "self": this_role}


def main() -> None:
    try:
        CHECKS[sys.argv[1]]()
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {' '.join(str(error).split())}")


if __name__ == "__main__":
    main()
