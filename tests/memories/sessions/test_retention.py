"""end_idle(), purge_turns(): nobody's session stays open, nothing undistilled goes (A2)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event as Signal
from threading import Thread
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from memories.models import Candidate, DistillationRun, Event, Policy, Session, Space, Turn
from memories.permissions import Actor
from memories.sessions import end_session, record_turns, retention
from memories.sessions.retention import end_idle, purge_turns

pytestmark = pytest.mark.django_db


@pytest.fixture
def nudged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What was sent to the workers."""
    sent: list[tuple[Any, ...]] = []
    monkeypatch.setattr("memories.dispatch._send", lambda task, args: sent.append((task, *args)))
    return sent


def recorded(actor: Actor, key: str = "s1", count: int = 3, days_ago: float = 31) -> Session:
    """A session untouched for so long."""
    turns = [{"content": f"turn {number}"} for number in range(1, count + 1)]
    session = record_turns(actor=actor, session=key, turns=turns).session
    touched_at = timezone.now() - timedelta(days=days_ago)
    Session.objects.filter(pk=session.pk).update(touched_at=touched_at)
    return session


def distilled(session: Session, through: int = 3, state: str = "done") -> DistillationRun:
    """Its turns have been looked at by a run that dropped one candidate and kept another."""
    now = timezone.now()
    run = DistillationRun.objects.create(
        session=session,
        state=state,
        first_turn=1,
        last_turn=through,
        policy_version=0,
        counts={"verdicts": {"dropped": 1, "kept": 1}},
        started_at=now,
        claimed_until=now,
        finished_at=None if state == "running" else now,
    )
    for position, verdict in enumerate(("dropped", "kept")):
        Candidate.objects.create(
            run=run,
            position=position,
            content="the words",
            quote="words",
            turns=[1],
            certainty=1.0,
            worth=1.0,
            confidence=1.0,
            verdict=verdict,
            reason="greeting",
        )
    Session.objects.filter(pk=session.pk).update(distilled_through=through)
    return run


def numbers(session: Session) -> list[int]:
    return list(session.turns.values_list("number", flat=True))


# Idle


def test_it_ends_what_nobody_ended(
    actor: Actor,
    nudged: list[tuple[Any, ...]],
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    idle = recorded(actor, "idle", days_ago=31 / 1440)
    recorded(actor, "busy", days_ago=29 / 1440)
    recorded(actor, "ended")
    end_session(actor=actor, session="ended")
    nudged.clear()
    with django_capture_on_commit_callbacks(execute=True):
        assert (end_idle(), end_idle()) == (1, 0)
    idle.refresh_from_db()
    assert (idle.ended_by, idle.ended_at is not None) == ("idle", True)
    assert nudged == [("memories.distil", str(idle.pk))]
    event = Event.objects.filter(verb="session_ended").first()
    assert event is not None
    assert (event.actor_kind, event.data["session"]) == ("system", str(idle.pk))


def test_each_space_has_its_own_idle_time(actor: Actor, stranger: Actor) -> None:
    Policy.objects.create(space_id=actor.space_id, numbers={"sessions": {"idle_minutes": 120}})
    for who in (actor, stranger):
        recorded(who, days_ago=60 / 1440)
    end_idle()
    assert Session.objects.get(ended_at__isnull=False).space_id == stranger.space_id


def test_it_ends_many_in_batches(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "_SESSIONS_AT_ONCE", 2)
    for number in range(5):
        recorded(actor, f"s{number}", count=1)
    assert end_idle() == 5


def test_it_takes_the_time_it_is_given(actor: Actor) -> None:
    recorded(actor, days_ago=0)
    assert end_idle() == 0
    assert end_idle(now=timezone.now() + timedelta(hours=1)) == 1


# Retention


def test_it_removes_distilled_turns_after_their_time(actor: Actor) -> None:
    old, young = recorded(actor, "old"), recorded(actor, "young", days_ago=29)
    for session in (old, young):
        distilled(session)
    assert (purge_turns(), purge_turns()) == (3, 0)
    old.refresh_from_db()
    assert (numbers(old), old.purged_through, old.turn_count) == ([], 3, 3)
    assert numbers(young) == [1, 2, 3]


def test_it_never_removes_what_no_run_has_looked_at(actor: Actor) -> None:
    waiting, half = recorded(actor, "waiting"), recorded(actor, "half", count=5)
    distilled(half, through=3)
    assert purge_turns(now=timezone.now() + timedelta(days=3650)) == 3
    assert (numbers(waiting), numbers(half)) == ([1, 2, 3], [4, 5])


def test_it_keeps_off_a_session_that_is_being_distilled(actor: Actor) -> None:
    session = recorded(actor)
    distilled(session, state="running")
    assert purge_turns() == 0
    assert numbers(session) == [1, 2, 3]


def test_each_space_has_its_own_retention(actor: Actor, stranger: Actor) -> None:
    Policy.objects.create(space_id=actor.space_id, numbers={"sessions": {"retention_days": 60}})
    for who in (actor, stranger):
        distilled(recorded(who))
    purge_turns()
    assert set(Turn.objects.values_list("space_id", flat=True)) == {actor.space_id}


def test_what_was_dropped_is_forgotten_but_not_why(actor: Actor) -> None:  # B2
    run = distilled(recorded(actor))
    purge_turns()
    dropped, kept = run.candidates.order_by("position")
    assert (dropped.content, dropped.quote, dropped.reason) == ("", "", "greeting")
    assert (kept.content, kept.quote) == ("the words", "words")
    run.refresh_from_db()
    assert run.counts["verdicts"]["dropped"] == 1


def test_a_session_goes_on_after_its_turns_were_purged(actor: Actor) -> None:
    session = recorded(actor)
    distilled(session)
    purge_turns()
    record_turns(actor=actor, session="s1", turns=[{"content": "back"}])
    assert numbers(session) == [4]
    assert purge_turns() == 0


@contextmanager
def poisoned(turn: Turn) -> Iterator[None]:
    """Within, the database refuses to remove this turn."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'poisoned'; END $$;"
            " CREATE TRIGGER refuse BEFORE DELETE ON memories_turn FOR EACH ROW"
            f" WHEN (OLD.id = '{turn.pk}') EXECUTE FUNCTION refuse()"
        )
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER refuse ON memories_turn; DROP FUNCTION refuse")


def test_a_batch_that_breaks_off_leaves_the_rest_intact(
    actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:  # I5
    monkeypatch.setattr(retention, "_TURNS_AT_ONCE", 2)
    first, second = recorded(actor, "first", count=6), recorded(actor, "second")
    runs = [distilled(first, through=6), distilled(second)]
    with poisoned(first.turns.get(number=4)):
        assert purge_turns() == 2 + 3
        first.refresh_from_db()
        assert (numbers(first), first.purged_through) == ([3, 4, 5, 6], 2)
        assert runs[0].candidates.exclude(content="").count() == 2
        assert numbers(second) == []
    assert (purge_turns(), numbers(first)) == (4, [])


@pytest.mark.django_db(transaction=True)
def test_jobs_keep_off_a_session_that_is_being_written_to(actor: Actor, space: Space) -> None:
    distilled(recorded(actor, "held"))
    distilled(recorded(actor, "free"))
    held, done = Signal(), Signal()

    def hold() -> None:
        try:
            with transaction.atomic():
                Session.objects.select_for_update(no_key=True).get(key="held")
                held.set()
                done.wait(30)
        finally:
            connection.close()

    writer = Thread(target=hold)
    writer.start()
    try:
        assert held.wait(30)
        assert (purge_turns(), end_idle()) == (3, 1)
    finally:
        done.set()
        writer.join(30)
    assert Turn.objects.filter(session__key="held").count() == 3
    assert Session.objects.get(key="held").ended_at is None
