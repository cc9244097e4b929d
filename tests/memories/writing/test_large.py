"""What a statement of a very large user is compared with comes from the indexes (B7, D1, speed)."""

from collections.abc import Iterator, Sequence
from operator import mul
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from memories import history
from memories.evaluation.vectors import vector
from memories.models import Memory
from memories.permissions import Actor
from memories.writing.neighbours import around
from tests.memories.recall.large import MODEL, USER, in_small, indexed, texts_of, told

pytestmark = pytest.mark.django_db(transaction=True)

MOST = 20


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with in_small(monkeypatch):
        yield


def unsaved(actor: Actor, text: str, user_id: str = USER, visibility: str = "shared") -> Memory:
    memory = Memory(
        space_id=actor.space_id,
        agent_id=actor.id,
        user_id=user_id,
        visibility=visibility,
        content=text,
        embedding=vector(text),
        embedding_model=MODEL,
    )
    history.index(memory)
    return memory


def nearest(memories: Sequence[Memory]) -> tuple[list[list[UUID]], bool]:
    """Return the nearest of each, nearest first, and whether the indexes told them."""
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        found = around(memories, MOST, 3)
    used = [query["sql"] for query in queries if "hnsw.ef_search" in query["sql"]]
    return [
        [near.memory.pk for near in found[memory.pk].get("nearest", ())] for memory in memories
    ], bool(used)


def by_hand(memory: Memory, known: Sequence[Memory]) -> list[UUID]:
    def likeness(other: Memory) -> float:
        return float(sum(map(mul, memory.embedding, other.embedding)))

    return [other.pk for other in sorted(known, key=likeness, reverse=True)[:MOST]]


def test_they_are_nearly_those_that_reading_everything_gives(actor: Actor, admin: Actor) -> None:
    """In both languages, whichever the statement is in."""
    known = told(actor, [*texts_of(0, 600), *texts_of(1, 400)])
    told(actor, texts_of(2, 200), user_id="someone else")
    indexed(admin)
    asked = [unsaved(actor, f"{one.content} now") for one in known[::50]]
    found, used = nearest(asked)
    assert used
    shares = [
        len({*near} & {*by_hand(memory, known)}) / MOST
        for memory, near in zip(asked, found, strict=True)
    ]
    assert sum(shares) / len(shares) >= 0.95
    assert {key for near in found for key in near} <= {one.pk for one in known}


def test_each_of_several_users_has_their_own(actor: Actor, admin: Actor) -> None:
    owners = {user: told(actor, texts_of(0, 300), user_id=user) for user in (USER, "twin")}
    indexed(admin)
    found, used = nearest([unsaved(actor, "a deployment", user) for user in owners])
    assert used
    for near, known in zip(found, owners.values(), strict=True):
        assert len(near) == MOST
        assert {*near} <= {one.pk for one in known}


@pytest.mark.parametrize("small", ["user", "private"])
def test_what_is_small_is_read_as_a_whole(actor: Actor, admin: Actor, small: str) -> None:
    told(actor, texts_of(0, 300))
    fields = {"user": {"user_id": "ada"}, "private": {"visibility": "private"}}[small]
    few = told(actor, texts_of(2, 30), **fields)
    indexed(admin)
    found, used = nearest([unsaved(actor, "a deployment", **fields)])
    assert not used
    assert len(found[0]) == MOST
    assert {*found[0]} <= {one.pk for one in few}


def test_it_reads_everything_where_the_indexes_find_too_few(
    actor: Actor, admin: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = told(actor, texts_of(0, 300))
    indexed(admin)
    asked = unsaved(actor, "a deployment")
    monkeypatch.setattr(
        "memories.writing.neighbours._SETTINGS", "SELECT set_config('hnsw.ef_search', '5', true)"
    )
    found, used = nearest([asked])
    assert used
    assert found == [by_hand(asked, known)]
