"""Memories in the graph: entities of one owner, mentions, aliases, links (A3, J1, D1)."""

from datetime import timedelta

import pytest
from django.db import DataError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories import history
from memories.graph import link_all
from memories.graph.entities import Name
from memories.graph.extracting import checked
from memories.graph.linking import link, prepared, prune, read, relearn, waiting
from memories.graph.relating import causes_in
from memories.models import Memory
from memories.models.graph import Entity, Link, Mention
from memories.permissions import Actor
from memories.policies import PolicyNumbers
from memories.writing.judge import thresholds_for
from tests.memories.recall.helpers import jot, remember

POLICY = PolicyNumbers()


def names_of(memory: Memory) -> set[str]:
    return set(Mention.objects.filter(memory=memory).values_list("entity__key", flat=True))


def changed(memory: Memory, actor: Actor, content: str) -> None:
    with transaction.atomic():
        locked = Memory.objects.select_for_update().get(pk=memory.pk)
        history.change(locked, actor=actor, verb="updated", content=content)


def test_it_gives_two_memories_one_entity(actor: Actor) -> None:
    one, other = (
        jot(actor, "Redis runs in Berlin."),
        jot(actor, "They met Anna at redis.io, in Berlin"),
    )
    assert link_all(actor.space_id) == 2
    assert names_of(one) & names_of(other) == {"berlin"}
    assert Entity.objects.filter(key="berlin").count() == 1


def test_it_links_nothing_twice(actor: Actor) -> None:  # I5
    memory = jot(actor, "Orion Labs moved to Berlin.")
    link_all(actor.space_id)
    before = list(Mention.objects.values_list("pk", flat=True))
    assert link_all(actor.space_id) == 0
    assert list(Mention.objects.values_list("pk", flat=True)) == before
    memory.refresh_from_db()
    assert (memory.linked_version, memory.version) == (1, 1)


def test_it_follows_a_new_version(actor: Actor) -> None:
    memory = jot(actor, "Orion Labs moved to Berlin.")
    link_all(actor.space_id)
    changed(memory, actor, "Orion Labs moved to Vienna.")
    assert waiting(actor.space_id) == [memory.pk]
    link_all(actor.space_id)
    assert names_of(memory) == {"orionlab", "vienna"}


def test_it_leaves_what_changed_meanwhile_to_the_next_run(actor: Actor) -> None:
    memory = jot(actor, "Orion Labs moved to Berlin.")
    ready = prepared(read([memory.pk]))
    changed(memory, actor, "Orion Labs moved to Vienna.")
    with transaction.atomic():
        assert link([memory.pk], ready, POLICY) == {}
    assert not names_of(memory)
    assert waiting(actor.space_id) == [memory.pk]


def test_it_merges_entities_that_turn_out_to_be_one(actor: Actor) -> None:
    first = jot(actor, "The Acme Billing Platform failed.")
    second = jot(actor, "We restarted ABP twice.")
    link_all(actor.space_id)
    assert names_of(first).isdisjoint(names_of(second))
    third = jot(actor, "Ask Jo about the Acme Billing Platform (ABP).")
    link_all(actor.space_id)
    assert names_of(first) == names_of(second) == {"acmebillingplatform"}
    assert "acmebillingplatform" in names_of(third)
    entity = Entity.objects.get(key="acmebillingplatform")
    assert set(entity.keys) == {"acmebillingplatform", "abp"}
    assert not Entity.objects.filter(key="abp").exists()


def test_it_finds_an_entity_by_its_alias(actor: Actor) -> None:
    one, other = jot(actor, "The cluster runs on Kubernetes."), jot(actor, "我们在 k8s 上部署")
    link_all(actor.space_id)
    assert names_of(one) & names_of(other) == {"kubernete"}


def test_it_keeps_owners_apart(actor: Actor, stranger: Actor) -> None:  # D1
    text = "Orion Labs moved to Berlin."
    shared, hers = jot(actor, text), jot(actor, text, user_id="u1")
    private, foreign = jot(actor, text, visibility="private"), jot(stranger, text)
    link_all(actor.space_id)
    link_all(stranger.space_id)
    owners = [
        frozenset(Mention.objects.filter(memory=memory).values_list("entity", flat=True))
        for memory in (shared, hers, private, foreign)
    ]
    assert len(frozenset.union(*owners)) == 8
    assert Entity.objects.get(mentions__memory=private, key="berlin").agent_id == actor.id


def test_it_learns_no_alias_from_a_private_memory_for_others(actor: Actor) -> None:  # D1
    jot(actor, "The Acme Billing Platform (ABP) is slow.", visibility="private")
    jot(actor, "The Acme Billing Platform is fast.")
    link_all(actor.space_id)
    shared = Entity.objects.get(key="acmebillingplatform", agent__isnull=True)
    assert shared.keys == ["acmebillingplatform"]


def test_it_reads_the_entities_again_after_a_row_failed(actor: Actor) -> None:
    memory, broken = jot(actor, "Orion Labs moved."), jot(actor, "Orion Labs stayed.")
    ready = prepared(read([broken.pk, memory.pk]))
    too_long = Name("x" * 200, "x")
    ready.names = {**ready.names, broken.pk: (*ready.names[broken.pk], too_long)}
    with transaction.atomic():
        with pytest.raises(DataError), transaction.atomic():
            link([broken.pk], ready, POLICY)
        assert link([memory.pk], ready, POLICY) == {"linked": 1}
    assert names_of(memory) == {"orionlab"}


def test_it_reads_causes() -> None:
    assert causes_in("It failed because Redis was full. Sad.") == ["Redis was full"]
    assert causes_in("支付失败是因为 Redis 满了，已修复。") == ["Redis 满了"]
    assert causes_in("Redis 内存不足导致订单超时") == ["Redis 内存不足"]
    assert causes_in("Redis is fast.") == []


def test_it_links_what_was_caused_to_the_earlier_event(actor: Actor) -> None:
    ago = timezone.now() - timedelta(days=1)
    event = jot(actor, "Redis evicted all sessions.", kind="incident", happened_at=ago)
    fact = jot(actor, "Redis listens on port 6379.", happened_at=ago)
    later = jot(actor, "The checkout failed because Redis was full.")
    link_all(actor.space_id)
    links = Link.objects.filter(type="caused_by").values_list("source", "target")
    assert list(links) == [(later.pk, event.pk)]
    assert fact.pk != event.pk


def test_it_looks_again_at_what_a_changed_event_caused(actor: Actor) -> None:
    ago = timezone.now() - timedelta(days=1)
    event = jot(actor, "Redis evicted all sessions.", kind="incident", happened_at=ago)
    jot(actor, "The checkout failed because Redis was full.")
    link_all(actor.space_id)
    changed(event, actor, "Kafka lost all sessions.")
    link_all(actor.space_id)
    link_all(actor.space_id)
    assert not Link.objects.exists()


def test_it_takes_agreement_of_another_source_for_support(actor: Actor, embedder: str) -> None:
    said = {"subject": "shop/database"}
    old = remember(actor, "The shop stores its orders in PostgreSQL.", **said)
    same = remember(actor, "The shop keeps its orders in PostgreSQL.", **said)
    new = remember(
        actor, "The shop's orders are stored in PostgreSQL.", source="tool_result", **said
    )
    link_all(actor.space_id)
    links = set(Link.objects.filter(type="supports").values_list("source", "target"))
    assert links == {(new.pk, old.pk), (new.pk, same.pk)}
    assert thresholds_for(old.embedding_model).duplicate < 1


def test_it_never_takes_a_contradiction_for_support(actor: Actor, embedder: str) -> None:
    said = {"subject": "shop/database"}
    remember(actor, "The shop stores its orders in PostgreSQL.", **said)
    remember(actor, "The shop stores its orders in MySQL.", source="tool_result", **said)
    link_all(actor.space_id)
    assert not Link.objects.exists()


def test_it_asks_few_questions_of_the_database(actor: Actor) -> None:
    def queries(of: int) -> int:
        ids = [jot(actor, f"Anna met Orion Labs, take {n}{of}.").pk for n in range(of)]
        ready = prepared(read(ids))
        with CaptureQueriesContext(connection) as asked, transaction.atomic():
            assert link(ids, ready, POLICY) == {"linked": of}
        return len(asked)

    assert queries(20) >= queries(40)


def test_it_takes_of_an_llm_only_what_the_text_says(actor: Actor) -> None:  # B3
    memory = jot(actor, "the blue heron lodge is closed in winter")
    found = checked(memory, ["blue heron lodge", "Hilton", ""])
    assert [one.name for one in found] == ["blue heron lodge"]


def test_it_removes_entities_that_nothing_mentions(actor: Actor) -> None:  # E6
    memory = jot(actor, "Orion Labs moved to Berlin.")
    link_all(actor.space_id)
    changed(memory, actor, "Orion Labs moved to Vienna.")
    link_all(actor.space_id)
    assert prune(actor.space_id) == 1
    assert set(Entity.objects.values_list("key", flat=True)) == {"orionlab", "vienna"}


def test_it_forgets_an_alias_that_only_a_removed_text_taught(actor: Actor) -> None:  # E6
    taught = jot(actor, "The Acme Billing Platform (ABP) is slow.")
    kept = jot(actor, "The Acme Billing Platform is fast.")
    link_all(actor.space_id)
    with history.erasing("texts"):
        Memory.objects.filter(pk=taught.pk).delete()
        relearn([Entity.objects.get().pk])
    link_all(actor.space_id)
    assert Entity.objects.get(mentions__memory=kept).keys == ["acmebillingplatform"]
