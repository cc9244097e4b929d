"""Whoever makes the indexes of a large owner is killed meanwhile: the next makes them whole (I5).

The worker is a process of its own, and its server process is held inside CREATE INDEX CONCURRENTLY
by a transaction of the test's.
"""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from subprocess import Popen

import psycopg
import pytest
from django.db import connection

from memories import jobs
from memories.embedding import indexing
from memories.models import JobRun, Memory
from memories.permissions import Actor
from tests.memories.jobs.killed import lapse, working
from tests.memories.recall.large import MANY, MODEL, in_small, indexed, proposed, texts_of, told

pytestmark = pytest.mark.django_db(transaction=True)

WORKER = """
import sys
from uuid import UUID
import django
django.setup()
from memories.embedding import indexing
from memories.jobs import runner
from memories.jobs.kinds import index_large
indexing.MANY, index_large.identity = int(sys.argv[2]), lambda _name: sys.argv[3]
runner.carry_on(UUID(sys.argv[1]))
"""
# What an index waits for before it is filled, and after: open transactions of others.
WRITER = ("BEGIN", "LOCK TABLE memories_memory IN ROW EXCLUSIVE MODE")
READER = ("BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT FROM memories_memory LIMIT 1")
EMPTY, FILLED = "waiting for writers before build", "waiting for old snapshots"
HELD = pytest.mark.parametrize(
    ("by", "phase"), [(WRITER, EMPTY), (READER, FILLED)], ids=["empty", "filled"]
)
Held = tuple[str, ...]
TEXTS = [*texts_of(0, 120), *texts_of(1, 60)]
LATER = next(text for text in texts_of(0, 240) if text not in TEXTS)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with in_small(monkeypatch):
        yield


@pytest.fixture
def _impatient(_small: None) -> Iterator[None]:
    """Nobody waits in the database for the index that is held: that would be for ever."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '10s'")
        yield
        cursor.execute("RESET lock_timeout")


@contextmanager
def held(run: JobRun, by: Held, phase: str) -> Iterator["tuple[Popen[str], int]"]:
    """Let a worker carry a run on until its first index waits; yield it and its server process.

    Then what it waits for is over, and whatever is left of either ends.
    """
    with another() as other, working(WORKER, str(run.pk), str(MANY), MODEL) as worker:
        try:
            for statement in by:
                other.execute(statement)
            until(lambda: worker.poll() is not None or phase in making().values())
            [server] = making()
            yield worker, server
            other.execute("COMMIT")
            _out, said = worker.communicate(timeout=60)
            assert worker.returncode in (0, -signal.SIGKILL), said
            until(lambda: gone(server))
        finally:
            worker.kill()


def another() -> "psycopg.Connection[tuple[object, ...]]":
    """Open a connection beside the test's own."""
    settings = connection.get_connection_params()
    names = ("host", "port", "user", "password", "dbname")
    given = {name: settings[name] for name in names if settings.get(name)}
    return psycopg.connect(**given, autocommit=True)


def making() -> dict[int, str]:
    """Return what each server process is at that makes an index here."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid, phase FROM pg_stat_progress_create_index"
            " WHERE datname = current_database() AND command = 'CREATE INDEX CONCURRENTLY'"
        )
        return dict(cursor.fetchall())


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def kill(worker: "Popen[str]") -> None:
    worker.kill()
    assert worker.wait(10) == -signal.SIGKILL


def gone(server: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = %s", [server])
        return bool(cursor.fetchone()[0] == 0)


def end(server: int) -> None:
    """End a server process, as with the machine of the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [server])
    until(lambda: gone(server))


def carried_on(run: JobRun) -> JobRun:
    """Carry a run on whose worker was lost, or that waits for a while."""
    if run.state == JobRun.State.RUNNING:
        lapse(run)
    JobRun.objects.filter(pk=run.pk).update(not_before=None)
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    return run


def started(admin: Actor) -> JobRun:
    return jobs.start(actor=admin, job="index_large")


def reads_all(actor: Actor) -> None:
    """Recall takes no index that is not whole, and finds what reading everything does."""
    indexing.forget()
    assert indexing.ready(actor.space_id, MODEL) is None
    for text in (TEXTS[3], TEXTS[-3]):
        found, by_index = proposed(actor, text)
        assert not by_index
        assert found.candidates
        assert found == proposed(actor, text, exact=True)[0]


def reads_by_index(actor: Actor, text: str) -> None:
    """All indexes are there and can be used, no other is, and nobody holds anything of them."""
    names = indexing.wanted(actor.space_id, MODEL)
    assert indexing.existing() == dict.fromkeys(names, True)
    found, by_index = proposed(actor, text)
    assert by_index
    best = max(found.candidates, key=lambda one: one.cosine or 0.0)
    assert best.id == Memory.objects.get(space_id=actor.space_id, content=text).pk
    assert locks() == 0


def locks() -> int:
    """Return how many advisory locks are held in this database; other workers have their own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database"
            " WHERE locktype = 'advisory' AND datname = current_database()"
        )
        found: int = cursor.fetchone()[0]
    return found


@HELD
def test_the_next_makes_whole_what_a_kill_left(
    actor: Actor, admin: Actor, by: Held, phase: str
) -> None:
    told(actor, TEXTS)
    run = started(admin)
    with held(run, by, phase) as (worker, server):
        reads_all(actor)
        kill(worker)
        end(server)
        assert list(indexing.existing().values()) == [False]
        reads_all(actor)
        told(actor, [LATER])
    run.refresh_from_db()
    assert (run.state, run.done) == (JobRun.State.RUNNING, 0)
    assert carried_on(run).counts == {"made": 5}
    assert indexed(admin) == {}
    reads_by_index(actor, LATER)


@HELD
@pytest.mark.usefixtures("_impatient")
def test_what_a_killed_worker_began_its_server_process_ends(
    actor: Actor, admin: Actor, by: Held, phase: str
) -> None:
    told(actor, TEXTS)
    run = started(admin)
    with held(run, by, phase) as (worker, server):
        kill(worker)
        run.refresh_from_db()
        assert carried_on(run).state == JobRun.State.WAITING
        assert "Another worker" in run.note
        assert making() == {server: phase}
        reads_all(actor)
    assert list(indexing.existing().values()) == [True]
    assert carried_on(run).counts == {"made": 4}
    assert indexed(admin) == {}
    reads_by_index(actor, TEXTS[0])


@pytest.mark.usefixtures("_impatient")
def test_no_two_are_made_or_dropped_at_once(actor: Actor, admin: Actor, stranger: Actor) -> None:
    """PostgreSQL would end one of them as a deadlock, after all its work."""
    told(actor, TEXTS)
    told(stranger, TEXTS)
    with held(started(admin), WRITER, EMPTY):
        [name] = indexing.existing()
        for wanted, statement in indexing.wanted(stranger.space_id, MODEL).items():
            assert not indexing.make(wanted, statement)
        assert not indexing.drop(name)
        assert list(indexing.existing()) == [name]
    reads_by_index(actor, TEXTS[0])
