"""The made-up corpus: vectors that lie as e5's do, a history as if used, and nothing left of it."""

import json
from io import StringIO
from itertools import combinations
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from memories.evaluation.corpus import owned
from memories.evaluation.filling import fill, remove, rows_of
from memories.evaluation.vectors import vector
from memories.models import Event, Hit, Memory, MemoryVersion, Space

TOLD = "Tests of billing-1 need fixture 7."
MODEL = "intfloat/multilingual-e5-small"


def cosine(one: str, other: str) -> float:
    return sum(a * b for a, b in zip(vector(one), vector(other), strict=True))


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        (
            TOLD,
            "Deploy search-2 with Docker on port 9.",
            0.74,
            0.85,
        ),
        (TOLD, "部署 账本-2 时使用 Docker，端口是 9。", 0.71, 0.83),
        (TOLD, "Deploy billing-1 with Docker on 9.", 0.82, 0.90),
        (
            TOLD,
            "The tests of billing-1 found bug 9 late.",
            0.87,
            0.93,
        ),
        (TOLD, "Once more: Tests of billing-1 need 7.", 0.93, 0.98),
    ],
)
def test_it_has_cosines_as_the_model_has(one: str, other: str, least: float, most: float) -> None:
    assert least < cosine(one, other) < most


def test_it_makes_the_same_memories_each_time() -> None:
    now = timezone.now()
    made = owned(1, 200, now)
    assert made == owned(1, 200, now)
    assert len({one.content for one in made}) == 200
    assert [one.written for one in made] == sorted(one.written for one in made)


@pytest.fixture
def filled(db: None) -> Space:
    space = Space.objects.create(slug="filled", name="Filled")
    fill(space, 121, 3, MODEL, lambda _line: None)
    return space


def test_it_keeps_to_what_the_product_writes(filled: Space) -> None:
    rows = Memory.objects.filter(space=filled)
    assert rows.count() == 121
    assert rows.values("user_id").distinct().count() == 3
    for memory in rows:
        versions = MemoryVersion.objects.filter(memory=memory).order_by("number")
        assert [one.number for one in versions] == list(range(1, memory.version + 1))
        assert versions[0].status == "active" or memory.version == 1
        assert versions[memory.version - 1].status == memory.status
        assert Event.objects.filter(memory_id=memory.pk).count() == memory.version
        hits = Hit.objects.filter(memory=memory)
        assert hits.count() == memory.recall_count
        assert memory.recall_count == 0 or memory.heat > 0
    for one, other in combinations(Hit.objects.order_by("recall", "rank")[:20], 2):
        assert (one.recall_id, one.memory_id) != (other.recall_id, other.memory_id)


def test_it_removes_a_space_with_all_in_it(filled: Space) -> None:
    spared = Space.objects.create(slug="spared", name="Spared")
    fill(spared, 10, 1, MODEL, lambda _line: None)
    remove(filled)
    assert not any(rows.exists() for rows in rows_of(filled))
    assert Memory.objects.filter(space=spared).count() == 10


def run(*arguments: str) -> Any:
    out = StringIO()
    call_command("bench_jobs", *arguments, "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


@pytest.mark.django_db(transaction=True)
def test_bench_jobs_measures_and_leaves_nothing() -> None:
    told = run("--memories", "120", "--owners", "2", "--jobs", "purge,link")
    assert [line["job"] for line in told["jobs"]] == ["purge", "link"]
    for line in told["jobs"]:
        assert (line["note"], line["failed"]) == ("", 0)
        assert line["rows"] > 0
        assert line["cost"]["statements"] > 0
        assert line["cost"]["peak_mb"] > 10
    assert not Space.objects.exists()
    assert not Memory.objects.exists()
    connection.close()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [(["--jobs", "dance"], "no job “dance”"), (["--owners", "0"], "At least one owner")],
)
def test_bench_jobs_says_what_is_wrong(arguments: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        run(*arguments)
