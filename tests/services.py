"""Real servers for the tests: PostgreSQL, Valkey and the embedder, started once for all workers."""

import atexit
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
# What a developer may have set and no test may reach.
OUTSIDE = (
    "DATABASE_URL",
    "REDIS_URL",
    "EMBEDDER_URL",
    "EMBEDDING_MODEL",
    "EMBEDDING_MODELS",
    "LLM_BASE_URL",
    "LLM_MODEL",
    "RERANK_MODEL",
    "RERANK_URL",
    "RERANK_API_KEY",
    "RERANK_SECONDS",
)
_started: list[subprocess.Popen[bytes]] = []


def start() -> None:
    """Start what this run needs in a folder of its own; workers inherit the environment."""
    if "HINDSIGHT_TEST_HOME" in os.environ:
        return
    from hindsight_site.local import bootstrap

    home = Path(tempfile.mkdtemp(prefix="hindsight-test-"))
    for name in OUTSIDE:
        os.environ.pop(name, None)
    _share_weights(home)
    os.environ |= {"HINDSIGHT_HOME": str(home), "HINDSIGHT_TEST_HOME": str(home)}
    # At exit, not in a hook of pytest: nothing is left running when a conftest does not even load.
    atexit.register(stop)
    # One that already runs may be lent, which saves loading the model in every run.
    if lent := os.environ.get("TEST_EMBEDDER_URL"):
        os.environ["EMBEDDER_URL"] = lent
    else:
        _start_embedder(home)
    services = bootstrap.ensure_services(home)
    os.environ |= {"DATABASE_URL": services.database_url, "REDIS_URL": services.redis_url}


def stop() -> None:
    """End what start() started."""
    from hindsight_site.local import bootstrap

    home = Path(os.environ["HINDSIGHT_TEST_HOME"])
    for process in _started:
        process.terminate()
        process.wait(20)
    bootstrap.postgres(home).stop()
    bootstrap.valkey(home).stop()
    shutil.rmtree(home, ignore_errors=True)


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _share_weights(home: Path) -> None:
    """Unpacked weights are the same for everyone: keep them between runs, beside the product's."""
    kept = PROJECT / "var" / "models"
    kept.mkdir(parents=True, exist_ok=True)
    (home / "models").symlink_to(kept)


def _start_embedder(home: Path) -> None:
    """Start loading the model while PostgreSQL starts; tests that need it wait for its health."""
    port = free_port()
    own = {"EMBEDDER_PORT": str(port), "DJANGO_SETTINGS_MODULE": "hindsight_site.settings"}
    with (home / "embedder.log").open("wb") as log:
        _started.append(
            subprocess.Popen(
                [sys.executable, "manage.py", "run_embedder"],
                cwd=PROJECT,
                env=os.environ | own,
                stdout=log,
                stderr=log,
            )
        )
    os.environ["EMBEDDER_URL"] = f"http://127.0.0.1:{port}/v1"
