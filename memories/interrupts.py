"""Ctrl-C as a wish that is looked at between two steps. Needs nothing but Python."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """Yield a list that is empty until Ctrl-C: the step at hand is finished, none is begun.

    For the main thread. An exception out of nowhere may leave a lock to nobody, and other threads
    waiting for it for ever. A second Ctrl-C raises one all the same and ends at once; what it
    interrupts is taken back, and the run's lease lapses.
    """
    asked: list[int] = []

    def note(number: int, _frame: Any) -> None:
        asked.append(number)
        signal.signal(signal.SIGINT, before)

    before = signal.getsignal(signal.SIGINT)  # known before the first can come
    signal.signal(signal.SIGINT, note)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
