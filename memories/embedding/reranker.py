"""The way recall gets a cross-encoder's judgement: one HTTP client for any server that has
`/rerank` as Jina, Cohere and vLLM do, our own embedder among them.

No torch, no numpy. Safe to use from many threads and after a fork.
"""

import atexit
import json
import logging
import math
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import httpx
from django.conf import settings
from django.utils.translation import gettext as _

from memories.embedding.wire import describe, error_text, http_client, post, reason_of
from memories.text.clean import storable

PAUSE_SECONDS = 10.0
"""After a failure nobody asks again for so long: a server that is too slow may cost a tenth of the
time, not a part of every recall.
"""
AT_ONCE = 8
"""Requests of one process under way; who finds no place in time goes without."""

logger = logging.getLogger(__name__)


class RerankerDown(Exception):
    """No usable scores came back in time; the text says why. Keep the order there is."""


class RerankerClient:
    """One reranking server. `seconds` is for a whole request, from looking up the server's name to
    the end of its answer; `now` is the clock of the pause after a failure.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: str,
        model: str,
        seconds: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._seconds = seconds
        self._now = now
        self._closed_until, self._why = -math.inf, ""
        self._http = http_client(url, api_key)
        # A time-out of HTTP is for one wait of many; only another thread can be left at any moment.
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="reranker")

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, 0–1, in their order. Raises RerankerDown."""
        if not texts:
            return []
        if self._now() < self._closed_until:
            raise RerankerDown(self._why)
        try:
            return read_scores(self._asked(query, texts), len(texts))
        except RerankerDown as down:
            logger.warning("not reranked for %.0f s: %s", PAUSE_SECONDS, down)
            self._why = str(down)
            self._closed_until = self._now() + PAUSE_SECONDS
            raise

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._http.close()

    def _asked(self, query: str, texts: Sequence[str]) -> httpx.Response:
        documents = [storable(text)[0] for text in texts]
        body = {"model": self._model, "query": storable(query)[0], "documents": documents}
        timeout = httpx.Timeout(self._seconds)
        asked = self._threads.submit(post, self._http, "rerank", json.dumps(body).encode(), timeout)
        try:
            return asked.result(self._seconds)
        except (TimeoutError, httpx.TimeoutException) as error:
            asked.cancel()
            message = _("The reranker did not answer within %(seconds)g seconds.")
            raise RerankerDown(message % {"seconds": self._seconds}) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            message = _("The reranker does not answer: %(reason)s")
            raise RerankerDown(message % {"reason": reason_of(error)}) from error


def read_scores(response: httpx.Response, count: int) -> list[float]:
    """`count` scores of 0–1 out of a server's answer, by index. Raises RerankerDown."""
    if response.status_code != 200:
        raise RerankerDown(
            _("The reranker answered %(status)d: %(text)s")
            % {"status": response.status_code, "text": error_text(response)}
        )
    try:
        results = response.json()["results"]
        found = {one["index"]: float(one["relevance_score"]) for one in results}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise RerankerDown(
            _("The reranker's answer cannot be read: %(reason)s") % {"reason": describe(error)}
        ) from error
    if len(results) != count or found.keys() != set(range(count)):
        message = _("The reranker sent %(found)d scores for %(count)d texts.")
        raise RerankerDown(message % {"found": len(found), "count": count})
    if not all(0.0 <= score <= 1.0 for score in found.values()):
        raise RerankerDown(_("The reranker's scores do not lie between 0 and 1."))
    return [found[index] for index in range(count)]


@cache
def client_for(url: str, api_key: str, model: str, seconds: float) -> RerankerClient:
    client = RerankerClient(url, api_key=api_key, model=model, seconds=seconds)
    atexit.register(client.close)
    return client


_making = threading.Lock()


def reranking() -> bool:
    """Whether a reranker is configured; it may be down all the same."""
    return bool(settings.RERANK_MODEL)


def rerank(query: str, texts: Sequence[str]) -> list[float]:
    """How well each text answers the query, 0–1, by the configured model. Raises RerankerDown."""
    if not reranking():
        raise RerankerDown(_("No reranker is configured: set RERANK_MODEL."))
    with _making:
        client = client_for(
            settings.RERANK_URL,
            settings.RERANK_API_KEY,
            settings.RERANK_MODEL,
            settings.RERANK_SECONDS,
        )
    return client.rerank(query, texts)


def _forget_after_fork() -> None:
    """A child must not share its parent's sockets, nor threads that only the parent has."""
    global _making
    _making = threading.Lock()
    client_for.cache_clear()


os.register_at_fork(after_in_child=_forget_after_fork)
