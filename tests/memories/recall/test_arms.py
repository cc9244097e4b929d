"""The arms' SQL against a plain reference, and what may never count in it (C1, D1)."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories.models import Memory
from memories.permissions import Actor
from memories.recall.arms import Proposed, propose
from memories.recall.question import asked
from tests.memories.recall.helpers import NOW, jot, reference_bm25

WORDS = [
    "deploy",
    "deployed",
    "docker",
    "部署",
    "服务器",
    "HTTP_PROXY",
    "it's",
    "v1.2.3",
    "k8s",
    "a",
]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


def by_words(actor: Actor, query: str, **limits: Any) -> Proposed:
    scope = Memory.objects.visible_to(actor)
    many: dict[str, Any] = {"limit": 50, "recent": 50} | limits
    return propose(scope, asked(query, NOW), vector=None, model="", **many)


@pytest.mark.django_db
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(documents=st.lists(TEXTS, min_size=1, max_size=8, unique=True), query=TEXTS)
def test_it_equals_a_plain_bm25(actor: Actor, documents: list[str], query: str) -> None:
    with transaction.atomic():
        told = [jot(actor, document) for document in documents]
        found = {one.id: one for one in by_words(actor, query).candidates}
        expected = reference_bm25(documents, query)
        got = [found[memory.pk].bm25 for memory in told]
        assert got == pytest.approx(expected, abs=1e-6)
        assert all(0.0 <= one.coverage <= 1.0 for one in found.values())
        transaction.set_rollback(True)


def test_it_counts_nothing_of_another_space(actor: Actor, stranger: Actor) -> None:  # D1
    jot(actor, "deploy with docker")
    jot(actor, "a walk in the park")
    alone = by_words(actor, "docker deploy")
    for i in range(5):
        jot(stranger, f"docker docker {i}")
    assert by_words(actor, "docker deploy") == alone


def test_it_counts_nothing_of_another_user_or_private_agent(
    actor: Actor, teammate: Actor
) -> None:  # D1, D2
    jot(actor, "deploy with docker")
    alone = by_words(actor, "docker deploy")
    jot(teammate, "docker docker", visibility="private")
    jot(teammate, "docker here too", user_id="bob")
    assert by_words(actor, "docker deploy") == alone


def test_it_proposes_no_more_than_each_arm_may(actor: Actor) -> None:
    for i in range(9):
        jot(actor, f"docker number {i}")
    assert len(by_words(actor, "docker", limit=2, recent=0).candidates) == 2


def test_it_proposes_what_happened_at_a_named_time(actor: Actor) -> None:  # C3
    wanted = jot(actor, "a walk in the park", happened_at=datetime(2023, 5, 8, tzinfo=UTC))
    jot(actor, "another walk", happened_at=datetime(2023, 5, 9, tzinfo=UTC))
    found = by_words(actor, "what was on 2023-05-08?", limit=1, recent=0).candidates
    assert [one.id for one in found] == [wanted.pk]


def test_it_has_no_cosine_for_vectors_of_another_model(actor: Actor) -> None:  # E9
    memory = jot(actor, "docker", embedding=[1.0, 0.0], embedding_model="old")
    scope = Memory.objects.visible_to(actor)
    question = asked("docker", NOW)
    found = propose(scope, question, vector=[1.0, 0.0, 0.0], model="new", limit=9, recent=9)
    assert [(one.id, one.cosine) for one in found.candidates] == [(memory.pk, None)]
    assert found.most_cosine is None


def test_it_measures_the_cosine(actor: Actor) -> None:
    jot(actor, "docker", embedding=[0.6, 0.8], embedding_model="m")
    jot(actor, "podman", embedding=[0.0, 1.0], embedding_model="m")
    scope = Memory.objects.visible_to(actor)
    found = propose(scope, asked("x", NOW), vector=[1.0, 0.0], model="m", limit=9, recent=0)
    assert sorted(one.cosine or 0.0 for one in found.candidates) == pytest.approx(
        [0, 0.6], abs=1e-3
    )
    assert (found.least_cosine, found.most_cosine) == pytest.approx((0, 0.6), abs=1e-3)


def test_it_lifts_what_is_told_in_another_script(actor: Actor) -> None:
    for i in range(30):
        jot(actor, f"docker {i}", embedding=[1.0, i / 100], embedding_model="m")
        jot(actor, f"部署 {i}", embedding=[1.0, 1.0 + i / 100], embedding_model="m")
    scope = Memory.objects.visible_to(actor)
    question = asked("docker", NOW)
    found = propose(scope, question, vector=[1.0, 0.0], model="m", limit=99, recent=0)
    chinese = set(Memory.objects.filter(content__contains="部署").values_list("pk", flat=True))
    lifted = [one.cosine or 0.0 for one in found.candidates if one.id in chinese]
    plain = [one.cosine or 0.0 for one in found.candidates if one.id not in chinese]
    assert sum(plain) / 30 > sum(lifted) / 30 > 0.85  # without the lift 0.66


def test_it_finds_nothing_in_an_empty_scope(actor: Actor) -> None:
    assert by_words(actor, "docker") == Proposed(())


@pytest.mark.parametrize(
    "query", ["'", "\\", "a'b\\c", "& | ! : *", "'); DROP TABLE x; --", "%s %(x)s"]
)
def test_it_takes_any_characters(actor: Actor, query: str) -> None:
    memory = jot(actor, f"docker {query}")
    found = by_words(actor, f"docker {query}").candidates
    assert [one.id for one in found] == [memory.pk]
    assert found[0].bm25 > 0


def test_it_takes_ten_thousand_characters(actor: Actor) -> None:  # B6
    memory = jot(actor, ("docker 部署 " * 900)[:9_000] + "x" * 1_000)
    found = by_words(actor, "部署").candidates
    assert [one.id for one in found] == [memory.pk]
    assert found[0].bm25 > 0
