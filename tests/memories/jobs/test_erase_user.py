"""Everything about one end user goes, and the dump of the database proves it (E6)."""

import json
from collections.abc import Callable, Collection
from dataclasses import replace
from uuid import UUID

import pytest
from django.utils import timezone

from memories import jobs
from memories.errors import Invalid, NotAllowed
from memories.jobs.erasing import erase_user, receipts_of
from memories.jobs.kinds import erase_user as kind
from memories.lifecycle.erasing import STEPS
from memories.lifecycle.purging import Removed
from memories.models import Agent, AgentKey, Event, JobRun, Memory, Session, Tombstone
from memories.permissions import Actor
from memories.sessions import record_turns
from memories.sessions.redis_link import configured_link
from memories.sessions.working import WorkingMemory, WorkingMemoryDown
from tests.memories.jobs.lives import dumped, live, rows_about
from tests.memories.recall.helpers import jot

X, MARKS = "u-x-4711", ("qzyxbarrow", "琥珀鲸鱼")
OTHER = "u-other"
# As the keyword index cuts them, too.
PIECES = (X, "qzyxbarrow", "琥珀", "珀鲸", "鲸鱼")


def erased(admin: Actor, user_id: str = X) -> JobRun:
    run = erase_user(actor=admin, user_id=user_id, confirm=user_id)
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    return run


@pytest.mark.django_db(transaction=True)
def test_nothing_about_the_user_is_in_a_dump_afterwards(
    embedder: str, admin: Actor, actor: Actor, person: Actor
) -> None:
    live(actor, person, OTHER, "innocent")
    before = rows_about(OTHER)
    live(actor, person, X, " ".join(MARKS))
    dump = dumped()
    assert all(piece in dump for piece in PIECES)
    sessions = list(Session.objects.filter(user_id=X).values_list("pk", flat=True))
    run = erased(admin)
    assert (run.state, run.note, run.failed) == ("done", "", 0)
    dump = dumped()
    found = [line for line in dump.splitlines() for piece in PIECES if piece in line]
    assert found == []
    assert rows_about(OTHER) == before
    assert all(n for n in map(len, before.values()))
    assert held(sessions) == 0


def held(sessions: list[UUID]) -> int:
    """How many keys of working memory these sessions have."""
    with configured_link().answering() as redis:
        return sum(
            bool(redis.exists(key)) for one in sessions for key in WorkingMemory(one, 1, 1)._keys
        )


@pytest.mark.django_db
def test_the_receipt_counts_what_went(admin: Actor, actor: Actor) -> None:
    for text in ("likes tea", "likes rain"):
        jot(actor, text, user_id=X)
    record_turns(actor=actor, session="s", turns=[{"content": "hello"}], user_id=X)
    run = erased(admin)
    assert run.counts == {
        "memory": 2,
        "memoryversion": 2,
        "session": 1,
        "turn": 1,
        "event": 1,
        "jobrun": 1,
    }
    assert set(run.arguments) == {"subject"}
    assert X not in json.dumps(run.arguments)
    assert Event.objects.get(verb="user_erased").data == {"run": str(run.pk), "counts": run.counts}
    assert [one.pk for one in receipts_of(admin, X)] == [run.pk]
    assert not receipts_of(admin, "somebody else")
    assert set(Tombstone.objects.values_list("why", flat=True)) == {"erased"}


Remove = Callable[[Actor, str, Collection[UUID]], Removed]


def removing(monkeypatch: pytest.MonkeyPatch, otherwise: Callable[[Remove], Remove]) -> None:
    """Let memories be removed in another way, made of the real one."""
    sessions, memories, *rest = STEPS
    other = replace(memories, remove=otherwise(memories.remove))
    monkeypatch.setattr(kind, "STEPS", (sessions, other, *rest))


@pytest.mark.django_db
def test_what_is_written_meanwhile_goes_too(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = ["and rain", "and snow"]
    # The id is before the cursor of the run: only another round finds it.
    early = (UUID(int=1), UUID(int=2))

    def busy(real: Remove) -> Remove:
        def remove(by: Actor, name: str, keys: Collection[UUID]) -> Removed:
            if late:
                jot(actor, late.pop(), user_id=X, pk=early[len(late)])
            return real(by, name, keys)

        return remove

    jot(actor, "likes tea", user_id=X)
    removing(monkeypatch, busy)
    run = erased(admin)
    assert (run.state, run.counts["memory"]) == ("done", 3)
    assert not Memory.objects.filter(user_id=X).exists()


@pytest.mark.django_db
def test_it_does_not_say_done_before_nothing_is_left(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    jot(actor, "likes tea", user_id=X)
    with monkeypatch.context() as patched:
        patched.setattr(kind, "is_left", lambda _space, _name: True)
        run = erased(admin)
    assert (run.state, bool(run.note), run.arguments) == ("waiting", True, {"user_id": X})
    jot(actor, "likes rain", user_id=X)
    JobRun.objects.filter(pk=run.pk).update(not_before=None)
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.counts["memory"]) == ("done", 2)


@pytest.mark.django_db
def test_a_row_that_fails_is_no_done(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, _good = jot(actor, "likes tea", user_id=X), jot(actor, "likes rain", user_id=X)

    def poisoned(real: Remove) -> Remove:
        def remove(by: Actor, name: str, keys: Collection[UUID]) -> Removed:
            if bad.pk in keys:
                raise RuntimeError
            return real(by, name, keys)

        return remove

    with monkeypatch.context() as patched:
        removing(patched, poisoned)
        run = erased(admin)
    assert (run.state, run.counts["memory"]) == ("failed", 1)
    assert list(Memory.objects.filter(user_id=X)) == [bad]
    # Asked for again it goes on, and no run keeps the name.
    assert erased(admin).state == "done"
    assert not any("user_id" in one.arguments for one in JobRun.objects.all())


@pytest.mark.django_db
def test_it_waits_while_working_memory_is_away(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_turns(actor=actor, session="s", turns=[{"content": "hello"}], user_id=X)

    def away(_sessions: object) -> None:
        raise WorkingMemoryDown("away")

    monkeypatch.setattr(kind, "forget", away)
    assert erased(admin).state == "waiting"
    assert Session.objects.filter(user_id=X).exists()


@pytest.mark.django_db
def test_an_agent_bound_to_the_user_acts_for_nobody_afterwards(admin: Actor, agent: Agent) -> None:
    Agent.objects.filter(pk=agent.pk).update(user_id=X)
    erased(admin)
    agent.refresh_from_db()
    assert agent.user_id.startswith("erased-")
    assert not agent.is_active
    assert not AgentKey.objects.filter(agent=agent).exists()


@pytest.mark.django_db
def test_runs_forget_where_they_were(admin: Actor) -> None:
    other = JobRun.objects.create(
        space_id=admin.space_id,
        job="consolidate",
        state="failed",
        cursor=f"some-id/{X}",
        errors=[{"row": f"a/{X}", "error": "no"}, {"row": f"b{X}", "error": "no"}],
        finished_at=timezone.now(),
    )
    assert erased(admin).counts == {"jobrun": 2}
    other.refresh_from_db()
    assert (other.cursor, [one["row"] for one in other.errors]) == ("some-id/", ["a/", f"b{X}"])


@pytest.mark.django_db
def test_it_waits_for_a_run_that_is_at_the_user(admin: Actor) -> None:
    JobRun.objects.create(space_id=admin.space_id, job="consolidate", cursor=f"some-id/{X}")
    assert erased(admin).state == "waiting"


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "again"), [("", ""), ("  ", " "), (X, ""), (X, X.upper())])
def test_it_refuses_what_is_not_confirmed(admin: Actor, name: str, again: str) -> None:
    with pytest.raises(Invalid):
        erase_user(actor=admin, user_id=name, confirm=again)
    assert not JobRun.objects.exists()


@pytest.mark.django_db
def test_it_is_for_admins(actor: Actor, person: Actor) -> None:
    for somebody in (actor, person):
        with pytest.raises(NotAllowed):
            erase_user(actor=somebody, user_id=X, confirm=X)
        with pytest.raises(NotAllowed):
            receipts_of(somebody)


@pytest.mark.django_db
def test_two_users_are_not_erased_at_once(admin: Actor) -> None:
    first = erase_user(actor=admin, user_id=X, confirm=X)
    assert erase_user(actor=admin, user_id=X, confirm=X).pk == first.pk
    with pytest.raises(Invalid):
        erase_user(actor=admin, user_id=OTHER, confirm=OTHER)


@pytest.mark.django_db
def test_another_space_keeps_its_own(admin: Actor, stranger: Actor) -> None:  # D1
    theirs = jot(stranger, "likes tea", user_id=X)
    erased(admin)
    assert Memory.objects.filter(pk=theirs.pk).exists()
