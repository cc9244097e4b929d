"""What was asked before need not be embedded again: vectors of questions, for an hour, in Redis.

Nobody can tell from it what was asked: a key is a keyed digest of space and text, so that not even
an answer's time tells one space what another asked (D1). Without Redis the embedder is asked.
"""

import hashlib
import hmac
import logging
import math
import os
import struct
import time
from functools import cache
from itertools import chain
from uuid import UUID

from django.conf import settings
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from memories.embedding.client import Embeddings, embed
from memories.embedding.spaces import model_of

SECONDS = 3600
WAITING = 0.1
"""Seconds that Redis has for an answer: the embedder itself takes about 25 ms."""
PAUSE = 2.0
"""Seconds that Redis is left alone after a failure."""
_HEAD = struct.Struct("!H")
logger = logging.getLogger(__name__)


def embed_question(space_id: UUID, *texts: str) -> Embeddings:
    """Return the vectors of a question and of its parts as the space's model sees them.

    They are asked for, and remembered, in one. Raises EmbedderDown.
    """
    model = model_of(space_id)
    memory, key = _memory(settings.REDIS_URL), key_of(space_id, model, *texts)
    known = unpacked(memory.get(key), len(texts))
    if known is not None:
        return known
    answer = embed(list(texts), model)
    memory.put(key, packed(answer))
    return answer


def packed(answer: Embeddings) -> bytes:
    """Return vectors and the id of their model: length, id, float32 numbers."""
    name, numbers = answer.model.encode(), list(chain.from_iterable(answer.vectors))
    return _HEAD.pack(len(name)) + name + struct.pack(f"<{len(numbers)}f", *numbers)


def unpacked(found: bytes | None, count: int = 1) -> Embeddings | None:
    """Return what packed() made of so many vectors; None of anything else."""
    if found is None or len(found) < _HEAD.size:
        return None
    [length] = _HEAD.unpack_from(found)
    name, numbers = found[_HEAD.size :][:length], found[_HEAD.size + length :]
    if len(name) < length or not numbers or len(numbers) % (4 * count):
        return None
    size = len(numbers) // (4 * count)
    vectors = [list(vector) for vector in struct.iter_unpack(f"<{size}f", numbers)]
    if not all(math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-3) for vector in vectors):
        return None
    return Embeddings(vectors, name.decode(errors="replace"))


def key_of(space_id: UUID, model: str, *texts: str) -> str:
    """Return where a question of a space is kept: nothing of it can be read from there."""
    told = "\0".join((str(space_id), model, *texts)).encode("utf-8", "surrogatepass")
    digest = hmac.new(settings.SECRET_KEY.encode(), told, hashlib.sha256)
    return f"hindsight:question:{digest.hexdigest()}"


class _Memory:
    """One Redis server that may be away: then nothing is known, and nothing is kept."""

    def __init__(self, url: str) -> None:
        self._redis = Redis.from_url(
            url,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=WAITING,
            socket_timeout=WAITING,
        )
        self._closed_until = -math.inf

    def get(self, key: str) -> bytes | None:
        if time.monotonic() < self._closed_until:
            return None
        try:
            found = self._redis.get(key)
        except (RedisError, OSError) as error:
            self._failed(error)
            return None
        return found if isinstance(found, bytes) else None

    def put(self, key: str, value: bytes) -> None:
        if time.monotonic() < self._closed_until:
            return
        try:
            self._redis.set(key, value, ex=SECONDS)
        except (RedisError, OSError) as error:
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        logger.warning("Questions are not remembered for now: %s", error)
        self._closed_until = time.monotonic() + PAUSE


@cache
def _memory(url: str) -> _Memory:
    return _Memory(url)


os.register_at_fork(after_in_child=_memory.cache_clear)
