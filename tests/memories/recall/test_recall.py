"""recall() with the real embedder: what is found, what is never found, what is written down."""

from datetime import UTC, datetime

import pytest

from memories.errors import Invalid, NotAllowed
from memories.models import Event, Flag, Hit, Memory, MemoryVersion, Recall
from memories.models.policy import Policy
from memories.permissions import Actor
from memories.reading import Filters
from memories.recall import recall
from tests.memories.recall.helpers import ids, jot, remember


@pytest.fixture
def known(actor: Actor, embedder: str) -> dict[str, Memory]:
    """A few memories about different things."""
    return {
        "deploy": remember(actor, "用 docker 部署 the billing service to k8s-prod-01"),
        "proxy": remember(actor, "Set HTTP_PROXY before running pip behind the firewall"),
        "owner": remember(actor, "The invoices go to user.name@x.org every Monday"),
        "cat": remember(actor, "The user's cat is called Momo and sleeps on the sofa"),
    }


def found(actor: Actor, query: str, **said: object) -> list[Memory]:
    return [hit.memory for hit in recall(actor=actor, query=query, **said).hits]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("docker 部署", "deploy"),
        ("k8s-prod-01", "deploy"),
        ("HTTP_PROXY", "proxy"),
        ("user.name@x.org", "owner"),
        ("What is the name of the cat?", "cat"),
    ],
)
def test_it_finds_words_identifiers_and_meaning(
    actor: Actor, known: dict[str, Memory], query: str, name: str
) -> None:  # C1
    assert found(actor, query)[0] == known[name]


def test_it_says_why_in_numbers_and_one_sentence(
    actor: Actor, known: dict[str, Memory]
) -> None:  # C4
    hit = recall(actor=actor, query="What is the name of the cat?").hits[0]
    assert {"semantic", "keyword", "recency", "source", "confidence"} <= hit.arms.keys()
    assert hit.rank == 1
    assert 0 < hit.score <= 1
    assert hit.explanation == "Meaning 100%, words 100% of the best match."


def test_it_honestly_finds_nothing(actor: Actor, known: dict[str, Memory]) -> None:  # C7
    assert found(actor, "Who won the chess championship in Reykjavik?") == []


def test_it_honestly_finds_nothing_in_chinese(actor: Actor, embedder: str) -> None:  # C7
    cat = remember(actor, "用户的猫叫 Momo，喜欢睡在沙发上。")
    assert found(actor, "昨天的篮球比赛谁赢了？") == []
    assert found(actor, "我的猫叫什么名字？") == [cat]


def test_it_finds_nothing_where_nothing_is(actor: Actor, embedder: str) -> None:
    assert found(actor, "anything") == []


def test_it_answers_a_dialogue(actor: Actor, known: dict[str, Memory]) -> None:
    talk = 'Ann: "Hello!"\nAssistant: "What is it?"\nAnn: "What is the name of my cat?"'
    assert found(actor, talk)[0] == known["cat"]


def test_it_never_returns_what_is_foreign(
    actor: Actor, teammate: Actor, stranger: Actor, embedder: str
) -> None:  # D1, D2
    remember(stranger, "The deploy password is in the vault")
    remember(teammate, "My private deploy note: the vault", visibility="private")
    remember(teammate, "Bob's deploy password is in the vault", user_id="bob")
    assert found(actor, "Where is the deploy password?", top_k=50) == []


def test_it_lets_nothing_foreign_change_a_score_or_take_a_place(
    actor: Actor, teammate: Actor, stranger: Actor, away: None
) -> None:  # D1
    jot(actor, "deploy with docker")
    jot(actor, "a walk in the park")
    alone = recall(actor=actor, query="docker deploy", log=False, top_k=1).hits
    jot(stranger, "docker deploy")
    jot(teammate, "docker deploy!", visibility="private")
    jot(teammate, "docker deploy?", user_id="bob")
    after = recall(actor=actor, query="docker deploy", log=False, top_k=1).hits
    assert [hit.memory for hit in after] == [hit.memory for hit in alone]
    assert after[0].arms["keyword"] == alone[0].arms["keyword"]


def test_it_returns_what_is_about_this_user_or_about_none(actor: Actor, embedder: str) -> None:
    general = remember(actor, "The deploy password is in the vault")
    anns = remember(actor, "Ann keeps the deploy password in the vault", user_id="ann")
    remember(actor, "Bob keeps the deploy password in the vault", user_id="bob")
    hits = found(actor, "Where is the deploy password?", user_id="ann")
    assert ids(hits) == ids([general, anns])


def test_it_answers_a_person_for_one_user_only_when_asked_so(
    actor: Actor, person: Actor, embedder: str
) -> None:
    anns = remember(actor, "Ann keeps the deploy password in the vault", user_id="ann")
    bobs = remember(actor, "Bob keeps the deploy password in the vault", user_id="bob")
    assert ids(found(person, "Where is the deploy password?")) == ids([anns, bobs])
    assert found(person, "Where is the deploy password?", user_id="ann") == [anns]


def test_it_needs_the_right_to_read(actor: Actor, embedder: str) -> None:
    blind = Actor("agent", actor.id, actor.name, actor.space_id, frozenset({"write"}))
    with pytest.raises(NotAllowed):
        recall(actor=blind, query="x")


def test_it_marks_what_is_disputed(actor: Actor, known: dict[str, Memory]) -> None:  # E3
    Flag.objects.create(
        space_id=actor.space_id,
        kind=Flag.Kind.CONFLICT,
        memory=known["cat"],
        memory_version=1,
        reason="test",
    )
    disputed = {
        m.pk: vars(m)["disputed"] for m in found(actor, "the cat Momo and docker 部署", top_k=50)
    }
    assert disputed[known["cat"].pk] is True
    assert disputed[known["deploy"].pk] is False


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (Filters(kinds=["lesson"]), True),
        (Filters(kinds=["fact"]), False),
        (Filters(tags=["ops"]), True),
        (Filters(tags=["ops", "other"]), False),
        (Filters(agent="coder"), True),
        (Filters(agent="helper"), False),
        (Filters(session="s1"), True),
        (Filters(session="s2"), False),
        (Filters(user_id="ann"), True),
        (Filters(user_id="bob"), False),
        (Filters(statuses=["active"]), True),
        (Filters(statuses=["pending"]), False),
        (Filters(min_confidence=0.9), True),
        (Filters(since=datetime(2024, 3, 1, tzinfo=UTC)), True),
        (Filters(since=datetime(2024, 4, 1, tzinfo=UTC)), False),
        (Filters(until=datetime(2024, 4, 1, tzinfo=UTC)), True),
        (Filters(until=datetime(2024, 3, 1, tzinfo=UTC)), False),
    ],
)
def test_it_filters(actor: Actor, away: None, filters: Filters, kept: bool) -> None:  # C3
    jot(
        actor,
        "deploy with docker",
        user_id="ann",
        kind="lesson",
        tags=["ops"],
        session="s1",
        happened_at=datetime(2024, 3, 15, tzinfo=UTC),
    )
    assert bool(found(actor, "docker", user_id="ann", filters=filters)) is kept


@pytest.mark.parametrize("status", ["superseded", "overturned", "archived"])
def test_it_returns_what_is_retired_only_on_request(
    actor: Actor, away: None, status: str
) -> None:  # C2
    memory = jot(actor, "deploy with docker", status=status)
    assert found(actor, "docker") == []
    assert found(actor, "docker", filters=Filters(statuses=[status])) == [memory]


def test_it_returns_what_is_pending(actor: Actor, away: None) -> None:
    assert found(actor, "docker") == []
    memory = jot(actor, "deploy with docker", status="pending")
    assert found(actor, "docker") == [memory]


def test_it_never_returns_what_is_deleted(actor: Actor, away: None) -> None:
    jot(actor, "deploy with docker", status="deleted")
    assert found(actor, "docker") == []
    with pytest.raises(Invalid, match="Deleted memories are not recalled"):
        recall(actor=actor, query="docker", filters=Filters(statuses=["deleted"]))


def test_it_answers_from_words_and_says_so_without_the_embedder(
    actor: Actor, known: dict[str, Memory], away: None
) -> None:  # rule 9
    result = recall(actor=actor, query="docker 部署")
    assert result.degraded
    assert [hit.memory for hit in result.hits] == [known["deploy"]]
    assert "semantic" not in result.hits[0].arms


def test_it_finds_what_still_waits_for_its_embedding(
    actor: Actor, known: dict[str, Memory]
) -> None:
    fresh = jot(actor, "The grafana dashboard moved to port 3001")
    assert found(actor, "grafana dashboard port")[0] == fresh


def test_it_writes_down_what_was_asked_and_found(
    actor: Actor, known: dict[str, Memory]
) -> None:  # C6
    filters = Filters(kinds=["fact"], until=datetime(2100, 1, 1, tzinfo=UTC))
    result = recall(actor=actor, query="the cat Momo", session="s1", filters=filters, user_id="ann")
    entry = Recall.objects.get()
    assert entry.pk == result.id
    assert (entry.query, entry.session, entry.user_id) == ("the cat Momo", "s1", "ann")
    assert entry.filters == {"kinds": ["fact"], "until": "2100-01-01T00:00:00+00:00"}
    assert (entry.actor_id, entry.policy_version, entry.degraded) == (actor.id, 0, False)
    assert [(hit.memory_id, hit.rank) for hit in entry.hits.all()] == [
        (hit.memory.pk, hit.rank) for hit in result.hits
    ]


def test_it_warms_what_it_returned_without_changing_it(
    actor: Actor, known: dict[str, Memory]
) -> None:  # C6, E1
    cat, before = known["cat"], (MemoryVersion.objects.count(), Event.objects.count())
    cat.refresh_from_db()
    recall(actor=actor, query="the cat Momo", top_k=1)
    warm = Memory.objects.get(pk=cat.pk)
    assert (warm.heat, warm.recall_count) == (1.0, 1)
    assert warm.last_recalled_at is not None
    assert (warm.version, warm.updated_at) == (cat.version, cat.updated_at)
    assert (MemoryVersion.objects.count(), Event.objects.count()) == before
    assert Memory.objects.exclude(pk=cat.pk).filter(recall_count__gt=0).count() == 0


def test_it_leaves_no_trace_when_not_logged(actor: Actor, known: dict[str, Memory]) -> None:
    result = recall(actor=actor, query="the cat Momo", log=False)
    assert result.hits
    assert result.id is None
    assert not Recall.objects.exists()
    assert not Hit.objects.exists()
    assert not Memory.objects.filter(recall_count__gt=0).exists()


def test_it_obeys_the_policy_of_its_space(actor: Actor, away: None) -> None:
    for i in range(4):
        jot(actor, f"deploy with docker {i}")
    Policy.objects.create(space_id=actor.space_id, version=3, numbers={"recall": {"top_k": 2}})
    result = recall(actor=actor, query="docker")
    assert len(result.hits) == 2
    assert Recall.objects.get().policy_version == 3


@pytest.mark.parametrize("query", ["", " \n ", "\u200b", "x" * 4_001])
def test_it_refuses_unusable_queries(actor: Actor, query: str) -> None:
    with pytest.raises(Invalid) as refused:
        recall(actor=actor, query=query)
    assert refused.value.field == "query"


@pytest.mark.parametrize("top_k", [0, 51, -1, True])
def test_it_refuses_impossible_counts(actor: Actor, top_k: int) -> None:
    with pytest.raises(Invalid) as refused:
        recall(actor=actor, query="x", top_k=top_k)
    assert refused.value.field == "top_k"


@pytest.mark.parametrize("name", ["session", "user_id"])
def test_it_refuses_names_that_do_not_fit(actor: Actor, name: str) -> None:
    with pytest.raises(Invalid) as refused:
        recall(actor=actor, query="x", **{name: "y" * 201})  # type: ignore[arg-type]
    assert refused.value.field == name


def test_it_cleans_what_cannot_be_stored(actor: Actor, away: None) -> None:
    jot(actor, "deploy with docker")
    result = recall(actor=actor, query="docker\x00 \ud83d", session="s")
    assert result.hits
    assert Recall.objects.get().query == "docker� �"
