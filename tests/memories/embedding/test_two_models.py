"""The real embedder process with two real (tiny, untrained) models, and a space that changes."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pytest_django.fixtures import Settings

from memories import jobs
from memories.jobs import reembedding
from memories.models import JobRun, Memory
from memories.permissions import Actor
from memories.recall import recall
from tests.memories.embedding import tiny
from tests.memories.recall.helpers import remember
from tests.services import PROJECT, free_port


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    old, new = tmp_path / "old", tmp_path / "new"
    tiny.make(d32=old, d48=new)
    return str(old), str(new)


@pytest.fixture
def server(folders: tuple[str, str], tmp_path: Path) -> Iterator[str]:
    port = free_port()
    own = {
        "EMBEDDER_PORT": str(port),
        "EMBEDDING_MODEL": folders[0],
        "EMBEDDING_MODELS": folders[1],
        "HINDSIGHT_HOME": str(tmp_path),
        "EMBEDDER_THREADS": "1",
        "DJANGO_SETTINGS_MODULE": "hindsight_site.settings",
    }
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "run_embedder"],
            cwd=PROJECT,
            env=os.environ | own,
            stdout=log,
            stderr=log,
        )
    try:
        wait_for(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(20)


def wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        assert process.poll() is None, "the embedder ended"
        try:
            if httpx.get(f"{url}/health").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError("the embedder did not become ready")


@pytest.mark.django_db
def test_a_space_changes_from_one_real_model_to_another(
    server: str, folders: tuple[str, str], settings: Settings, admin: Actor, actor: Actor
) -> None:  # E9
    old, new = folders
    settings.EMBEDDER_URL = server
    settings.EMBEDDING_MODEL, settings.EMBEDDING_MODELS = old, [old, new]
    remember(actor, "the cache is valkey")
    run = reembedding.begin_change(actor=admin, model=new)
    deadline = time.monotonic() + 60
    while run.state != "done":  # the other model loads when it is first asked for
        assert time.monotonic() < deadline, run.note
        JobRun.objects.filter(pk=run.pk).update(not_before=None)
        jobs.carry_on(run.pk)
        run.refresh_from_db()
    reembedding.switch(actor=admin, model=new)
    memory = Memory.objects.get()
    assert memory.embedding is not None
    assert memory.other_embedding is not None
    assert (len(memory.embedding), len(memory.other_embedding)) == (32, 48)
    assert memory.embedding_model.startswith("old@")
    assert memory.other_model.startswith("new@")
    (hit,) = recall(actor=actor, query="the cache is valkey").hits
    assert hit.arms["semantic"] > 0.9
