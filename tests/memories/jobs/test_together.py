"""Two workers at one run, and a broker that is away: every row once, nothing lost (I5)."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from threading import Event as Signal
from threading import Thread, current_thread, main_thread
from typing import Any

import pytest
from celery import current_app
from django.db import connection
from django.utils import timezone

from memories import jobs, tasks
from memories.models import JobRun, Memory
from memories.permissions import Actor
from tests.memories.jobs.toys import install, marking, seen, some
from tests.services import free_port

SECONDS = 30


class Pause:
    """Where one worker stops until the test lets it go on."""

    def __init__(self) -> None:
        self.reached, self.over = Signal(), Signal()

    def here(self, *_args: object) -> None:
        if current_thread() is not main_thread() and not self.reached.is_set():
            self.reached.set()
            assert self.over.wait(SECONDS)


@pytest.fixture
def pause() -> Iterator[Pause]:
    pause = Pause()
    yield pause
    pause.over.set()


def _send_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nudges go to a port where no broker listens."""
    nowhere = f"redis://127.0.0.1:{free_port()}/0"
    send = current_app.send_task

    def sent(task: str, **how: Any) -> None:
        with current_app.connection_for_write(nowhere) as broker:
            send(task, connection=broker, **how)

    monkeypatch.setattr(current_app, "send_task", sent)


def _run_at_once(task: str, *, args: tuple[Any, ...], **_how: Any) -> None:
    current_app.tasks[task].apply(args, throw=True)


def _working(run: JobRun) -> Thread:
    def work() -> None:
        try:
            jobs.carry_on(run.pk)
        finally:
            connection.close()

    thread = Thread(target=work)
    thread.start()
    return thread


def _done(run: JobRun, thread: Thread, pause: Pause) -> JobRun:
    pause.over.set()
    thread.join(SECONDS)
    assert not thread.is_alive()
    run.refresh_from_db()
    return run


@pytest.mark.django_db(transaction=True)
def test_it_does_every_row_once_with_two_workers(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch, pause: Pause
) -> None:
    done: Counter[str] = Counter()

    def hook(memory: Memory) -> None:
        done[memory.content] += 1
        pause.here()

    install(monkeypatch, marking(hook))
    some(actor)
    run = jobs.start(actor=admin, job="toy")
    thread = _working(run)
    assert pause.reached.wait(SECONDS)
    assert jobs.carry_on(run.pk)  # it leaves the run to the other
    assert seen(actor) == 0
    assert _done(run, thread, pause).state == "done"
    assert set(done.values()) == {1}
    assert (seen(actor), run.counts) == (5, {"marked": 5})


@pytest.mark.django_db(transaction=True)
def test_it_does_every_row_once_when_one_sleeps_past_its_lease(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch, pause: Pause
) -> None:
    done: Counter[str] = Counter()

    def hook(memory: Memory) -> None:
        done[memory.content] += 1

    install(monkeypatch, marking(hook, prepare=pause.here))
    some(actor)
    run = jobs.start(actor=admin, job="toy")
    thread = _working(run)
    assert pause.reached.wait(SECONDS)
    JobRun.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    assert jobs.carry_on(run.pk)
    assert _done(run, thread, pause).state == "done"
    assert set(done.values()) == {1}
    assert run.counts == {"marked": 5}


@pytest.mark.django_db(transaction=True)
def test_it_waits_while_the_broker_is_away_and_the_sweep_finds_it(
    admin: Actor,
    actor: Actor,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    install(monkeypatch, marking())
    some(actor)
    _send_nowhere(monkeypatch)
    with caplog.at_level("WARNING"):
        run = jobs.start(actor=admin, job="toy")
    assert "memories.carry_on_run not sent" in caplog.text
    assert run.state == "waiting"
    assert tasks.carry_on_runs() == 1  # its nudges are lost, too
    assert jobs.waiting() == [run.pk]
    # The broker is back: a worker gets the sweep's nudge.
    monkeypatch.setattr(current_app, "send_task", _run_at_once)
    assert tasks.carry_on_runs() == 1
    assert seen(actor) == 5
    assert jobs.waiting() == []
