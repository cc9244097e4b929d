"""manage.py run_job: a job in the foreground; Ctrl-C leaves the rest to the worker (I5)."""

import os
import signal
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from memories import jobs
from memories.errors import Refused
from memories.jobs import Asked
from memories.models import JobRun, Memory, Space
from memories.permissions import Actor
from tests.memories.jobs.archiving import archive, install
from tests.memories.recall.helpers import jot

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


@pytest.fixture(autouse=True)
def notes(actor: Actor) -> list[Memory]:
    return [jot(actor, f"Note number {number}.") for number in range(5)]


def told(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("run_job", *arguments, stdout=out, **options)
    return out.getvalue()


def test_it_runs_a_job_and_gives_a_receipt() -> None:
    assert told("toy").startswith("team toy · done · 5 put away · ")
    run = JobRun.objects.get()
    assert (run.state, run.trigger, run.started_by_name) == ("done", "command", "command")
    assert not Memory.objects.filter(status="active").exists()


def test_it_says_when_there_was_nothing_to_do() -> None:
    told("toy")
    assert "nothing to do" in told("toy")


def test_it_tries_without_changing_anything() -> None:
    assert "team toy (dry run) · done · 5 put away" in told("toy", "--dry-run")
    assert Memory.objects.filter(status="active").count() == 5


def test_it_runs_in_one_space_or_in_all(actor: Actor, stranger: Actor) -> None:
    jot(stranger, "Elsewhere.")
    with pytest.raises(CommandError, match="Known: elsewhere, team"):
        told("toy")
    with pytest.raises(CommandError, match="There is no space “nowhere”"):
        told("toy", "--space", "nowhere")
    assert "elsewhere toy · done · 1 put away" in told("toy", "--space", "elsewhere")
    both = told("toy", "--all")
    assert "elsewhere toy · done · nothing to do" in both
    assert "team toy · done · 5 put away" in both


def test_it_says_which_jobs_there_are() -> None:
    with pytest.raises(CommandError, match=r"There is no job “none”. There are: .*toy"):
        told("none")
    with pytest.raises(CommandError, match="needs to know more"):
        told("undo_run")


def test_it_tells_of_rows_that_failed(notes: list[Memory], monkeypatch: pytest.MonkeyPatch) -> None:
    def work(asked: Asked, row: UUID, ready: Any) -> str:
        if row == notes[1].pk:
            raise Refused("It sticks.")
        return archive(asked, row, ready)

    install(monkeypatch, work=work)
    receipt = told("toy")
    assert "4 put away · 1 failed" in receipt
    assert f"  {notes[1].pk}: It sticks." in receipt


def test_it_fails_when_the_job_does(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows(*_given: Any) -> Any:
        raise RuntimeError

    install(monkeypatch, rows=rows)
    out = StringIO()
    with pytest.raises(CommandError, match="Not every run was done"):
        call_command("run_job", "toy", stdout=out)
    assert "failed" in out.getvalue()
    assert "RuntimeError" in out.getvalue()


def test_ctrl_c_leaves_the_rest_to_the_worker(
    notes: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step at hand is finished: no lease has to lapse before somebody goes on."""

    def work(asked: Asked, row: UUID, ready: Any) -> str:
        if row == notes[0].pk:
            os.kill(os.getpid(), signal.SIGINT)
        return archive(asked, row, ready)

    before = signal.getsignal(signal.SIGINT)
    install(monkeypatch, work=work)
    assert "left to the worker" in told("toy")
    run = JobRun.objects.get()
    assert (run.done, run.claimed_until) == (2, None)
    assert run.pk in jobs.waiting()
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.done, run.counts) == ("done", 5, {"archived": 5})
    assert signal.getsignal(signal.SIGINT) == before


def test_ctrl_c_begins_no_other_space(stranger: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    jot(stranger, "Elsewhere.")

    def work(asked: Asked, row: UUID, ready: Any) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        return archive(asked, row, ready)

    install(monkeypatch, work=work)
    told("toy", "--all")
    assert JobRun.objects.get().space == Space.objects.get(slug="elsewhere")


def test_it_goes_on_with_a_run_that_is_open_already(admin: Actor) -> None:
    run = jobs.start(actor=admin, job="toy")
    told("toy")
    assert JobRun.objects.get() == run
    run.refresh_from_db()
    assert (run.state, run.trigger) == ("done", "person")
    jobs.start(actor=admin, job="toy", trial=True)
    with pytest.raises(CommandError, match="A dry run of this job is open"):
        told("toy")
