"""The one connection to Redis that working memory stands on: quick to answer, quick to give up."""

import atexit
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

from django.conf import settings
from django.utils.translation import gettext as _
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

CONNECT_SECONDS = 0.5
READ_SECONDS = 1.0
OPEN_SECONDS = 2.0
"""After a failure nobody tries again for so long: recording stays fast while Redis is away."""
SHOWN = 200
"""Letters of a server's error text that are passed on."""


class WorkingMemoryDown(Exception):
    """Redis is away, slow or takes no writes; the text says why. PostgreSQL has every turn."""


class RedisLink:
    """One Redis server, for many threads. `now` is the clock of the pause, in seconds."""

    def __init__(self, url: str, *, now: Callable[[], float] = time.monotonic) -> None:
        # One try: the pool itself replaces a kept connection that the server closed meanwhile.
        self._redis = Redis.from_url(
            url,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=CONNECT_SECONDS,
            socket_timeout=READ_SECONDS,
        )
        self._now = now
        self._closed_until = -math.inf
        self._why = ""

    @contextmanager
    def answering(self) -> Iterator[Redis]:
        """Lend the client. Raises WorkingMemoryDown, at once for a while after a failure."""
        if self._now() < self._closed_until:
            raise WorkingMemoryDown(self._why)
        try:
            yield self._redis
        except (RedisError, OSError) as error:
            reason = (str(error) or type(error).__name__)[:SHOWN]
            self._why = _("Working memory (Redis) does not answer: %(reason)s") % {"reason": reason}
            self._closed_until = self._now() + OPEN_SECONDS
            raise WorkingMemoryDown(self._why) from error

    def close(self) -> None:
        self._redis.close()


@cache
def link_to(url: str) -> RedisLink:
    link = RedisLink(url)
    atexit.register(link.close)
    return link


_making = threading.Lock()


def configured_link() -> RedisLink:
    """The process's one link to REDIS_URL."""
    with _making:
        return link_to(settings.REDIS_URL)


def _forget_after_fork() -> None:
    """A child must not share its parent's sockets, nor a lock that a thread held at the fork."""
    global _making
    _making = threading.Lock()
    link_to.cache_clear()


os.register_at_fork(after_in_child=_forget_after_fork)
