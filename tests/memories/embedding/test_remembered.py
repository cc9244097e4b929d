"""A question asked before costs no call of the embedder; nobody can tell what was asked."""

import uuid
from collections.abc import Iterator

import pytest
from pytest_django import Settings
from redis import Redis

from memories.embedding import remembered
from memories.embedding.client import EmbedderDown, Embeddings
from memories.embedding.remembered import embed_question, key_of, packed, unpacked
from memories.embedding.spaces import forget_model_of, model_of

pytestmark = pytest.mark.django_db


class Counting:
    """An embedder that counts what it is asked; `vector` is what it answers."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.vector = [0.6, 0.8]

    def __call__(self, texts: list[str], model: str) -> Embeddings:
        self.asked += [(text, model) for text in texts]
        return Embeddings([self.vector] * len(texts), f"{model}@1")


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> Counting:
    counting = Counting()
    monkeypatch.setattr(remembered, "embed", counting)
    return counting


@pytest.fixture
def redis(settings: Settings) -> Iterator[Redis]:
    with Redis.from_url(settings.REDIS_URL) as redis:
        yield redis


@pytest.fixture
def somewhere() -> uuid.UUID:
    """A space that no other test asks in."""
    return uuid.uuid4()


def kept(redis: Redis, key: bytes) -> bytes:
    value = redis.get(key)
    assert isinstance(value, bytes)
    return value


def test_it_asks_the_embedder_once(embedder: Counting, somewhere: uuid.UUID) -> None:
    first = embed_question(somewhere, "which cat?")
    second = embed_question(somewhere, "which cat?")
    assert len(embedder.asked) == 1
    assert second.model == first.model
    assert second.vectors[0] == pytest.approx(first.vectors[0], abs=1e-7)


def test_it_remembers_a_question_with_its_parts(embedder: Counting, somewhere: uuid.UUID) -> None:
    for _n in range(2):
        assert len(embed_question(somewhere, "which cat? which dog?", "which cat?").vectors) == 2
    assert len(embedder.asked) == 2


def test_it_tells_questions_apart_by_their_parts(embedder: Counting, somewhere: uuid.UUID) -> None:
    embed_question(somewhere, "which cat?", "which dog?")
    embed_question(somewhere, "which cat?", "which bird?")
    assert len(embed_question(somewhere, "which cat?").vectors) == 1
    embed_question(uuid.uuid4(), "which cat?", "which dog?")
    assert len(embedder.asked) == 7  # D1


def test_it_knows_nothing_of_another_space_or_text(
    embedder: Counting, somewhere: uuid.UUID
) -> None:  # D1
    embed_question(somewhere, "which cat?")
    embed_question(somewhere, "which dog?")
    embed_question(uuid.uuid4(), "which cat?")
    assert len(embedder.asked) == 3


def test_it_asks_anew_with_another_model(
    embedder: Counting, somewhere: uuid.UUID, settings: Settings
) -> None:  # E9
    embed_question(somewhere, "which cat?")
    settings.EMBEDDING_MODEL = "another"
    forget_model_of(somewhere)
    assert embed_question(somewhere, "which cat?").model == "another@1"


def test_it_keeps_no_words_and_nothing_for_ever(
    embedder: Counting, somewhere: uuid.UUID, redis: Redis
) -> None:
    embed_question(somewhere, "which cat?")
    key = key_of(somewhere, model_of(somewhere), "which cat?").encode()
    assert b"cat" not in key + kept(redis, key)
    assert 0 < int(str(redis.ttl(key))) <= remembered.SECONDS


@pytest.mark.parametrize("value", [b"", b"x", b"\x00\x01m\x00\x00\x00", b"\xff\xff" + b"\x00" * 40])
def test_it_replaces_what_it_cannot_read(
    embedder: Counting, somewhere: uuid.UUID, redis: Redis, value: bytes
) -> None:
    embed_question(somewhere, "which cat?")
    key = key_of(somewhere, model_of(somewhere), "which cat?").encode()
    redis.set(key, value)
    assert embed_question(somewhere, "which cat?").vectors == [[0.6, 0.8]]
    assert unpacked(kept(redis, key)) is not None
    assert len(embedder.asked) == 2


def test_it_does_without_redis(
    embedder: Counting, somewhere: uuid.UUID, settings: Settings
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    for _n in range(2):
        assert embed_question(somewhere, "which cat?").vectors == [[0.6, 0.8]]
    assert len(embedder.asked) == 2


def test_it_remembers_no_failure(
    embedder: Counting, somewhere: uuid.UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(_texts: list[str], _model: str) -> Embeddings:
        raise EmbedderDown("away")

    with monkeypatch.context() as patched:
        patched.setattr(remembered, "embed", down)
        with pytest.raises(EmbedderDown):
            embed_question(somewhere, "which cat?")
    assert embed_question(somewhere, "which cat?").vectors == [[0.6, 0.8]]


def test_it_packs_without_loss_what_an_embedder_sends() -> None:
    vector = [0.6000000238418579, 0.800000011920929]  # float32
    assert unpacked(packed(Embeddings([vector], "模型@1"))) == Embeddings([vector], "模型@1")


def test_it_packs_the_vectors_of_all_parts() -> None:
    both = Embeddings([[1.0, 0.0], [0.0, 1.0]], "m@1")
    assert unpacked(packed(both), 2) == both
    assert unpacked(packed(both), 3) is None
