"""Database work of the tools: one bounded thread pool, and what happens while the server is away.

A tool must answer within ten seconds whatever the database does. A connection that was killed is
replaced without anyone noticing; a server that restarts is waited for; one that stays away is
reported, and the next call tries again. Nothing here needs the client or this process to restart.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from django.db import (
    InterfaceError,
    OperationalError,
    close_old_connections,
    connection,
    connections,
)
from django.utils.translation import gettext as _

from memories.errors import NotAllowed, ServiceError, Stale
from memories.recall import logbook

T = TypeVar("T")
logger = logging.getLogger(__name__)

THREADS = 8
ANSWER = 8.3  # seconds in which a tool answers; checking the key before it may take ATTEMPT more
ATTEMPT = 1.0  # seconds for one attempt to get a connection
PAUSE = 0.2

# SQLSTATEs after which the same work may succeed: lost connections, a server that stops or starts,
# too many connections, and transactions that gave way to others.
_PASSING = ("08", "40", "57P01", "57P02", "57P03", "53300")

_threads = ThreadPoolExecutor(THREADS, thread_name_prefix="database")


class Unavailable(ServiceError):
    """The database is away or too slow; asking again later is right."""

    code = "unavailable"


def set_up() -> None:
    """Let the connection pool report a missing server at once instead of waiting ever longer.

    Its own retries double their pause up to minutes, long after the server is back. Call it before
    the first query of the process.
    """
    pool = connections.settings["default"].get("OPTIONS", {}).get("pool")
    if isinstance(pool, dict):
        pool |= {"timeout": ATTEMPT, "reconnect_timeout": ATTEMPT}


def tear_down() -> None:
    """End the threads and connections of the process, waiting for work that has begun."""
    _threads.shutdown(cancel_futures=True)
    logbook.settled()
    if close_pool := getattr(connection, "close_pool", None):
        close_pool()


async def run(work: Callable[[], T], *, changing: bool = False, seconds: float = ANSWER) -> T:
    """Return what `work` returns, from a thread with a working connection, within `seconds`.

    Work that a lost connection interrupted is repeated once. `changing` says that a repetition
    meets its own first try as somebody else's change. Raises Unavailable, and what `work` raises.
    """
    # The last attempt to connect must be over when the answer is due.
    until = time.monotonic() + seconds - ATTEMPT - PAUSE
    task = partial(_patiently, work, until, changing)
    future = asyncio.get_running_loop().run_in_executor(_threads, task)
    try:
        return await asyncio.wait_for(future, seconds)
    except TimeoutError as error:
        raise Unavailable(
            _(
                "This took too long and was not waited for. Try again; a write may have been done, "
                "so repeat it with the same idempotency_key or look for it first."
            )
        ) from error


def _patiently(work: Callable[[], T], until: float, changing: bool) -> T:
    try:
        _connect(until)
        try:
            return work()
        except (OperationalError, InterfaceError) as error:
            if not _passing(error):
                raise
            logger.warning("Interrupted, repeating once: %s", str(error).strip())
        _connect(until)
        return _again(work, changing)
    except (OperationalError, InterfaceError) as error:
        if not _passing(error):
            raise
        logger.warning("The database is away: %s", str(error).strip())
        raise Unavailable(
            _("The database is not available at the moment. Try again in a few seconds.")
        ) from error
    finally:
        close_old_connections()


def _connect(until: float) -> None:
    """Have a working connection, or raise the last reason once `until` has passed."""
    while True:
        close_old_connections()
        try:
            connection.ensure_connection()
        except (OperationalError, InterfaceError):
            if time.monotonic() + PAUSE > until:
                raise
            time.sleep(PAUSE)
        else:
            return


def _again(work: Callable[[], T], changing: bool) -> T:
    try:
        return work()
    except (Stale, NotAllowed) as error:
        if not changing:
            raise
        raise Unavailable(
            _(
                "The database was interrupted during this change, which may have been made. "
                "Read the memory again before you repeat it."
            )
        ) from error


def _passing(error: Exception) -> bool:
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(_PASSING)
