"""Work that is done after the answer: handed over at once, done in batches by one thread."""

import atexit
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from django.db import InterfaceError, OperationalError, connection

Item = TypeVar("Item")
logger = logging.getLogger(__name__)

GATHERING = 0.05
"""Seconds before the thread takes what waits: the answer is out by then, so that it does not wait
for the interpreter, and under load many share one transaction.
"""
BATCH = 100
MOST = 1_000
"""Items that may wait; then whoever brings another one does the work for it."""
PAUSE = 0.5
"""Seconds between two attempts while the database is away."""
FINISHING = 5.0
"""Seconds that a process that ends waits for its work to be done."""


class Afterwards(Generic[Item]):
    """One daemon thread, started by the first item, that gives what waits to `work`, in order.

    While the database is away (OperationalError, InterfaceError) everything is kept and tried
    again. When `work` fails otherwise, each item of the batch is tried by itself; one that fails
    then is given up, which the log says. A process that ends in good order does its work first.
    """

    def __init__(self, work: Callable[[Sequence[Item]], None]) -> None:
        self._work = work
        self._start_anew()
        os.register_at_fork(after_in_child=self._start_anew)
        atexit.register(self.settled)

    def _start_anew(self) -> None:
        """Begin with nothing: a child leaves its parent's work, and thread, to the parent."""
        self._changed = threading.Condition()
        self._waiting: deque[Item] = deque()
        self._in_hand = 0
        self._hurried = 0
        self._thread: threading.Thread | None = None

    def put(self, item: Item) -> None:
        """Have an item worked on soon; at once, by the caller, when too many wait."""
        with self._changed:
            if waits := len(self._waiting) < MOST:
                self._waiting.append(item)
                self._changed.notify_all()
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, daemon=True)
                    self._thread.start()
        if not waits and self._attempt([item]):
            logger.error("A recall was not written down: too many wait for the database.")

    def settled(self, seconds: float = FINISHING) -> bool:
        """Have what waits done now, and say whether it is; after `seconds` the log says it is not.

        Needed by who is about to read what was put, and at the end of a process.
        """
        with self._changed:
            self._hurried += 1
            self._changed.notify_all()
            done = self._changed.wait_for(lambda: not self._left(), seconds)
            self._hurried -= 1
            if not done:
                logger.error("%d recalls are not written down yet.", self._left())
        return done

    def _left(self) -> int:
        return len(self._waiting) + self._in_hand

    def _run(self) -> None:
        while True:
            left = self._attempt(self._taken())
            connection.close()
            with self._changed:
                self._in_hand = 0
                self._waiting.extendleft(reversed(left))
                self._changed.notify_all()
            if left:
                time.sleep(PAUSE)

    def _taken(self) -> list[Item]:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting)
            self._changed.wait_for(lambda: self._hurried, GATHERING)
            batch = [self._waiting.popleft() for _n in range(min(BATCH, len(self._waiting)))]
            self._in_hand = len(batch)
            return batch

    def _attempt(self, batch: Sequence[Item]) -> list[Item]:
        """Work on a batch; return what is to be tried again."""
        try:
            self._work(batch)
        except (OperationalError, InterfaceError) as error:
            logger.warning("The database is away: %s", str(error).strip())
            return list(batch)
        except Exception:
            if len(batch) > 1:
                return [left for item in batch for left in self._attempt([item])]
            logger.exception("A recall could not be written down")
        return []
