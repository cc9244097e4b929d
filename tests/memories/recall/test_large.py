"""A very large owner is recalled by indexes, nearly as if all of it were read (D1, speed)."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from uuid import UUID

import pytest
from django.db import connection

from memories.embedding import indexing
from memories.evaluation import corpus
from memories.models import Memory, Space
from memories.permissions import Actor
from memories.policies import RecallPolicy
from memories.recall.arms import Proposed
from memories.recall.ranking import Setting, ranked
from tests.memories.recall.helpers import NOW, jot
from tests.memories.recall.large import MODEL, USER, in_small, indexed, proposed, texts_of, told

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with in_small(monkeypatch):
        yield


def best(found: Proposed) -> set[UUID]:
    order = ranked(found, RecallPolicy(), Setting(NOW, unrelated=0.75))
    return {one.candidate.id for one in islice(order, 10)}


def test_it_ranks_nearly_as_if_all_were_read(actor: Actor, admin: Actor) -> None:
    """Of the ten best .95 are the same, in a scope of two languages."""
    told(actor, [*texts_of(0, 3_600), *texts_of(1, 1_600)])
    indexed(admin)
    shares = []
    for number in range(0, 1_200, 100):
        query = corpus.question(number // 100 % 2, number, 1_500)
        by_index, used = proposed(actor, query, limit=100)
        exactly, _used = proposed(actor, query, exact=True, limit=100)
        assert used
        assert abs(by_index.size - exactly.size) < 0.1 * exactly.size
        shares.append(len(best(by_index) & best(exactly)) / len(best(exactly)))
    assert sum(shares) / len(shares) >= 0.95


def test_it_weighs_words_that_nobody_has_as_if_all_were_read(actor: Actor, admin: Actor) -> None:
    texts = texts_of(0, 400)
    told(actor, texts)
    indexed(admin)
    query = f"{texts[7]} okapi zebra gnu"
    (by_index, used), (exactly, _used) = proposed(actor, query), proposed(actor, query, exact=True)
    covered, all_read = (
        max(one.coverage for one in found.candidates) for found in (by_index, exactly)
    )
    assert used
    assert covered == pytest.approx(all_read, rel=0.1)


def test_it_reads_a_small_scope_as_a_whole(actor: Actor, admin: Actor) -> None:
    told(actor, texts_of(0, 300))
    indexed(admin)
    wanted = jot(actor, "The rare okapi", user_id=USER, kind="lesson", tags=["zoo"])
    found, used = proposed(actor, "okapi", tags=["zoo"])
    assert not used
    assert [one.id for one in found.candidates] == [wanted.pk]
    assert proposed(actor, "okapi", tags=["nothing"]) == (Proposed(()), False)


def test_it_filters_what_the_indexes_find(actor: Actor, admin: Actor) -> None:  # C3
    texts = texts_of(0, 500)
    told(actor, texts[::2], kind="lesson")
    told(actor, texts[1::2], kind="fact")
    indexed(admin)
    found, used = proposed(actor, texts[1], kinds=["lesson"])
    assert used
    kinds = Memory.objects.filter(pk__in=[one.id for one in found.candidates]).values_list("kind")
    assert set(kinds) == {("lesson",)}


def test_it_shows_and_counts_nothing_foreign(
    actor: Actor, teammate: Actor, admin: Actor
) -> None:  # D1, D2
    texts = texts_of(0, 400)
    told(actor, texts)
    indexed(admin)
    alone, used = proposed(actor, texts[3])
    assert used
    foreign = told(teammate, [f"{text} Again." for text in texts[:60]], "bob")
    foreign += told(teammate, [f"{text} Mine." for text in texts[:60]], visibility="private")
    found, used = proposed(actor, texts[3])
    assert used
    assert {one.id for one in found.candidates}.isdisjoint(one.pk for one in foreign)
    assert set(found.candidates) == set(alone.candidates)
    assert replace(found, candidates=()) == replace(alone, candidates=())


def test_it_finds_the_other_language(actor: Actor, admin: Actor) -> None:
    chinese = texts_of(1, 60)
    wanted = {memory.pk for memory in told(actor, chinese)}
    told(actor, texts_of(0, 400))
    indexed(admin)
    found, used = proposed(actor, "okapi", near=chinese[0])  # no word of it is told
    assert used
    assert len(wanted & {one.id for one in found.candidates}) >= 15


def test_it_reads_all_when_the_indexes_find_too_little(
    actor: Actor, admin: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(actor, texts_of(0, 400), kind="lesson")
    indexed(admin)
    Memory.objects.exclude(pk__in=Memory.objects.values("pk")[:10]).update(
        embedding=None, embedding_model=""
    )
    found, _used = proposed(actor, "a deploy")
    exactly, _used = proposed(actor, "a deploy", exact=True)
    assert found == exactly


def test_it_uses_no_index_while_the_model_changes(
    actor: Actor, admin: Actor, space: Space
) -> None:  # E9
    texts = texts_of(0, 300)
    told(actor, texts)
    indexed(admin)
    assert proposed(actor, texts[0])[1]
    Space.objects.filter(pk=space.pk).update(other_model="another")
    indexing.forget()
    assert not proposed(actor, texts[0])[1]
    assert indexed(admin) == {"dropped": 5}
    assert indexing.existing() == {}


def test_it_makes_each_index_once(actor: Actor, admin: Actor) -> None:  # I5
    told(actor, texts_of(0, 150))
    assert indexed(admin) == {"made": 5}
    assert indexed(admin) == {}
    assert set(indexing.existing().values()) == {True}
    Memory.objects.all().update(user_id="")
    Memory.objects.exclude(pk__in=Memory.objects.values("pk")[:50]).update(status="archived")
    assert indexed(admin) == {"dropped": 5}


def test_it_makes_the_rest_of_one_whose_maker_was_killed(actor: Actor, admin: Actor) -> None:
    told(actor, texts_of(0, 150))
    indexed(admin)
    name = min(indexing.existing())
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", [name]
        )
    indexing.forget()
    assert indexing.ready(actor.space_id, MODEL) is None
    assert indexed(admin) == {"made": 1}
    assert indexing.ready(actor.space_id, MODEL) is not None


def test_it_makes_none_for_many_small_owners(actor: Actor, admin: Actor) -> None:
    for owner in range(3):
        told(actor, texts_of(owner, 60), f"user-{owner}")
    assert indexed(admin) == {}
    assert indexing.existing() == {}


def test_it_drops_those_of_a_space_that_is_gone(
    actor: Actor, admin: Actor, stranger: Actor
) -> None:
    told(stranger, texts_of(0, 150))
    gone = indexing.wanted(stranger.space_id, MODEL)
    for name, statement in gone.items():
        indexing.make(name, statement)
    Memory.objects.filter(space_id=stranger.space_id).delete()
    Space.objects.filter(pk=stranger.space_id).delete()
    assert indexed(admin) == {"dropped": 5}
