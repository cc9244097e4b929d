"""I2: the probe tells whether a service answers, and why it does not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.services import free_port

PROBE = Path(__file__).resolve().parents[2] / "docker" / "probe.py"


def probe(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, PROBE, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("service", ["database", "redis"])
def test_it_finds_the_servers_of_these_tests(service: str) -> None:
    found = probe(service)
    assert (found.returncode, found.stderr) == (0, "")


def test_it_finds_the_embedder(embedder: str) -> None:
    assert probe("embedder", EMBEDDER_URL=embedder).returncode == 0


@pytest.mark.parametrize("service", ["database", "redis", "embedder"])
def test_it_says_in_a_line_why_a_server_does_not_answer(service: str) -> None:
    nowhere = f"127.0.0.1:{free_port()}"
    urls = {"DATABASE_URL": f"postgresql://{nowhere}/x", "REDIS_URL": f"redis://{nowhere}"}
    asked = probe(service, EMBEDDER_URL=f"http://{nowhere}/v1", **urls)
    assert asked.returncode == 1
    assert "refused" in asked.stderr
    assert asked.stderr.count("\n") == 1


def test_it_finds_that_beat_stopped_writing_its_schedule(tmp_path: Path) -> None:
    (tmp_path / "hindsight-role").write_text("beat\n")
    schedule = tmp_path / "hindsight-beat"
    schedule.touch()
    assert probe("self", TMPDIR=str(tmp_path)).returncode == 0
    os.utime(schedule, (0, 0))
    asked = probe("self", TMPDIR=str(tmp_path))
    assert asked.returncode == 1
    assert "not written in the last 600 seconds" in asked.stderr
