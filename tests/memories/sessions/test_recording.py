"""start_session(), record_turns(), end_session(): complete, once, in order, by their agent only."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from hindsight_site.accounts.models import User
from memories.errors import Invalid, NotAllowed, NotFound
from memories.identity import actor_for_user, agent_actor, system_actor
from memories.models import Agent, Event, Membership, Session, Space, Turn
from memories.permissions import Actor
from memories.sessions import (
    end_by_person,
    end_session,
    record_turns,
    recording,
    start_session,
)
from memories.sessions.working import working_memory_of

pytestmark = pytest.mark.django_db
LONG_AGO = datetime(2023, 3, 1, 12, tzinfo=UTC)


def said(*contents: str, **more: Any) -> list[dict[str, Any]]:
    return [{"content": content, **more} for content in contents]


def contents(session: Session) -> list[str]:
    return list(session.turns.order_by("number").values_list("content", flat=True))


@pytest.fixture
def nudged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What was sent to the workers."""
    sent: list[tuple[Any, ...]] = []
    monkeypatch.setattr("memories.dispatch._send", lambda task, args: sent.append((task, *args)))
    return sent


def test_it_starts_a_session_once(actor: Actor) -> None:
    first = start_session(actor=actor, session="s1", task="Deploy", started_at=LONG_AGO)
    again = start_session(actor=actor, session="s1")
    assert (again.pk, again.task, again.started_at) == (first.pk, "Deploy", LONG_AGO)
    assert Event.objects.filter(verb="session_started").count() == 1


def test_it_gives_a_session_without_name_one(actor: Actor) -> None:
    keys = {start_session(actor=actor).key for _time in range(2)}
    assert len(keys) == 2
    assert "" not in keys


def test_a_session_that_turns_started_learns_its_task_and_its_privacy_later(actor: Actor) -> None:
    record_turns(actor=actor, session="s1", turns=said("hello"))
    found = start_session(actor=actor, session="s1", task="Deploy", visibility="private")
    assert (found.task, found.visibility) == ("Deploy", "private")
    kept = start_session(actor=actor, session="s1", task="Other", visibility="shared")
    assert (kept.task, kept.visibility) == ("Deploy", "private")


def test_users_and_agents_do_not_share_a_session_of_one_name(
    actor: Actor, teammate: Actor
) -> None:  # D1
    for who, user_id in ((actor, ""), (actor, "ana"), (actor, "bo"), (teammate, "ana")):
        record_turns(actor=who, session="s1", user_id=user_id, turns=said("hello"))
    assert Session.objects.count() == 4
    assert set(Turn.objects.values_list("user_id", flat=True)) == {"", "ana", "bo"}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"session": "s" * 201}, "session"),
        ({"task": "t" * 501}, "task"),
        ({"visibility": "secret"}, "visibility"),
        ({"user_id": 7}, "user_id"),
        ({"started_at": "today"}, "started_at"),
        ({"started_at": datetime(1, 1, 1, tzinfo=UTC)}, "started_at"),
    ],
)
def test_it_names_what_it_cannot_use(actor: Actor, given: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid, match=field) as refusal:
        start_session(actor=actor, **given)
    assert refusal.value.field == field
    assert not Session.objects.exists()


def test_only_agents_record(person: Actor, space: Space) -> None:
    for other in (person, system_actor(space.pk)):
        with pytest.raises(NotAllowed, match="Only agents record"):
            record_turns(actor=other, session="s1", turns=said("hello"))


def test_a_key_that_only_reads_records_nothing(agent: Agent) -> None:
    reader = agent_actor(agent, scopes=["read"])
    for call in (
        lambda: start_session(actor=reader, session="s1"),
        lambda: record_turns(actor=reader, session="s1", turns=said("hello")),
        lambda: end_session(actor=reader, session="s1"),
    ):
        with pytest.raises(NotAllowed, match="lacks the scope"):
            call()
    assert not Session.objects.exists()


def test_a_key_that_only_writes_records_and_ends(agent: Agent) -> None:
    writer = agent_actor(agent, scopes=["write"])
    record_turns(actor=writer, session="s1", turns=said("hello"))
    assert end_session(actor=writer, session="s1").ended_by == "host"


def test_a_key_bound_to_one_user_records_for_that_one(space: Space) -> None:  # D1
    bound = agent_actor(Agent.objects.create(space=space, name="bound", user_id="ana"))
    assert record_turns(actor=bound, session="s", turns=said("hi")).session.user_id == "ana"
    with pytest.raises(NotAllowed, match="bound to one user"):
        record_turns(actor=bound, session="s", user_id="bo", turns=said("hi"))


def test_it_records_everything_a_turn_says(actor: Actor) -> None:  # A2
    turns: list[dict[str, Any]] = [
        {"content": "部署 docker", "speaker": "Ana", "key": "t1", "happened_at": LONG_AGO},
        {"type": "tool_call", "tool": "run", "call_id": "c1", "data": {"cmd": "ls"}},
        {
            "type": "tool_result",
            "call_id": "c1",
            "ok": False,
            "error": "exit 2",
            "duration_ms": 12,
            "data": [1, None, {"a": "\x00"}],
        },
    ]
    added = record_turns(actor=actor, session="s1", user_id="ana", turns=turns).added
    first, call, result = Turn.objects.order_by("number")
    assert [turn.pk for turn in added] == [first.pk, call.pk, result.pk]
    assert (first.number, first.speaker, first.happened_at) == (1, "Ana", LONG_AGO)
    assert (call.role, call.tool, call.data) == ("assistant", "run", {"cmd": "ls"})
    assert (result.ok, result.error, result.duration_ms) == (False, "exit 2", 12)
    assert result.data == [1, None, {"a": "�"}]
    assert {turn.space_id for turn in (first, call, result)} == {actor.space_id}


def test_it_stores_200_kilobytes_whole(actor: Actor) -> None:
    text, data = "长" * 200_000, ["y" * 199_996]
    turn = {"type": "tool_result", "tool": "cat", "content": text, "data": data}
    record_turns(actor=actor, session="s1", turns=[turn])
    stored = Turn.objects.get()
    assert (stored.content, stored.data) == (text, data)


def test_it_stores_all_of_a_batch_or_nothing(actor: Actor) -> None:
    record_turns(actor=actor, session="s1", turns=said("one"))
    with pytest.raises(Invalid, match="needs content") as refusal:
        record_turns(actor=actor, session="s1", turns=[*said("two"), {"content": ""}])
    assert refusal.value.field == "turns[1].content"
    with pytest.raises(Invalid):
        record_turns(actor=actor, session="s2", turns=said(""))
    assert contents(Session.objects.get()) == ["one"]


def test_a_retry_adds_nothing(actor: Actor) -> None:  # B10
    batch = [*said("one", key="a"), *said("two", key="b"), *said("again", key="a")]
    first = record_turns(actor=actor, session="s1", turns=batch)
    retry = record_turns(actor=actor, session="s1", turns=[*batch, *said("three", key="c")])
    assert (len(first.added), first.repeated) == (2, 1)
    assert (len(retry.added), retry.repeated) == (1, 3)
    assert contents(retry.session) == ["one", "two", "three"]


def test_turns_without_a_key_are_all_new(actor: Actor) -> None:
    for _time in range(2):
        answer = record_turns(actor=actor, session="s1", turns=said("yes", "yes"))
    assert (answer.session.turn_count, answer.repeated) == (4, 0)


def test_the_same_key_in_another_session_is_another_turn(actor: Actor) -> None:
    for session in ("s1", "s2"):
        assert record_turns(actor=actor, session=session, turns=said("x", key="a")).added


def test_two_thousand_turns_are_numbered_without_gaps(actor: Actor) -> None:
    for part in range(2):
        turns = [{"content": f"{part}-{n}", "key": f"{part}-{n}"} for n in range(1_000)]
        session = record_turns(actor=actor, session="s1", turns=turns).session
    assert list(session.turns.values_list("number", flat=True)) == list(range(1, 2_001))
    assert contents(session)[1_000] == "1-0"
    assert Session.objects.get().turn_count == 2_000


def test_a_full_session_asks_for_a_new_one(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "MAX_TURNS", 3)
    record_turns(actor=actor, session="s1", turns=said("1", "2"))
    with pytest.raises(Invalid, match="at most 3 turns: start a new session"):
        record_turns(actor=actor, session="s1", turns=said("3", "4"))
    assert record_turns(actor=actor, session="s1", turns=said("3")).session.turn_count == 3


def test_it_keeps_the_times_of_turns_told_later(actor: Actor) -> None:
    start_session(actor=actor, session="s1")
    for day in (0, 2, 1):
        turns = said("x", happened_at=LONG_AGO + timedelta(days=day))
        record_turns(actor=actor, session="s1", turns=turns)
    session = Session.objects.get()
    assert (session.started_at, session.last_turn_at) == (LONG_AGO, LONG_AGO + timedelta(days=2))
    assert timezone.now() - session.touched_at < timedelta(minutes=1)


def test_a_turn_after_the_end_opens_the_session_again(actor: Actor) -> None:
    record_turns(actor=actor, session="s1", turns=said("one", key="a"))
    end_session(actor=actor, session="s1")
    record_turns(actor=actor, session="s1", turns=said("one", key="a"))
    assert Session.objects.get().ended_by == "host"  # a retry is nothing new
    record_turns(actor=actor, session="s1", turns=said("two"))
    session = Session.objects.get()
    assert (session.ended_at, session.ended_by, session.turn_count) == (None, "", 2)


def test_two_hundred_turns_cost_as_many_queries_as_one(
    actor: Actor, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    start_session(actor=actor, session="s1")
    turns = [{"content": "x", "key": str(number)} for number in range(200)]
    with django_assert_max_num_queries(9):
        record_turns(actor=actor, session="s1", turns=turns)


def test_the_log_tells_what_happened_but_not_what_was_said(actor: Actor) -> None:
    record_turns(actor=actor, session="s1", turns=said("my secret"))
    end_session(actor=actor, session="s1")
    events = Event.objects.order_by("id")
    assert [event.verb for event in events] == ["session_started", "session_ended"]
    assert all("secret" not in str(event.data) for event in events)
    assert {event.data["session"] for event in events} == {str(Session.objects.get().pk)}


def test_new_turns_are_in_working_memory(actor: Actor) -> None:  # A1
    answer = record_turns(actor=actor, session="s1", turns=said("one", "two"))
    recent = working_memory_of(answer.session).recent()
    assert ([turn.text for turn in recent], answer.degraded) == (["one", "two"], ())


def test_without_redis_it_records_and_says_so(actor: Actor, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    answer = record_turns(actor=actor, session="s1", turns=said("one"))
    assert answer.degraded == ("working_memory",)
    assert contents(Session.objects.get()) == ["one"]


def test_it_ends_once_and_has_it_distilled_once(
    actor: Actor,
    nudged: list[tuple[Any, ...]],
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:  # H3
    record_turns(actor=actor, session="s1", turns=said("one"))
    with django_capture_on_commit_callbacks(execute=True):
        first = end_session(actor=actor, session="s1")
    with django_capture_on_commit_callbacks(execute=True):
        again = end_session(actor=actor, session="s1")
    assert (again.ended_at, again.ended_by) == (first.ended_at, "host")
    assert nudged == [("memories.distil", str(first.pk))]
    assert Event.objects.filter(verb="session_ended").count() == 1


def test_an_outcome_may_come_late_but_does_not_change(actor: Actor) -> None:
    start_session(actor=actor, session="s1")
    outcomes = [
        end_session(actor=actor, session="s1", outcome=outcome).outcome
        for outcome in ("", "failure", "success", "")
    ]
    assert outcomes == ["unknown", "failure", "failure", "failure"]
    with pytest.raises(Invalid, match="outcome must be one of"):
        end_session(actor=actor, session="s1", outcome="fine")


def test_a_foreign_session_ends_like_a_missing_one(
    actor: Actor, teammate: Actor, stranger: Actor
) -> None:  # D1
    start_session(actor=actor, session="s1", user_id="ana")
    answers = set()
    for who, user_id in ((teammate, "ana"), (stranger, "ana"), (actor, "bo"), (actor, "")):
        with pytest.raises(NotFound) as refusal:
            end_session(actor=who, session="s1", user_id=user_id)
        answers.add(refusal.value.message)
    with pytest.raises(NotFound) as refusal:
        end_session(actor=actor, session="never")
    assert answers == {refusal.value.message}
    assert Session.objects.get().ended_at is None


def test_it_ends_the_session_of_that_user_and_no_other(actor: Actor) -> None:  # D1
    for user_id in ("ana", ""):
        start_session(actor=actor, session="s1", user_id=user_id)
    end_session(actor=actor, session="s1", user_id="ana")
    assert Session.objects.get(ended_at__isnull=False).user_id == "ana"


@pytest.mark.parametrize("call", [record_turns, end_session])
def test_it_asks_for_a_name(actor: Actor, call: Callable[..., Any]) -> None:
    more = {"turns": said("x")} if call is record_turns else {}
    with pytest.raises(Invalid, match="session is empty"):
        call(actor=actor, session=" ", **more)


def test_a_person_ends_what_its_host_forgot(actor: Actor, person: Actor) -> None:  # H4
    session = start_session(actor=actor, session="s1", visibility="private")
    for _time in range(2):
        assert end_by_person(actor=person, session_id=session.pk).ended_by == "person"
    assert Event.objects.filter(verb="session_ended", actor_name="rui").count() == 1


def test_only_people_who_may_write_end_sessions_of_their_space(
    actor: Actor, person: Actor, stranger: Actor, space: Space
) -> None:  # D1, G4
    session = start_session(actor=actor, session="s1")
    user = User.objects.create_user("vera", password="look-back-1")
    Membership.objects.create(space=space, user=user, role=Membership.Role.VIEWER)
    viewer = actor_for_user(user)
    assert viewer is not None
    for who in (viewer, actor, stranger):
        with pytest.raises(NotAllowed):
            end_by_person(actor=who, session_id=session.pk)
    elsewhere = Space.objects.get(slug="elsewhere")
    Membership.objects.create(space=elsewhere, user=user, role=Membership.Role.REVIEWER)
    foreigner = actor_for_user(user, elsewhere.pk)
    assert foreigner is not None
    for whom, session_id in ((foreigner, session.pk), (person, uuid4())):
        with pytest.raises(NotFound):
            end_by_person(actor=whom, session_id=session_id)
    assert Session.objects.get().ended_at is None


# At once


def at_once(count: int, call: Callable[[int], Any]) -> Iterator[Any]:
    """Call in as many threads, all starting together; each on a connection of its own."""
    barrier = Barrier(count)

    def run(number: int) -> Any:
        barrier.wait(30)
        try:
            return call(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        yield from pool.map(run, range(count))


@pytest.mark.django_db(transaction=True)
def test_ten_writers_at_once_start_one_session_and_number_its_turns(actor: Actor) -> None:
    def record(writer: int) -> int:
        answers = [
            record_turns(actor=actor, session="s1", turns=said(f"{writer}-{n}", "and"))
            for n in range(4)
        ]
        return sum(len(answer.added) for answer in answers)

    assert list(at_once(10, record)) == [8] * 10
    session = Session.objects.get()
    assert list(session.turns.values_list("number", flat=True)) == list(range(1, 81))
    assert session.turn_count == 80
    mine = [text for text in contents(session) if text.startswith("3-")]
    assert mine == ["3-0", "3-1", "3-2", "3-3"]


@pytest.mark.django_db(transaction=True)
def test_one_turn_sent_by_ten_at_once_is_recorded_once(actor: Actor) -> None:  # B10
    def record(_writer: int) -> int:
        return record_turns(actor=actor, session="s1", turns=said("x", key="a")).repeated

    assert sorted(at_once(10, record)) == [0] + [1] * 9
    assert Turn.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_ending_at_once_has_it_distilled_once(actor: Actor, nudged: list[tuple[Any, ...]]) -> None:
    session = start_session(actor=actor, session="s1")
    list(at_once(4, lambda _n: end_session(actor=actor, session="s1")))
    assert nudged == [("memories.distil", str(session.pk))]
