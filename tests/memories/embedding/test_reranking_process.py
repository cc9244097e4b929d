"""The real embedder process with a real (tiny, untrained) cross-encoder, asked by the client."""

import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from memories.embedding.cross_encoder import source_of
from memories.embedding.reranker import RerankerClient, RerankerDown
from memories.embedding.weights import Source, WeightsError
from tests.memories.embedding import judges
from tests.memories.embedding.test_two_models import wait_for
from tests.services import PROJECT, free_port

QUERY = "when is the database backed up?"
DOCUMENTS = ["every night at two.", "maria likes tea", "the database", "a: 7", "up " * 400]


SETTINGS = {"DJANGO_SETTINGS_MODULE": "hindsight_site.settings"}


@dataclass(frozen=True)
class Models:
    """Where the tiny models are, and the judge's logits for the documents."""

    home: Path
    logits: list[float]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    home = tmp_path_factory.mktemp("models")
    return Models(home, judges.make(home, QUERY, DOCUMENTS))


@pytest.fixture
def embedder(models: Models, tmp_path: Path) -> Iterator[str]:
    """The embedder with the judge; its base URL."""
    port = free_port()
    own = {
        "EMBEDDER_PORT": str(port),
        "EMBEDDING_MODEL": str(models.home / "embedding"),
        "EMBEDDING_MODELS": "",
        "RERANK_MODEL": str(models.home / "judge"),
        "HINDSIGHT_HOME": str(tmp_path),
        "EMBEDDER_THREADS": "1",
    }
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "run_embedder"],
            cwd=PROJECT,
            env=os.environ | SETTINGS | own,
            stdout=log,
            stderr=log,
        )
    try:
        wait_for(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(20)


def scores_once_loaded(url: str, model: str) -> list[float]:
    """What the client gets for the documents once the cross-encoder is loaded."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        client = RerankerClient(url, api_key="", model=model, seconds=30.0)
        with closing(client), suppress(RerankerDown):
            return client.rerank(QUERY, DOCUMENTS)
        time.sleep(0.1)
    raise AssertionError("the cross-encoder did not become ready")


def test_it_gives_the_sigmoid_of_the_models_logits(embedder: str, models: Models) -> None:
    assert max(models.logits) - min(models.logits) > 0.5  # else any scores would do
    scores = scores_once_loaded(embedder, str(models.home / "judge"))
    assert scores == pytest.approx([1 / (1 + math.exp(-x)) for x in models.logits], abs=1e-3)


LOADING = """
import sys
import django
django.setup()
from memories.embedding.cross_encoder import load_scorer
from memories.embedding.weights import WeightsError
for model in sys.argv[1:]:
    try:
        load_scorer(model, 1, lambda phase: None)
    except WeightsError as error:
        print(error)
"""


def test_it_refuses_a_model_that_would_judge_at_random(models: Models) -> None:
    given = [str(models.home / "embedding"), str(models.home / "classes")]
    done = subprocess.run(
        [sys.executable, "-c", LOADING, *given],
        cwd=PROJECT,
        env=os.environ | SETTINGS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    refusals = done.stdout.splitlines()
    assert [line.partition(" is no cross-encoder with one score.")[0] for line in refusals] == given
    assert all("Set RERANK_MODEL to one" in line for line in refusals)


def test_it_says_that_a_folder_is_missing() -> None:
    with pytest.raises(WeightsError, match="RERANK_MODEL names the folder /no/such/judge, which"):
        source_of("/no/such/judge")


def test_it_takes_a_name_of_the_hub_with_or_without_a_revision(tmp_path: Path) -> None:
    assert source_of("team/judge") == Source("team/judge")
    assert source_of("team/judge@v2") == Source("team/judge", revision="v2")
    assert source_of(str(tmp_path)) == Source(str(tmp_path), local=True)
