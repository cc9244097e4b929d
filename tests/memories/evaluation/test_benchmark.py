"""What was judged, exported: evaluate_recall reads it and measures with it (H4, D1)."""

import json
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from memories.errors import NotAllowed
from memories.evaluation.benchmark import benchmark_of, export_memories, export_queries
from memories.evaluation.sampling import begin_evaluation
from memories.lifecycle import delete_memory
from memories.models import Event, Memory
from memories.models.memory import Visibility
from memories.permissions import Actor
from tests.memories.evaluation.rounds import asked, judged, judgements_of, say
from tests.memories.recall.helpers import NOW, jot, remember

pytestmark = pytest.mark.django_db


def rows(lines: Iterable[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines]


def queries(admin: Actor) -> list[dict[str, Any]]:
    return rows(export_queries(actor=admin))


def contents(admin: Actor) -> set[str]:
    return {row["content"] for row in rows(export_memories(actor=admin))}


@pytest.fixture
def tea(actor: Actor) -> Memory:
    return jot(actor, "Tea at four.", user_id="alice", happened_at=NOW, session="monday")


@pytest.fixture
def rain(actor: Actor) -> Memory:
    return jot(actor, "It rains in Bonn.", user_id="alice")


def test_a_question_lists_what_is_relevant(
    actor: Actor, person: Actor, admin: Actor, tea: Memory, rain: Memory
) -> None:
    recall = asked(actor.acting_for("alice"), "When is tea?", rain, tea)
    judged(person, False, True)
    assert queries(admin) == [
        {
            "id": str(recall.pk),
            "user_id": "alice",
            "query": "When is tea?",
            "relevant": [str(tea.pk)],
            "category": "coder",
        }
    ]


def test_the_memories_are_all_that_the_question_may_find(
    actor: Actor, teammate: Actor, person: Actor, admin: Actor, tea: Memory, rain: Memory
) -> None:  # D1
    jot(actor, "About nobody.")
    jot(actor, "About Bob.", user_id="bob")
    jot(actor, "Mine.", visibility=Visibility.PRIVATE)
    jot(teammate, "Another agent's.", visibility=Visibility.PRIVATE)
    jot(actor, "Gone.", user_id="alice", status="archived")
    jot(actor, "Withheld.", user_id="alice", withheld=True)
    asked(actor.acting_for("alice"), "When is tea?", tea)
    judged(person, True)
    assert contents(admin) == {"Tea at four.", "It rains in Bonn.", "About nobody.", "Mine."}


def test_a_memory_has_what_evaluate_recall_reads(
    actor: Actor, person: Actor, admin: Actor, tea: Memory
) -> None:
    asked(actor.acting_for("alice"), "When is tea?", tea)
    judged(person, True)
    assert rows(export_memories(actor=admin)) == [
        {
            "id": str(tea.pk),
            "user_id": "alice",
            "content": "Tea at four.",
            "occurred_at": NOW.isoformat(),
            "session_id": "monday",
            "kind": "fact",
        }
    ]


def test_a_question_without_a_relevant_memory_is_left_out_and_counted(
    actor: Actor, person: Actor, admin: Actor, tea: Memory, rain: Memory
) -> None:
    asked(actor, "Where is Ada?", rain)
    asked(actor, "When is tea?", tea)
    judged(person, False, True)
    assert [row["query"] for row in queries(admin)] == ["When is tea?"]
    assert benchmark_of(admin).left_out == 1


def test_what_is_not_in_use_any_more_is_relevant_to_nothing(
    actor: Actor, person: Actor, admin: Actor, tea: Memory
) -> None:
    asked(actor.acting_for("alice"), "When is tea?", tea)
    judged(person, True)
    delete_memory(actor=actor.acting_for("alice"), memory_id=tea.pk, expected_version=1)
    found = benchmark_of(admin)
    assert (list(found.questions), found.left_out) == ([], 1)
    assert contents(admin) == set()


def test_the_newest_judgement_of_a_question_counts(
    actor: Actor, person: Actor, admin: Actor, tea: Memory, rain: Memory
) -> None:
    asked(actor, "When is tea?", rain, tea)
    judged(person, True, False)
    newest = asked(actor, "When is tea?", rain, tea)
    judged(person, False, True)
    (row,) = queries(admin)
    assert (row["id"], row["relevant"]) == (str(newest.pk), [str(tea.pk)])


def test_an_open_round_is_not_exported(
    actor: Actor, person: Actor, admin: Actor, tea: Memory
) -> None:
    asked(actor, "When is tea?", tea)
    say(person, judgements_of(begin_evaluation(actor=person))[0], True)
    assert queries(admin) == []


def test_only_an_admin_takes_it_and_the_log_says_who(
    actor: Actor, person: Actor, admin: Actor, tea: Memory
) -> None:
    asked(actor.acting_for("alice"), "When is tea?", tea)
    judged(person, True)
    for export in (export_queries, export_memories):
        with pytest.raises(NotAllowed):
            export(actor=person)
    assert not Event.objects.filter(verb="benchmark_exported").exists()
    assert queries(admin)
    assert contents(admin)
    told = Event.objects.filter(verb="benchmark_exported").order_by("pk")
    assert list(told.values_list("actor_name", "data")) == [
        ("ada", {"file": "queries", "rows": 1}),
        ("ada", {"file": "memories", "rows": 1}),
    ]


def test_another_space_is_not_in_it(
    actor: Actor, stranger: Actor, person: Actor, admin: Actor, tea: Memory
) -> None:  # D1
    jot(stranger, "Strange.")
    asked(actor, "When is tea?", tea)
    judged(person, True)
    assert "Strange." not in contents(admin)


def test_evaluate_recall_reads_both_files(
    embedder: str, actor: Actor, person: Actor, admin: Actor, tmp_path: Path
) -> None:
    said = ("Backups run at 02:00.", "用户喜欢喝绿茶。", "The office has two lifts.")
    backups, tea, _lifts = (remember(actor, text, user_id="alice") for text in said)
    asked(actor.acting_for("alice"), "When do backups run?", backups, tea)
    asked(actor.acting_for("alice"), "用户喜欢喝什么？", tea)
    judged(person, True, False, True)
    files = {"queries": export_queries, "memories": export_memories}
    arguments = []
    for name, export in files.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(export(actor=admin)), encoding="utf-8")
        arguments += [f"--{name}", str(path)]
    out = StringIO()
    call_command("evaluate_recall", *arguments, "--json", stdout=out, stderr=StringIO())
    figures = json.loads(out.getvalue())["categories"]["coder"]
    assert (figures["questions"], figures["R@5"], figures["MRR"]) == (2, 1.0, 1.0)
