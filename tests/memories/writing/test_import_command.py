"""manage.py import_memories: checked first, by the rules of any write, resumable at any moment."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from memories.models import Agent, Event, Memory, MemoryVersion, Receipt
from memories.payloads import memory_payload
from memories.permissions import Actor
from memories.reading import get_memory
from memories.writing import write_memory
from tests.memories.writing.embedders import ByWords, statement
from tests.services import PROJECT, free_port

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("words")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memories.jsonl"


def rows(numbers: Iterable[int]) -> list[dict[str, Any]]:
    return [{"content": statement(number)} for number in numbers]


def put(file: Path, given: Iterable[Any]) -> Path:
    """Write lines: an object as JSON, a text as it is."""
    lines = (one if isinstance(one, str) else json.dumps(one) for one in given)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def imported(file: Path, *options: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("import_memories", str(file), "--agent", "coder", *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def refused(file: Path, *options: str) -> tuple[str, str]:
    """Return why nothing is imported, and what is said line by line."""
    err = StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("import_memories", str(file), "--agent", "coder", *options, stderr=err)
    return str(caught.value), err.getvalue()


def test_it_imports_every_field(actor: Actor, file: Path) -> None:
    told = {
        "content": "Releases go out on Tuesdays.",
        "kind": "procedure",
        "subject": "releases",
        "reflection": "Asked twice.",
        "tags": ["ops"],
        "metadata": {"from": "wiki"},
        "happened_at": "2026-01-02T03:04:05+00:00",
        "source": "user_input",
        "confidence": 0.9,
        "visibility": "private",
        "session": "s-1",
        "user_id": "u",
    }
    imported(put(file, [told]))
    memory = Memory.objects.get()
    found = memory_payload(get_memory(actor=actor.acting_for("u"), memory_id=memory.pk))
    assert {name: found[name] for name in told} == told  # type: ignore[literal-required]
    assert found["agent"] == "coder"


def test_it_takes_memories_as_the_api_lists_them(actor: Actor, file: Path) -> None:
    known = write_memory(actor=actor, content=statement(1), tags=["a"]).memory
    listed = memory_payload(get_memory(actor=actor, memory_id=known.pk))
    imported(put(file, [listed | {"content": statement(2)}]))
    assert Memory.objects.get(content=statement(2)).tags == ["a"]


@pytest.mark.usefixtures("actor")
def test_it_judges_as_any_write_and_counts_by_outcome(file: Path) -> None:  # B7
    out, _err = imported(put(file, rows([1, 2, 1])))
    assert "3 rows" in out
    assert "created 2 · duplicate 1" in out
    assert Memory.objects.count() == 2


@pytest.mark.usefixtures("actor")
def test_it_writes_nothing_when_it_runs_again(file: Path, words: ByWords) -> None:
    put(file, rows([1, 2, 1]))
    imported(file)
    events, asked = Event.objects.count(), len(words.asked)
    out, _err = imported(file)
    assert "created 2 · duplicate 1 · 3 of them in an earlier run" in out
    assert Event.objects.count() == events
    assert len(words.asked) == asked


@pytest.mark.usefixtures("actor")
def test_it_notices_what_has_changed_in_the_file(file: Path) -> None:
    imported(put(file, rows([1, 2, 3])))
    out, _err = imported(put(file, rows([4, 1, 5, 3, 1])))
    # 1 and 3 are there, 4 and 5 new, and that 1 is said a second time is new, too.
    assert "created 4 · duplicate 1 · 2 of them in an earlier run" in out
    assert Memory.objects.count() == 5


@pytest.mark.usefixtures("actor")
def test_one_users_row_is_not_another_users(file: Path) -> None:  # D1
    put(file, rows([1]))
    for user in ("a", "b", "a"):
        imported(file, "--user-id", user)
    assert sorted(Memory.objects.values_list("user_id", flat=True)) == ["a", "b"]


@pytest.mark.usefixtures("actor")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        ({"contents": "x"}, "“contents” is no field"),
        ({}, "content is empty"),
        ({"content": 7}, "“content” has the wrong type"),
        ({"content": "x", "tags": "a"}, "“tags” has the wrong type"),
        ({"content": "x", "confidence": True}, "“confidence” has the wrong type"),
        ({"content": "x", "confidence": 0.1}, "not stored"),
        ({"content": "x", "happened_at": "soon"}, "not a time"),
        ({"content": "x", "kind": "rumour"}, "kind must be one of"),
        ({"content": "x", "source": "person"}, "Only a person"),
        ({"content": "x", "status": "deleted"}, "not in use"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_written(file: Path, line: Any, reason: str) -> None:
    why, told = refused(put(file, [*rows([1]), "", line]))
    assert told.startswith("line 3: ")
    assert reason in told
    assert "1 of 2 lines cannot be used, so nothing was written" in why
    assert not Memory.objects.exists()


@pytest.mark.usefixtures("actor")
def test_bad_lines_are_left_out_when_asked(file: Path) -> None:
    low = {"content": statement(3), "confidence": 0.1}
    out, err = imported(put(file, [*rows([1]), "{", low, *rows([2])]), "--skip-bad")
    assert "2 rows" in out
    assert [line.partition(":")[0] for line in err.splitlines()] == ["line 2", "line 3"]
    assert Memory.objects.count() == 2


@pytest.mark.usefixtures("actor")
def test_it_names_twenty_bad_lines_and_counts_the_rest(file: Path) -> None:
    _why, told = refused(put(file, ["{"] * 25))
    assert told.splitlines()[-1] == "… and 5 lines more."
    assert len(told.splitlines()) == 21


@pytest.mark.usefixtures("space")
def test_a_check_writes_nothing(file: Path) -> None:
    out, _err = imported(put(file, rows([1, 2])), "--check")
    assert out == "2 memories can be imported.\n"
    assert not Memory.objects.exists()
    assert not Agent.objects.exists()


@pytest.mark.usefixtures("actor")
def test_a_file_that_is_not_there_is_said_so(file: Path) -> None:
    assert "No such file" in refused(file)[0]


@pytest.mark.usefixtures("actor")
def test_a_log_gets_a_line_for_a_thousand_rows(file: Path) -> None:
    out, _err = imported(put(file, rows(range(1100))))
    assert [line.partition(",")[0] for line in out.splitlines()[:-1]] == ["1000 of 1100 rows"]
    assert "left" in out


@pytest.mark.usefixtures("actor")
def test_ctrl_c_leaves_whole_batches(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupting(self: ByWords, body: dict[str, Any]) -> tuple[int, bytes]:
        if len(self.asked) == 1:  # a second one would end the command at once
            signal.raise_signal(signal.SIGINT)
        return real(self, body)

    real = ByWords.__call__
    monkeypatch.setattr(ByWords, "__call__", interrupting)
    put(file, rows(range(450)))
    why, _told = refused(file)
    assert "the same command goes on from there" in why
    assert Memory.objects.count() in (100, 200)
    monkeypatch.setattr(ByWords, "__call__", real)
    imported(file)
    assert Memory.objects.count() == Event.objects.count() == 450


@pytest.mark.usefixtures("actor")
def test_without_the_embedder_it_says_how_far_it_is(file: Path, settings: Settings) -> None:
    settings.EMBEDDER_URL = f"http://127.0.0.1:{free_port()}/v1"
    why, _told = refused(put(file, rows([1])))
    assert "0 of 1 rows are in: the same command goes on from there." in why


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("actor")
def test_killed_half_way_and_run_again_it_has_written_each_row_once(
    file: Path, words: ByWords
) -> None:  # B10
    put(file, [*rows(range(640)), *rows([5])])
    words.held_from = 3  # two batches are stored, the third waits for a vector or two
    with importing(file) as process:
        until(lambda: Memory.objects.count() >= 200)
        process.kill()
        process.wait(20)
    stored = Memory.objects.count()
    assert stored in (200, 300)
    assert MemoryVersion.objects.count() == Event.objects.count() == Receipt.objects.count()
    words.gate.set()
    with importing(file) as process:
        out, _none = process.communicate(timeout=120)
    assert process.returncode == 0, out.decode()
    assert f"created 640 · duplicate 1 · {stored} of them in an earlier run".encode() in out
    assert Memory.objects.count() == MemoryVersion.objects.count() == 640
    assert Event.objects.filter(verb="created").count() == 640
    assert Event.objects.filter(verb="reinforced").count() == 1


def importing(file: Path) -> subprocess.Popen[bytes]:
    """Start the command as a process of its own, on the database and the embedder of this test."""
    from django.conf import settings

    server = os.environ["DATABASE_URL"].rpartition("/")[0]
    return subprocess.Popen(
        [sys.executable, "manage.py", "import_memories", str(file), "--agent", "coder"],
        cwd=PROJECT,
        env=os.environ
        | {
            "DATABASE_URL": f"{server}/{connection.settings_dict['NAME']}",
            "EMBEDDER_URL": settings.EMBEDDER_URL,
            "DJANGO_SETTINGS_MODULE": "hindsight_site.settings",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def until(reached: Any) -> None:
    deadline = time.monotonic() + 120
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.05)
