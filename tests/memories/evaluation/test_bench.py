"""`manage.py bench`: every figure is there, through every door, and nothing is left of it."""

import json
import os
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from hindsight_site.local import product
from memories.embedding import indexing
from memories.evaluation import scale, serving
from memories.evaluation.driving import Load
from memories.evaluation.machine import this_machine
from memories.evaluation.report import report
from memories.evaluation.scale import Alone, Found, Plan, Recalling, Stored, Written
from memories.evaluation.standin import embedding_by_standin, standing_in
from memories.evaluation.temporary import temporary_space
from memories.evaluation.timing import Spread
from memories.models import AgentKey, Memory, Recall, Space
from tests.services import PROJECT

SMALL = ("--memories", "200", "--owners", "4", "--calls", "9")


def run(*arguments: str) -> Any:
    out = StringIO()
    call_command("bench", *arguments, "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


def spreads(told: Any) -> list[dict[str, float]]:
    """Return every {p50, p95, p99} in a JSON value."""
    if isinstance(told, dict):
        inner = [found for value in told.values() for found in spreads(value)]
        return inner + ([told] if "p50" in told else [])
    return [found for value in told for found in spreads(value)] if isinstance(told, list) else []


@pytest.mark.django_db(transaction=True)
def test_it_measures_every_door_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(scale, "WARM_UP", 2)
    with standing_in() as url:
        settings.EMBEDDER_URL = url
        told = run(*SMALL, "--model")
    assert told["plan"] == {"memories": 200, "owners": 4, "owner_size": 0, "calls": 9}
    assert told["machine"]["postgresql"].startswith("18")
    loads = [(one["door"], one["load"]["at_once"]) for one in told["recalls"]]
    doors = ("service", "REST", "MCP")
    assert loads == [(door, at_once) for door in doors for at_once in (1, 8, 32)]
    assert {one["load"]["calls"] for one in told["recalls"]} == {9}
    assert list(told["parts"]) == [
        *("embed", "arms", "semantic alone", "keyword alone"),
        *("names", "rules", "rerank", "hits", "log", "rest"),
    ]
    writes = [(one["door"], one["batch"]) for one in told["writes"]]
    assert writes == [(door, batch) for batch in (1, 100) for door in doors]
    assert told["statements"] > 1
    _positive(told)
    assert len(spreads(told)) == len(loads) + len(told["parts"]) + len(writes) + 1
    for found in spreads(told):
        assert 0 <= found["p50"] <= found["p95"] <= found["p99"]
    _nothing_is_left()


def _positive(told: Any) -> None:
    """What a run with the model's time has to have found."""
    alone, stored = told["embedder"], told["stored"]
    figures = [alone["singly"], alone["in_batches"], told["over_model"], told["processor_ms"]]
    figures += [stored["seconds"], stored["bytes_per_memory"], stored["tables"]["memories_memory"]]
    figures += [one["load"]["rate"] for one in told["recalls"]]
    figures += [one[name] for one in told["writes"] for name in ("rate", "share")]
    assert min(figures) > 0


def _nothing_is_left() -> None:
    for model in (Space, Memory, Recall, AgentKey):
        assert not model.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_it_removes_its_space_after_ctrl_c(tmp_path: Path) -> None:
    environment = {
        "DATABASE_URL": serving.database_url(),
        "PYTHONUNBUFFERED": "1",
        "PYTHONFAULTHANDLER": "1",
    }
    with (tmp_path / "told").open("w+") as told:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "bench", "--memories", "100", "--owners", "2"],
            cwd=PROJECT,
            env=os.environ | environment,
            stdout=told,
            stderr=told,
            start_new_session=True,
        )
        _until(process, tmp_path / "told", "recall: service")
        assert Memory.objects.count() == 100
        os.killpg(process.pid, signal.SIGINT)
        assert _ended(process, tmp_path / "told") != 0
    said = (tmp_path / "told").read_text()
    assert "removing the space" in said
    assert "writing" not in said
    _nothing_is_left()


def _ended(process: "subprocess.Popen[bytes]", path: Path) -> int:
    """Return how it ended; one that does not end says where it is."""
    try:
        return process.wait(120)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)
        process.wait(10)
        raise AssertionError(path.read_text()) from None


def _until(process: "subprocess.Popen[bytes]", path: Path, line: str) -> None:
    deadline = time.monotonic() + 120
    while line not in path.read_text():
        assert process.poll() is None, path.read_text()
        assert time.monotonic() < deadline, path.read_text()
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--owners", "0"], "At least one owner"),
        (["--memories", "3", "--owners", "4"], "one memory for each"),
        (["--memories", "10", "--owner-size", "11", "--owners", "1"], "leaves -1 memories"),
        (["--memories", "10", "--owner-size", "8", "--owners", "4"], "for 3 other owners"),
        (["--memories", "10", "--owner-size", "8", "--owners", "1"], "leaves 2 memories for 0"),
        (["--owner-size", "-1"], "leaves"),
        (["--calls", "0"], "At least one call"),
    ],
)
def test_it_says_what_is_wrong(arguments: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        run(*arguments)


@pytest.mark.django_db(transaction=True)
def test_it_says_when_the_embedder_is_away(settings: Settings) -> None:
    settings.EMBEDDER_URL = f"http://127.0.0.1:{serving.free_port()}/v1"
    with pytest.raises(CommandError, match="does not answer"):
        run("--memories", "10", "--owners", "1", "--calls", "2", "--model")
    _nothing_is_left()


@pytest.mark.django_db(transaction=True)
def test_it_leaves_no_index_of_a_large_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "MANY", 20)
    told: list[str] = []
    with embedding_by_standin(), temporary_space(keep=False, told=told.append) as space:
        stored = scale.filled(space, Plan(50, 2, 40, 1), told.append)
        assert all(indexing.existing(space.pk).values())
        assert indexing.existing(space.pk)
    assert stored.bytes > 0
    assert not indexing.existing()
    _nothing_is_left()


@pytest.mark.django_db(transaction=True)
def test_it_waits_for_whoever_makes_another_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "MANY", 20)
    others, drop = [True, True], indexing.drop
    monkeypatch.setattr(indexing, "drop", lambda name: not (others and others.pop()) and drop(name))
    told: list[str] = []
    with embedding_by_standin(), temporary_space(keep=False, told=told.append) as space:
        scale.filled(space, Plan(50, 2, 40, 1), told.append)
    assert not indexing.existing()


@pytest.mark.django_db
def test_it_shows_tables_that_a_document_takes_as_they_are() -> None:
    spread = Spread(1.04, 2.0, 3.0)
    found = Found(
        stored=Stored(2.0, 0.0, 2 * 1024**2, 1024.0, {"memories_memory": 1024**2}),
        embedder=Alone(30.0, 60.0, spread),
        recalls=[Recalling("REST", Load(many, 10, 1, 2.0, 5.0, spread)) for many in (1, 8)],
        parts={"arms": spread},
        statements=3.0,
        processor_ms=4.0,
        over_model=1.25,
        writes=[
            *(Written("service", batch, 10.0 + batch, None, spread) for batch in (1, 100)),
            Written("MCP", 100, 15.0, 0.5, spread),
        ],
    )
    lines = list(report(Plan(2_000, 3, 1_500, 10), this_machine(), "e5", found))
    assert lines[0] == "2,000 memories of 3 users, one of whom has 1,500; 10 calls a figure"
    assert "| REST           | 8       | 1.0    | 2.0    | 3.0    | 5        | 1      |" in lines
    assert "One at a time it takes 1.25 times what the model alone takes." in lines
    assert any(line.startswith("| MCP ") and "| 50% " in line for line in lines)
    assert any(line.startswith("Database: 2.0 MB, 1.0 kB a memory") for line in lines)
    [heads, _rule, row] = [[cell.strip() for cell in line.split("|")] for line in lines[-4:-1]]
    assert dict(zip(heads, row, strict=True)) == {
        "": "",
        "Memories": "2,000",
        "Of the user asked": "1,500",
        "REST, p50 / p95 / p99 ms": "1.0 / 2.0 / 3.0",
        "Arms, p50 ms": "1.0",
        "Writes a second, singly / in batches": "11 / 110",
        "Database": "2 MB",
    }


def test_it_serves_the_web_as_the_product_does() -> None:
    ports = product.Ports(web=1234, mcp=1, embedder=None)
    [web] = [one for one in product.programs(Path(), ports) if one.name == "web"]
    assert serving.web_command(1234) == web.argv


def test_it_says_why_a_server_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "no_such_settings")
    with pytest.raises(serving.NotServing, match="no_such_settings"), serving.bridge():
        pass
    connection.close()
