"""Fragments of one topic are found, and nothing that only lies near (E4, E8)."""

import pytest

from memories.consolidation import find
from memories.consolidation.topics import Topics
from memories.identity import system_actor
from memories.lifecycle import propose_merge, update_memory
from memories.models import Flag, Memory
from memories.permissions import Actor
from memories.policies import ConsolidatingPolicy
from review.decisions import decide
from tests.memories.consolidation.samples import (
    BACKUP,
    DEPLOY,
    DIET,
    EARLIER,
    LATER,
    OTHERS,
    RELEASE,
    TOPICS,
    contents,
    contradicted,
    found,
    remembered,
)
from tests.review.flags import versions_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


def test_it_finds_each_topic_and_nothing_else(actor: Actor) -> None:
    """English, Chinese, and both in one sentence."""
    for texts in TOPICS:
        remembered(actor, texts)
    remembered(actor, OTHERS)
    clusters = [contents(cluster) for cluster in found(actor)]
    assert sorted(clusters, key=sorted) == sorted(map(set, TOPICS), key=sorted)


def test_no_memory_is_in_two_clusters(actor: Actor) -> None:
    remembered(actor, [*RELEASE, *BACKUP, *DEPLOY])
    members = [memory.pk for cluster in found(actor) for memory in cluster.members]
    assert len(members) == len(set(members)) == 9


def test_two_fragments_are_no_topic_unless_the_policy_says_so(actor: Actor) -> None:
    remembered(actor, RELEASE[:2])
    assert found(actor) == []
    assert [contents(cluster) for cluster in found(actor, fragments=2)] == [set(RELEASE[:2])]


def test_a_cluster_has_no_more_than_the_policy_says(actor: Actor) -> None:
    remembered(actor, RELEASE)
    (cluster,) = found(actor, fragments=2, most_fragments=2)
    assert len(cluster.members) == 2


def test_how_near_they_must_lie_is_a_number_of_the_policy(actor: Actor) -> None:
    remembered(actor, RELEASE)
    assert found(actor, nearness=1.0) == []
    (cluster,) = found(actor)
    assert 0.86 < cluster.scores["least_cosine"] <= cluster.scores["cosine"] < 0.95


def test_users_never_meet(actor: Actor) -> None:  # D1
    remembered(actor, RELEASE[:1], user_id="ann")
    remembered(actor, RELEASE[1:2], user_id="bob")
    remembered(actor, RELEASE[2:])
    assert found(actor, fragments=2) == []


def test_what_is_private_never_meets_what_is_shared_or_anothers(
    actor: Actor, teammate: Actor
) -> None:  # D1, D2
    remembered(actor, RELEASE[:1], visibility="private")
    remembered(teammate, RELEASE[1:2], visibility="private")
    remembered(actor, RELEASE[2:])
    assert found(actor, fragments=2) == []


def test_private_fragments_of_one_agent_do(actor: Actor) -> None:  # D2
    remembered(actor, RELEASE, visibility="private")
    (cluster,) = found(actor)
    assert {memory.visibility for memory in cluster.members} == {"private"}


def test_spaces_never_meet(actor: Actor, stranger: Actor) -> None:  # D1
    remembered(stranger, RELEASE[:2])
    (mine,) = remembered(actor, RELEASE[2:])
    assert found(actor, fragments=2) == []
    theirs = Memory.objects.filter(space_id=stranger.space_id).values_list("pk", flat=True)
    policy = ConsolidatingPolicy(fragments=2)
    assert find(actor.space_id, [mine.pk, *theirs], policy) == {}


@pytest.mark.parametrize(
    "left",
    [{"pinned": True}, {"status": "archived"}, {"withheld": True}, {"kind": "procedure"}],
)
def test_some_are_left_alone(actor: Actor, left: dict[str, object]) -> None:
    memory = remembered(actor, DIET)[0]
    Memory.objects.filter(pk=memory.pk).update(**left)
    (cluster,) = found(actor, fragments=2)
    assert contents(cluster) == set(DIET[1:])


def test_what_a_person_is_asked_about_is_left_alone(actor: Actor) -> None:
    ids = [memory.pk for memory in remembered(actor, RELEASE)]
    propose_merge(actor=actor, memory_ids=ids[:2], content=" ".join(RELEASE[:2]))
    assert found(actor, fragments=2) == []


def test_one_subject_is_a_topic_whatever_the_words(actor: Actor) -> None:
    one, two = (Memory(content=text, subject="orion/rollout") for text in ("It runs.", "Mira."))
    assert Topics([]).share(one, two)
    two.subject = ""
    assert not Topics([]).share(one, two)


def test_a_word_that_an_owner_says_everywhere_is_no_topic() -> None:
    one, two = (Memory(content=f"Orion train {said}") for said in ("leaves.", "waits."))
    assert Topics([one.content, two.content]).share(one, two)
    assert not Topics(["Orion train"] * 100).share(one, two)


# --- contradictions -------------------------------------------------------------------------------


def test_contradictions_leave_the_cluster(actor: Actor) -> None:  # E3
    contradicted(actor)
    clusters = found(actor)
    (pair,) = (pair for cluster in clusters for pair in cluster.conflicts)
    assert (pair.new.content, pair.old.content) == (LATER, EARLIER)
    (cluster,) = clusters
    assert contents(cluster) == set(RELEASE)


# --- what people said -----------------------------------------------------------------------------


def declined(actor: Actor, person: Actor, ids: list[object]) -> Flag:
    system = system_actor(actor.space_id)
    flag = propose_merge(actor=system, memory_ids=ids, content=" ".join(RELEASE))  # type: ignore[arg-type]
    decide(
        actor=person,
        flag_id=flag.pk,
        choice="reject",
        reason="trivial",
        expected_versions=versions_of(flag),
    )
    return flag


def test_what_people_declined_is_not_proposed_again(actor: Actor, person: Actor) -> None:
    declined(actor, person, [memory.pk for memory in remembered(actor, RELEASE)])
    assert found(actor) == []
    assert found(actor, fragments=2) == []  # nor a part of it


def test_another_text_is_another_question(actor: Actor, person: Actor) -> None:
    memories = remembered(actor, RELEASE)
    declined(actor, person, [memory.pk for memory in memories])
    update_memory(
        actor=person,
        memory_id=memories[0].pk,
        expected_version=1,
        content="The Orion release train leaves on Tuesday at 10:00 from platform 2.",
    )
    assert len(found(actor)) == 1


def test_a_cluster_fits_into_one_memory(actor: Actor) -> None:  # B6
    long = [f"{text[:-1]}, {'as it has been agreed before ' * 5}." for text in (*DIET, *RELEASE)]
    remembered(actor, long)
    for cluster in found(actor, fragments=2):
        assert sum(len(memory.content) for memory in cluster.members) <= 500
