"""The evaluation commands: figures by hand, damaged files named by line, nothing left behind."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memories.evaluation.files import moment
from memories.models import Event, Memory, Space

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def run(command: str, *arguments: str) -> Any:
    out = StringIO()
    call_command(command, *arguments, "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


PAIRS = (
    {"a": "Backups run at 02:00.", "b": "Backups run at 04:30.", "label": 1, "lang": "en"},
    {"a": "The user eats meat.", "b": "Invoices go out monthly.", "label": 1, "lang": "en"},
    {"a": "Tea is green.", "b": "The office has two lifts.", "label": 0, "lang": "en"},
    {"a": "用户吃肉。", "b": "用户不吃肉。", "label": 1, "lang": "zh"},
)


def test_pairs_are_counted_a_language(tmp_path: Path) -> None:
    table = run(
        "evaluate_pairs", "--pairs", str(lines(tmp_path / "p", *PAIRS)), "--task", "conflict"
    )
    assert (table["en"]["precision"], table["en"]["recall"]) == (1.0, 0.5)
    assert (table["zh"]["true_positive"], table["ALL"]["pairs"]) == (1, 4)


def test_rows_with_a_damaged_label_are_left_out_and_told(tmp_path: Path) -> None:
    path, err = lines(tmp_path / "p", *PAIRS, {"a": "x", "b": "y", "label": 8899}), StringIO()
    call_command(
        "evaluate_pairs", "--pairs", str(path), "--task", "conflict", stdout=StringIO(), stderr=err
    )
    assert "1 rows left out" in err.getvalue()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("not json\n", "line 1 is not JSON"), ("[]\n", "is not an object"), ('{"a": 1}\n', "“a”")],
)
def test_a_damaged_file_is_named_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "p"
    path.write_text(text)
    with pytest.raises(CommandError, match=complaint):
        call_command("evaluate_pairs", "--pairs", str(path), "--task", "conflict")


def test_a_missing_file_is_named() -> None:
    with pytest.raises(CommandError, match="nowhere"):
        call_command("evaluate_writing", "--memories", "nowhere.jsonl")


def test_writing_reports_what_was_flagged_and_leaves_nothing(tmp_path: Path) -> None:
    told = lines(
        tmp_path / "m",
        {"id": "1", "user_id": "u", "content": "Backups run at 02:00."},
        {"id": "2", "user_id": "u", "content": "Tea is green."},
        {"id": "3", "user_id": "u", "content": "Backups run at 04:30."},
    )
    updates = lines(
        tmp_path / "u",
        {"memory_id": "3", "supersedes": ["1"], "is_update": True},
        {"memory_id": "2", "supersedes": [], "is_update": False},
    )
    report = run("evaluate_writing", "--memories", str(told), "--updates", str(updates))
    assert (report["counts"]["flagged"], report["counts"]["created"]) == (1, 2)
    assert [(row["row"], row["against"]) for row in report["conflicts"]] == [("3", "1")]
    assert (report["updates"]["found"], report["updates"]["false_alarms"]) == (1, 0)
    assert [table.objects.count() for table in (Space, Memory, Event)] == [0, 0, 0]


def test_the_files_notations_of_time_are_read() -> None:
    assert str(moment("Jan 15, 2029, 16:15:20")) == "2029-01-15 16:15:20+00:00"
    assert str(moment("2023-05-08T13:56:00+02:00")) == "2023-05-08 13:56:00+02:00"
    assert moment(None) is None
