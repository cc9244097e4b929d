"""The figures of evaluate_recall, and the command on small files."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memories.evaluation.ranking import Answer, Asked, figures, latency, measures
from memories.models import Memory, Space

MEMORIES: list[dict[str, Any]] = [
    {"id": "a", "user_id": "u", "content": "The cat is called Momo", "occurred_at": None},
    {"id": "b", "user_id": "u", "content": "The cat is called Momo", "session_id": "s"},
    {
        "id": "c",
        "user_id": "u",
        "content": "Paris in spring",
        "occurred_at": "Jan 15, 2029, 16:15:20",
    },
    {"id": "d", "user_id": "v", "content": "The cat is called Rex"},
]
QUERIES: list[dict[str, Any]] = [
    {
        "id": "q",
        "user_id": "u",
        "query": "What is the cat called?",
        "relevant": ["a", "b"],
        "category": "pets",
    }
]


def asked(relevant: set[str], category: str = "x") -> Asked:
    return Asked("q", "u", "?", frozenset(relevant), category)


def written(folder: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def evaluate(memories: Path, queries: Path, *more: str) -> str:
    out = StringIO()
    arguments = ["--memories", str(memories), "--queries", str(queries), *more]
    call_command("evaluate_recall", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_it_measures_one_answer() -> None:
    got = measures(Answer(asked({"a", "b"}), ("x", "a", "y", "z", "w", "b"), 1.0))
    assert (got["R@1"], got["R@5"], got["R@10"], got["hit@5"], got["all@10"]) == (0, 0.5, 1, 1, 1)
    assert got["MRR"] == 0.5
    assert got["nDCG@10"] == pytest.approx(
        (1 / 1.58496 + 1 / 2.80735) / (1 + 1 / 1.58496), abs=1e-4
    )


def test_it_measures_an_empty_answer() -> None:
    assert measures(Answer(asked({"a"}), (), 1.0))["empty"] == 1.0


def test_it_keeps_the_adversarial_ones_apart() -> None:
    table = figures(
        [Answer(asked({"a"}), ("a",), 1.0), Answer(asked({"a"}, "adversarial"), ("b",), 1.0)]
    )
    assert list(table) == ["adversarial", "x", "ALL"]
    assert (table["ALL"]["questions"], table["ALL"]["R@1"]) == (1, 1)


def test_it_takes_percentiles_of_the_latency() -> None:
    answers = [Answer(asked({"a"}), (), float(ms)) for ms in range(100)]
    assert latency(answers) == {"p50": 50, "p95": 95}


@pytest.mark.django_db
def test_it_ranks_with_every_id_of_a_text_and_leaves_nothing(tmp_path: Path, embedder: str) -> None:
    memories = written(tmp_path, "m.jsonl", MEMORIES)
    queries = written(tmp_path, "q.jsonl", QUERIES)
    run = tmp_path / "run.jsonl"
    answer = json.loads(evaluate(memories, queries, "--json", "--run-file", str(run)))
    assert answer["categories"]["ALL"]["R@5"] == 1.0
    assert json.loads(run.read_text())["ranking"][:2] == ["a", "b"]
    assert "d" not in json.loads(run.read_text())["ranking"]
    assert not Space.objects.exists()
    assert not Memory.objects.exists()


@pytest.mark.django_db
def test_it_prints_a_table(tmp_path: Path, embedder: str) -> None:
    table = evaluate(written(tmp_path, "m", MEMORIES), written(tmp_path, "q", QUERIES))
    assert "pets" in table
    assert "R@10" in table
    assert "latency p50" in table


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("memories", "queries", "said"),
    [
        (MEMORIES, [{"id": "q", "query": "x"}], "“relevant” must be a list"),
        (MEMORIES, [{"id": "q"}], "line 1"),
        (MEMORIES, [], "has no questions"),
        ([{"id": "a"}], QUERIES, "line 1"),
        ([{"id": "a", "content": "x", "occurred_at": "soon"}], QUERIES, "is not a time"),
    ],
)
def test_it_says_what_is_wrong_with_a_file(
    tmp_path: Path, memories: list[dict[str, Any]], queries: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(CommandError, match=said):
        evaluate(written(tmp_path, "m", memories), written(tmp_path, "q", queries))
    assert not Space.objects.exists()


@pytest.mark.django_db
def test_it_says_when_a_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        evaluate(tmp_path / "none", tmp_path / "none")
