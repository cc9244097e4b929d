"""History is append-only, whatever asks: the database refuses to change it (E1)."""

import pytest
from django.db import DatabaseError, connection, transaction

from memories import history
from memories.models import Event, MemoryVersion
from memories.permissions import Actor
from tests.memories.recall.helpers import jot

pytestmark = pytest.mark.django_db

TABLES = ("memories_event", "memories_memoryversion")
CHANGES = (
    "UPDATE memories_event SET verb = 'nothing'",
    "UPDATE memories_event SET data = '{}'",
    "UPDATE memories_event SET actor_name = 'somebody else', data = '{}'",
    "UPDATE memories_event SET created_at = now()",
    "UPDATE memories_memoryversion SET content = 'something else'",
    "UPDATE memories_memoryversion SET actor_name = 'somebody else'",
    "DELETE FROM memories_event",
    "DELETE FROM memories_memoryversion",
)
# What even a purge may not do.
NEVER = tuple(one for one in CHANGES if one not in (CHANGES[1], CHANGES[7]))


def run(sql: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


@pytest.mark.parametrize("sql", CHANGES)
def test_plain_sql_is_refused(actor: Actor, sql: str) -> None:
    jot(actor, "Tea at four.")
    with pytest.raises(DatabaseError, match="append-only"):
        run(sql)


@pytest.mark.parametrize("sql", NEVER)
def test_a_purge_takes_texts_and_nothing_else(actor: Actor, sql: str) -> None:
    jot(actor, "Tea at four.")
    with pytest.raises(DatabaseError, match="append-only"), history.erasing("texts"):
        run(sql)


@pytest.mark.parametrize("sql", [CHANGES[1], CHANGES[7]])
def test_the_permission_ends_with_the_purge(actor: Actor, sql: str) -> None:
    jot(actor, "Tea at four.")
    with history.erasing("texts"):
        pass
    with pytest.raises(DatabaseError, match="append-only"):
        run(sql)


def test_a_purge_may_empty_events_and_remove_versions(actor: Actor) -> None:
    jot(actor, "Tea at four.")
    with history.erasing("texts"):
        run(CHANGES[1])
        run(CHANGES[7])
    assert Event.objects.get().data == {}
    assert not MemoryVersion.objects.exists()
