"""A run is taken back row by row; what somebody changed since is theirs (E1, I5)."""

from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries

from memories import history, jobs
from memories.errors import Invalid, NotAllowed, NotFound
from memories.identity import actor_for_user
from memories.jobs import Asked
from memories.lifecycle import delete_memory, propose_clean_up, undo, update_memory
from memories.lifecycle.undoing import undo_at
from memories.models import Event, Flag, Memory, MemoryVersion, Space
from memories.permissions import Actor
from tests.memories.jobs.archiving import carried, install, ran
from tests.memories.recall.helpers import jot
from tests.people import conflict, member

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


@pytest.fixture
def five(actor: Actor) -> list[Memory]:
    return [jot(actor, f"Note number {number}.") for number in range(5)]


def statuses(memories: list[Memory]) -> list[str]:
    for memory in memories:
        memory.refresh_from_db(fields=["status", "version"])
    return [memory.status for memory in memories]


def test_it_brings_back_what_a_run_changed_but_for_what_was_changed_since(
    admin: Actor, five: list[Memory]
) -> None:
    run = ran(admin)
    assert statuses(five) == ["archived"] * 5
    delete_memory(actor=admin, memory_id=five[2].pk)
    undoing = carried(jobs.undo_run(actor=admin, run_id=run.pk))
    assert statuses(five) == ["active", "active", "deleted", "active", "active"]
    assert (undoing.state, undoing.counts) == ("done", {"undone": 4, "changed": 1})
    assert (undoing.total, undoing.failed) == (5, 0)


def test_it_says_so_in_the_history(admin: Actor, five: list[Memory]) -> None:
    undoing = carried(jobs.undo_run(actor=admin, run_id=ran(admin).pk))
    newest = MemoryVersion.objects.filter(memory=five[0]).first()
    assert newest is not None
    assert (newest.number, newest.reason, newest.operation) == (3, "run undone", undoing.pk)
    assert Event.objects.filter(memory_id=five[0].pk, verb="undone").count() == 1


def test_it_changes_nothing_when_done_twice(admin: Actor, five: list[Memory]) -> None:
    run = ran(admin)
    carried(jobs.undo_run(actor=admin, run_id=run.pk))
    before = list(MemoryVersion.objects.values_list("pk", flat=True))
    again = carried(jobs.undo_run(actor=admin, run_id=run.pk))
    assert (again.state, again.counts, again.failed) == ("done", {}, 0)
    assert list(MemoryVersion.objects.values_list("pk", flat=True)) == before
    assert statuses(five) == ["active"] * 5


def test_it_only_counts_in_a_dry_run(admin: Actor, five: list[Memory]) -> None:
    run = ran(admin)
    tried = carried(jobs.undo_run(actor=admin, run_id=run.pk, trial=True))
    assert tried.counts == {"undone": 5}
    assert statuses(five) == ["archived"] * 5
    assert carried(jobs.carry_out(actor=admin, run_id=tried.pk)).counts == {"undone": 5}
    assert statuses(five) == ["active"] * 5


def test_it_asks_again_what_the_run_had_settled(admin: Actor, actor: Actor, embedder: str) -> None:
    """Both sides of a conflict were put away: it is open again once both are back."""
    flag = conflict(actor)
    before = statuses([flag.memory, flag.counterpart])  # type: ignore[list-item]
    run = ran(admin)
    flag.refresh_from_db()
    assert flag.status == "resolved"
    carried(jobs.undo_run(actor=admin, run_id=run.pk))
    flag.refresh_from_db()
    assert statuses([flag.memory, flag.counterpart]) == before  # type: ignore[list-item]
    assert (flag.status, flag.resolved_in) == ("open", None)
    assert (flag.memory_version, flag.counterpart_version) == (
        flag.memory.version,
        flag.counterpart and flag.counterpart.version,
    )


def test_it_does_not_ask_again_about_what_is_gone(
    admin: Actor, actor: Actor, embedder: str
) -> None:
    flag = conflict(actor)
    run = ran(admin)
    assert flag.counterpart_id
    delete_memory(actor=admin, memory_id=flag.counterpart_id)
    carried(jobs.undo_run(actor=admin, run_id=run.pk))
    flag.refresh_from_db()
    assert flag.status == "resolved"


def asking(asked: Asked, row: UUID, _ready: object) -> str:
    propose_clean_up(actor=asked.actor, memory_id=row, reason="unused", scores={})
    return "kept"


def test_it_withdraws_what_the_run_asked_and_nobody_decided(
    admin: Actor, five: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, work=asking)
    run = ran(admin)
    assert Flag.objects.open().filter(opened_in=run.pk).count() == 5
    undoing = carried(jobs.undo_run(actor=admin, run_id=run.pk))
    assert undoing.counts == {"undone": 5}
    assert not Flag.objects.open().exists()
    assert carried(jobs.undo_run(actor=admin, run_id=run.pk)).counts == {}


def test_it_brings_a_text_back_with_an_embedding(
    admin: Actor, five: list[Memory], embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rewriting(asked: Asked, row: UUID, _ready: object) -> str:
        memory = Memory.objects.select_for_update().get(pk=row)
        given: dict[str, Any] = {"content": "Other words.", "embedding": None}
        history.change(memory, actor=asked.actor, verb="updated", **given)
        return "kept"

    install(monkeypatch, work=rewriting)
    for memory in five[1:]:
        delete_memory(actor=admin, memory_id=memory.pk)
    run = ran(admin)
    carried(jobs.undo_run(actor=admin, run_id=run.pk))
    memory = Memory.objects.get(pk=five[0].pk)
    assert memory.content == "Note number 0."
    assert memory.embedding is not None


def test_it_takes_many_back_with_few_statements(
    admin: Actor,
    actor: Actor,
    five: list[Memory],
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    many = five + [jot(actor, f"Another note, {number}.") for number in range(55)]
    run = ran(admin)
    undoing = jobs.undo_run(actor=admin, run_id=run.pk)
    with django_assert_max_num_queries(50):
        jobs.carry_on(undoing.pk)
    assert statuses(many) == ["active"] * 60
    events = Event.objects.filter(verb="undone").values_list("data__reason", flat=True)
    assert list(events) == ["run undone"] * 60


def test_it_brings_back_what_a_memory_was_replaced_by(
    admin: Actor, five: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ways: what was replaced in the run is not any more, what was before is again."""
    with transaction.atomic():
        locked = Memory.objects.select_for_update().get(pk=five[0].pk)
        history.change(locked, actor=admin, verb="superseded", replaced_by_id=five[4].pk)

    def replacing(asked: Asked, row: UUID, _ready: object) -> str:
        memory = Memory.objects.select_for_update().get(pk=row)
        by = five[3].pk if row == five[1].pk else None
        fields: dict[str, Any] = {"replaced_by_id": by, "status": "superseded"}
        history.change(memory, actor=asked.actor, verb="superseded", **fields)
        return "kept"

    install(monkeypatch, work=replacing)
    carried(jobs.undo_run(actor=admin, run_id=ran(admin).pk))
    assert statuses(five) == ["active"] * 5
    left = Memory.objects.order_by("pk").values_list("replaced_by_id", flat=True)
    assert list(left) == [five[4].pk, None, None, None, None]


def test_it_leaves_a_row_whose_text_another_memory_says_by_now(
    admin: Actor, actor: Actor, five: list[Memory]
) -> None:
    run = ran(admin)
    jot(actor, "Note number 1.")
    undoing = carried(jobs.undo_run(actor=admin, run_id=run.pk))
    assert (undoing.counts, undoing.failed) == ({"undone": 4}, 1)
    assert undoing.errors[0]["row"] == str(five[1].pk)
    assert "another memory says the same" in undoing.errors[0]["error"]


def test_it_undoes_no_dry_run_no_open_run_and_no_purge(
    admin: Actor, five: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Invalid, match="nothing to undo"):
        jobs.undo_run(actor=admin, run_id=ran(admin, trial=True).pk)
    waiting = jobs.start(actor=admin, job="toy")
    with pytest.raises(Invalid, match="stop it first"):
        jobs.undo_run(actor=admin, run_id=waiting.pk)
    done = carried(waiting)
    install(monkeypatch, undoable=False)
    with pytest.raises(Invalid, match="cannot be undone"):
        jobs.undo_run(actor=admin, run_id=done.pk)


def test_it_undoes_one_run_at_a_time(admin: Actor, five: list[Memory]) -> None:
    first, second = ran(admin), ran(admin)
    undoing = jobs.undo_run(actor=admin, run_id=first.pk)
    assert jobs.undo_run(actor=admin, run_id=first.pk) == undoing
    with pytest.raises(Invalid, match="Another run is being undone"):
        jobs.undo_run(actor=admin, run_id=second.pk)
    with pytest.raises(Invalid, match="A run of this job is open"):
        jobs.undo_run(actor=admin, run_id=first.pk, trial=True)


@pytest.mark.usefixtures("five")
def test_only_an_admin_of_the_space_undoes_a_run(admin: Actor, person: Actor) -> None:
    run = ran(admin)
    with pytest.raises(NotAllowed):
        jobs.undo_run(actor=person, run_id=run.pk)
    elsewhere = Space.objects.create(slug="away", name="Away")
    other = actor_for_user(member(elsewhere, "otto", "admin"))
    assert other is not None
    with pytest.raises(NotFound):  # D1
        jobs.undo_run(actor=other, run_id=run.pk)


def test_it_brings_nothing_back_of_another_space(
    admin: Actor, five: list[Memory], stranger: Actor
) -> None:
    """Whatever a run's arguments say: its actor sees its own space alone."""
    run = ran(admin)
    assert (
        undo_at(actor=stranger, operation=run.pk, memory_id=five[0].pk, embeddings={}) == "changed"
    )


def test_a_whole_operation_is_undone_as_before(admin: Actor, five: list[Memory]) -> None:
    run = ran(admin)
    undo(actor=admin, operation=run.pk, embeddings={})
    assert statuses(five) == ["active"] * 5
    update_memory(actor=admin, memory_id=five[0].pk, expected_version=3, subject="x")
