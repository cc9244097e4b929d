"""The way every other process gets vectors: one HTTP client for any OpenAI-compatible embedding
server.

No torch, no numpy: web, worker and MCP processes stay light. Safe to use from many threads and
after a fork.
"""

import atexit
import base64
import json
import math
import os
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx
from django.conf import settings
from django.utils.translation import gettext as _

from memories.embedding.profiles import profile_for
from memories.embedding.wire import describe, error_text, http_client, post, reason_of
from memories.text.clean import storable

BATCH = 100
"""Texts in one request (mission B10)."""
CONNECT_SECONDS = 1.0
QUERY_SECONDS = 5.0
"""For FEW texts: a person or an agent is waiting."""
FEW = 4
"""A question and the three that it may ask; a write of so few waits no longer either."""
BULK_SECONDS = 30.0
OPEN_SECONDS = 2.0
"""After a failed connection nobody tries again for so long: writes stay fast while the embedder is
down.
"""

Vector = list[float]
AWAY = frozenset({401, 403, 404, 408, 429, 502, 503, 504})
"""Answers that say nothing about the texts: key, model or server have to change first."""
UNREAD = frozenset({400, 422})
"""Answers of a server that may not know what base64 is meant to be here."""
PROBE = "hindsight"
"""A text that every model embeds; the embedder remembers its vector."""


class EmbedderDown(Exception):
    """No usable vectors came back; the text says why. Store without a vector, recall without the
    semantic arm.
    """


class TextsRefused(EmbedderDown):
    """The embedder answers, but not for these texts: one of them may be to blame."""


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Unit vectors in the order of the texts, and the id of the weights that made them."""

    vectors: list[Vector]
    model: str


class EmbedderClient:
    """One embedding server. `now` is the clock of the pause after a failure, in seconds."""

    def __init__(
        self, url: str, *, api_key: str, model: str, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._model = model
        self._prefix = profile_for(model).prefix
        self._now = now
        self._closed_until = -math.inf
        self._why = ""
        self._dimensions: dict[str, int] = {}
        self._packed = True
        self._http = http_client(url, api_key)

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Embed any number of texts, 100 a request. Raises EmbedderDown."""
        if not texts:
            return Embeddings([], self._model)
        if self._now() < self._closed_until:
            raise EmbedderDown(self._why)
        return self._embed(texts)

    def close(self) -> None:
        self._http.close()

    def _embed(self, texts: Sequence[str]) -> Embeddings:
        seconds = QUERY_SECONDS if len(texts) <= FEW else BULK_SECONDS
        vectors: list[Vector] = []
        model = ""
        for batch in batches([self._prefix + storable(text)[0] for text in texts]):
            answer = self._answer({"model": self._model, "input": batch}, seconds)
            part = read_answer(answer, len(batch), self._model)
            if model and part.model != model:
                raise EmbedderDown(_("The embedder changed its model during the request."))
            model = part.model
            self._check_dimension(part)
            vectors += part.vectors
        return Embeddings(vectors, model)

    def _answer(self, body: dict[str, Any], seconds: float) -> httpx.Response:
        """Ask for vectors as base64: a quarter of the bytes, and no numbers to write and to read.

        A server that ignores it is understood; one that refuses it is asked in the plain way.
        """
        if not self._packed:
            return self._post(body, seconds)
        answer = self._post(body | {"encoding_format": "base64"}, seconds)
        if answer.status_code not in UNREAD:
            return answer
        plain = self._post(body, seconds)
        self._packed = plain.status_code != 200
        return plain

    def _post(self, body: dict[str, Any], seconds: float) -> httpx.Response:
        """Send one request. A failed connection closes the way for a while."""
        timeout = httpx.Timeout(seconds, connect=CONNECT_SECONDS)
        try:
            return post(self._http, "embeddings", json.dumps(body).encode(), timeout)
        except httpx.TransportError as error:
            self._why = _("The embedder does not answer: %(reason)s") % {"reason": reason_of(error)}
            self._closed_until = self._now() + OPEN_SECONDS
            raise EmbedderDown(self._why) from error

    def _check_dimension(self, part: Embeddings) -> None:
        """One model id means one space: its first answer says how many dimensions it has."""
        found = len(part.vectors[0])
        expected = self._dimensions.setdefault(part.model, found)
        if found != expected:
            raise EmbedderDown(
                _("The embedder sent vectors of %(found)d dimensions instead of %(expected)d.")
                % {"found": found, "expected": expected}
            )


def batches(texts: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(texts), BATCH):
        yield texts[start : start + BATCH]


def read_answer(response: httpx.Response, count: int, asked_model: str) -> Embeddings:
    """`count` unit vectors of equal dimension out of a server's answer. Raises EmbedderDown."""
    if response.status_code != 200:
        refused = EmbedderDown if response.status_code in AWAY else TextsRefused
        raise refused(
            _("The embedder answered %(status)d: %(text)s")
            % {"status": response.status_code, "text": error_text(response)}
        )
    try:
        body = response.json()
        entries = sorted(body["data"], key=lambda entry: entry["index"])
        indexes = [entry["index"] for entry in entries]
        vectors = [unit(numbers(entry["embedding"])) for entry in entries]
        model = str(body.get("model") or asked_model)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise TextsRefused(
            _("The embedder's answer cannot be read: %(reason)s") % {"reason": describe(error)}
        ) from error
    if indexes != list(range(count)):
        message = _("The embedder sent %(found)d vectors for %(count)d texts.")
        raise EmbedderDown(message % {"found": len(vectors), "count": count})
    if len({len(vector) for vector in vectors}) != 1:
        raise EmbedderDown(_("The embedder sent vectors of different dimensions."))
    return Embeddings(vectors, model)


def numbers(vector: list[float] | str) -> list[float]:
    """The numbers of a vector as a server sends it; as base64 they are little-endian float32.

    Raises ValueError.
    """
    if not isinstance(vector, str):
        return vector
    packed = array("f", base64.b64decode(vector, validate=True))
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tolist()


def unit(values: list[float]) -> Vector:
    """The vector at length 1. Raises ValueError for what has no direction."""
    length = math.hypot(*values) if values else 0.0
    if not math.isfinite(length) or not length:
        raise ValueError(_("a vector is empty, zero or not a number"))
    if abs(length - 1) < 1e-6:
        return values
    return [value / length for value in values]


@cache
def client_for(url: str, api_key: str, model: str) -> EmbedderClient:
    client = EmbedderClient(url, api_key=api_key, model=model)
    atexit.register(client.close)
    return client


_making = threading.Lock()


def configured_client(model: str = "") -> EmbedderClient:
    """The process's one client of EMBEDDER_URL and EMBEDDER_API_KEY for a model (default:
    EMBEDDING_MODEL).
    """
    with _making:
        return client_for(
            settings.EMBEDDER_URL, settings.EMBEDDER_API_KEY, model or settings.EMBEDDING_MODEL
        )


def embed(texts: Sequence[str], model: str = "") -> Embeddings:
    """Embed texts, queries and memories alike, with the configured server. Raises EmbedderDown.

    `model` is a name the server knows, "" the product's default.
    """
    return configured_client(model).embed(texts)


def identity(model: str) -> str:
    """Return the id that the server gives vectors of a model now. Raises EmbedderDown."""
    return embed([PROBE], model).model


def embed_each(texts: Sequence[str], model: str) -> tuple[list[Vector | None], str]:
    """Embed texts, None for one that the embedder refuses; return the model's id, too.

    A refused text costs the others nothing. Raises EmbedderDown when it refuses any text.
    """
    try:
        answer = embed(texts, model)
    except TextsRefused:
        return _halves(texts, model), identity(model)
    return list(answer.vectors), answer.model


def _halves(texts: Sequence[str], model: str) -> list[Vector | None]:
    """Find the refused one by halving; first make sure that not every text is refused."""
    found = identity(model)
    if len(texts) == 1:
        return [None]
    vectors: list[Vector | None] = []
    for half in (texts[: len(texts) // 2], texts[len(texts) // 2 :]):
        part, made_by = embed_each(half, model)
        if made_by != found:
            raise EmbedderDown(_("The embedder changed its model during the request."))
        vectors += part
    return vectors


def _forget_after_fork() -> None:
    """A child must not share its parent's sockets, nor a lock that a thread held at the fork."""
    global _making
    _making = threading.Lock()
    client_for.cache_clear()


os.register_at_fork(after_in_child=_forget_after_fork)
