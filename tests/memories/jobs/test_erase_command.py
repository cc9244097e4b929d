"""manage.py erase_user: preview, the question, the work, the receipt (E6)."""

import signal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memories import jobs
from memories.models import JobRun, Memory, Space
from memories.permissions import Actor
from tests.memories.recall.helpers import jot

pytestmark = pytest.mark.django_db
X = "u-1"


def erase(*said: str, **options: Any) -> str:
    out = StringIO()
    call_command("erase_user", "--space", "team", *said, stdout=out, **options)
    return out.getvalue()


def test_it_erases_and_prints_the_receipt(actor: Actor) -> None:
    for text in ("likes tea", "no rain"):
        jot(actor, text, user_id=X)
    told = erase(X, "--yes")
    run = JobRun.objects.get()
    assert (run.state, run.trigger) == ("done", "command")
    assert f"Erased. The receipt {run.pk}:" in told
    assert told.count("  2  memories\n") == 2  # in the preview and in the receipt
    assert not Memory.objects.exists()


@pytest.mark.parametrize(("answer", "left"), [(X, 0), ("yes", 1)])
def test_it_asks_for_the_name(
    actor: Actor, monkeypatch: pytest.MonkeyPatch, answer: str, left: int
) -> None:
    jot(actor, "likes tea", user_id=X)
    monkeypatch.setattr("builtins.input", lambda _prompt: answer)
    if left:
        with pytest.raises(CommandError):
            erase(X)
    else:
        erase(X)
    assert Memory.objects.count() == left


def test_after_ctrl_c_the_same_command_goes_on(
    actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    jot(actor, "likes tea", user_id=X)
    real = jobs.carry_on

    def interrupted(*_said: object) -> bool:
        signal.raise_signal(signal.SIGINT)
        return False

    monkeypatch.setattr(jobs, "carry_on", interrupted)
    with pytest.raises(CommandError, match="goes on"):
        erase(X, "--yes")
    monkeypatch.setattr(jobs, "carry_on", real)
    erase(X, "--yes")
    assert JobRun.objects.get().state == "done"


def test_it_names_the_spaces_there_are(space: Space) -> None:
    with pytest.raises(CommandError, match="Known: team"):
        call_command("erase_user", X, "--space", "nowhere")
    with pytest.raises(CommandError, match="user_id is empty"):
        erase("", "--yes")
