"""Many calls, so many at once, each timed. Needs nothing but Python."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from threading import Barrier, BrokenBarrierError
from time import perf_counter
from typing import NamedTuple, TypeVar

from memories.evaluation.timing import Spread, since
from memories.interrupts import interrupts

Task = TypeVar("Task")
Opened = Callable[[], AbstractContextManager[Callable[[Task], object]]]
Errors = tuple[type[Exception], ...]

LOOK = 0.5
"""Seconds after which Ctrl-C is heard at the latest."""


@dataclass(frozen=True, slots=True)
class Load:
    """What so many callers at once got: `rate` calls a second all together, and one's waiting.

    `failed` calls are in no figure.
    """

    at_once: int
    calls: int
    failed: int
    seconds: float
    rate: float
    took: Spread


def drive(
    opened: Opened[Task],
    tasks: Sequence[Task],
    at_once: int = 1,
    *,
    warm_up: Sequence[Task] = (),
    tolerated: Errors = (),
) -> Load:
    """Do every task once, by so many threads, and return how that went.

    Each thread opens a caller of its own and does its share of `warm_up`, which is not timed; then
    all begin together. A call that raises what is `tolerated` has failed, unless all have. Anything
    else that it raises ends everything and is raised here; so does Ctrl-C, after the calls at hand.
    """
    left = deque(tasks)
    began: list[float] = []
    together = Barrier(at_once, lambda: began.append(perf_counter()))

    def work(place: int) -> _Done:
        try:
            with opened() as call:
                for task in warm_up[place::at_once]:
                    if asked_to_leave:
                        break
                    with suppress(*tolerated):
                        call(task)
                together.wait()
                return _timed(call, left, tolerated, asked_to_leave)
        except BaseException:
            left.clear()
            together.abort()
            raise

    with interrupts() as asked_to_leave, ThreadPoolExecutor(at_once) as threads:
        try:
            working = [threads.submit(work, place) for place in range(at_once)]
            while wait(working, LOOK).not_done:
                pass  # a signal that came just before it began to wait is heard now
            found = _results(working)
        finally:
            left.clear()
            together.abort()
    if asked_to_leave:
        raise KeyboardInterrupt
    took = [one for done in found for one in done.took]
    failures = [error for done in found for error in done.failures]
    if not took:
        raise failures[0]
    seconds = max(done.ended for done in found) - began[0]
    rate = len(took) / seconds
    return Load(at_once, len(took), len(failures), seconds, rate, Spread.of(took))


class _Done(NamedTuple):
    """How long each call of a thread took, in milliseconds, and when it had done the last."""

    took: list[float]
    failures: list[Exception]
    ended: float


def _timed(
    call: Callable[[Task], object], left: deque[Task], tolerated: Errors, asked_to_leave: list[int]
) -> _Done:
    took: list[float] = []
    failures: list[Exception] = []
    while not asked_to_leave:
        try:
            task = left.popleft()
        except IndexError:
            break
        began = perf_counter()
        try:
            call(task)
        except tolerated as error:
            failures.append(error)
        else:
            took.append(since(began))
    return _Done(took, failures, perf_counter())


def _results(working: Sequence[Future[_Done]]) -> list[_Done]:
    errors = [error for one in working if (error := one.exception())]
    # That the others gave up waiting for each other is not what went wrong.
    errors.sort(key=lambda error: isinstance(error, BrokenBarrierError))
    if errors:
        raise errors[0]
    return [one.result() for one in working]
