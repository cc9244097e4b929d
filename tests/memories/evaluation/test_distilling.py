"""evaluate_distillation on small files: what survives, at which threshold, for whom."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from memories.errors import Invalid
from memories.evaluation.distilling import coverage, read_sessions
from memories.evaluation.ranking import Asked
from memories.models import Memory, Space
from tests.memories.distillation.llm_helpers import NOTHING, memory
from tests.memories.llm.server import llm, says

SESSIONS: list[dict[str, Any]] = [
    {
        "session_id": "s1",
        "user_id": "u",
        "started_at": "2023-05-08T10:00:00+00:00",
        "turns": [
            {"id": "t1", "role": "user", "speaker": "Ann", "content": "Hi Bob! How are you?"},
            {
                "id": "t2",
                "role": "assistant",
                "speaker": "Bob",
                "content": "I adopted a cat in Oslo.",
            },
            {"id": "t3", "role": "user", "speaker": "Ann", "content": "I'm allergic to peanuts."},
            {"id": "t4", "role": "assistant", "content": "Your cat is called Momo Grey."},
        ],
    },
    {
        "session_id": "s2",
        "user_id": "v",
        "started_at": None,
        "turns": [{"id": "t5", "content": "I'm allergic to shrimp."}],
    },
]
QUERIES: list[dict[str, Any]] = [
    {"id": "q1", "user_id": "u", "query": "What is Ann allergic to?", "relevant": ["t3"]},
    {"id": "q2", "user_id": "u", "query": "Who greeted Bob?", "relevant": ["t1"]},
    {"id": "q3", "user_id": "u", "query": "?", "relevant": ["t9"], "category": "adversarial"},
]


def written(folder: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def evaluate(folder: Path, *more: str) -> str:
    out = StringIO()
    sessions, queries = written(folder, "s", SESSIONS), written(folder, "q", QUERIES)
    arguments = ["--sessions", str(sessions), "--queries", str(queries), *more]
    call_command("evaluate_distillation", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def asked(*relevant: str, category: str = "x") -> Asked:
    return Asked("q", "u", "?", frozenset(relevant), category)


def test_a_turn_with_a_speaker_is_a_persons(tmp_path: Path) -> None:
    first = read_sessions(written(tmp_path, "s", SESSIONS))[0]
    assert [turn.role for turn in first.turns] == ["user", "user", "user", "assistant"]
    assert [first.ids[turn.number] for turn in first.turns] == ["t1", "t2", "t3", "t4"]


def test_turns_happen_one_second_apart(tmp_path: Path) -> None:
    first = read_sessions(written(tmp_path, "s", SESSIONS))[0]
    assert [turn.happened_at.isoformat()[11:19] for turn in first.turns[:2]] == [
        "10:00:01",
        "10:00:02",
    ]


@pytest.mark.parametrize("turns", [None, "x", [1], [{"id": "t"}], [{"content": "x"}]])
def test_it_says_which_session_cannot_be_read(tmp_path: Path, turns: object) -> None:
    with pytest.raises(Invalid, match="session s1"):
        read_sessions(written(tmp_path, "s", [{"session_id": "s1", "turns": turns}]))


def test_coverage_is_the_share_of_needed_turns_that_memories_are_made_from() -> None:
    questions = [asked("a", "b"), asked("b", "c"), asked("z", category="adversarial")]
    assert coverage([frozenset("ab"), frozenset("xy")], questions) == pytest.approx(2 / 3)
    assert coverage([], questions) == 0
    assert coverage([frozenset("a")], []) == 1


@pytest.mark.django_db
@pytest.mark.usefixtures("embedder")
def test_it_reports_what_survives(tmp_path: Path) -> None:
    row = json.loads(evaluate(tmp_path, "--json"))
    assert row["distiller"] == "rules"
    assert row["memories"] == 3  # the cat, two allergies; no greeting, no assistant's claim
    assert row["memories_per_turn"] == 0.6
    assert row["coverage"] == 0.5
    assert row["R@10"] == 0.5
    assert row["seconds_per_session"] > 0


@pytest.mark.django_db
@pytest.mark.usefixtures("embedder")
def test_it_leaves_nothing_behind(tmp_path: Path) -> None:
    before = Space.objects.count(), Memory.objects.count()
    assert "per turn 0.600" in evaluate(tmp_path)
    assert (Space.objects.count(), Memory.objects.count()) == before


@pytest.mark.django_db
@pytest.mark.usefixtures("embedder")
def test_the_curve_falls_with_the_threshold(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in evaluate(tmp_path, "--curve", "--json").splitlines()]
    assert [row["keep_from"] for row in rows] == sorted(row["keep_from"] for row in rows)
    kept = [row["memories"] for row in rows]
    assert kept == sorted(kept, reverse=True)
    assert kept[0] > kept[-1]
    found = [row["R@10"] for row in rows]
    assert found[0] >= found[-1]


@pytest.mark.django_db
@pytest.mark.usefixtures("embedder")
def test_it_writes_every_proposal_with_its_reason(tmp_path: Path) -> None:
    evaluate(tmp_path, "--proposals", str(tmp_path / "p"))
    lines = (tmp_path / "p").read_text(encoding="utf-8").splitlines()
    drops = {row["content"]: row["drop"] for row in map(json.loads, lines)}
    assert drops["Hi Bob!"] == "greeting"
    assert drops["Your cat is called Momo Grey."] == "assistant_claim"
    assert drops["Ann is allergic to peanuts."] == ""


@pytest.mark.django_db
@pytest.mark.usefixtures("embedder")
def test_it_measures_the_llm_beside_the_rules_where_there_is_one(
    tmp_path: Path, settings: Settings
) -> None:
    peanuts = memory("I'm allergic to peanuts.", "Ann is allergic to peanuts.", turns=[3])
    with llm(says({"memories": [peanuts]}), says(NOTHING)) as server:
        server.configure(settings)
        rows = [json.loads(line) for line in evaluate(tmp_path, "--json").splitlines()]
    assert [row["distiller"] for row in rows] == ["rules", "llm"]
    assert (rows[1]["memories"], rows[1]["R@10"]) == (1, 0.5)


@pytest.mark.django_db
def test_it_asks_for_sessions_and_questions(tmp_path: Path) -> None:
    empty = written(tmp_path, "none", [])
    with pytest.raises(CommandError, match="no sessions"):
        call_command("evaluate_distillation", "--sessions", str(empty), "--queries", str(empty))
