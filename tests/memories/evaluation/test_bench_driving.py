"""Many calls at once: each done once, timed, and ended by the first that fails."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from itertools import count

import pytest

from memories.evaluation.driving import drive
from memories.evaluation.timing import Spread
from tests.services import PROJECT


def each(
    call: Callable[[int], object],
) -> Callable[[], AbstractContextManager[Callable[[int], object]]]:
    return lambda: nullcontext(call)


@pytest.mark.parametrize("at_once", [1, 3, 20])
def test_it_does_every_task_once(at_once: int) -> None:
    done: list[int] = []
    load = drive(each(done.append), range(10), at_once)
    assert sorted(done) == list(range(10))
    assert (load.at_once, load.calls) == (at_once, 10)
    assert load.rate == pytest.approx(10 / load.seconds)


def test_it_calls_so_many_at_once() -> None:
    together = threading.Barrier(4, timeout=20)
    drive(each(lambda _task: together.wait()), range(8), 4)


def test_it_warms_every_caller_up_without_counting() -> None:
    by: dict[int, set[int]] = {}
    load = drive(
        each(lambda task: by.setdefault(task, set()).add(threading.get_ident())),
        [7],
        2,
        warm_up=[1, 2],
    )
    assert load.calls == 1
    assert by[1] != by[2]


def test_it_ends_with_the_first_failure() -> None:
    done: list[int] = []

    def call(task: int) -> None:
        if task == 3:
            raise LookupError("no such memory")
        done.append(task)

    with pytest.raises(LookupError, match="no such memory"):
        drive(each(call), range(100_000), 4)
    assert len(done) < 99_999


def test_it_counts_calls_that_may_fail() -> None:
    def call(task: int) -> None:
        if task % 3 == 0:
            raise LookupError("too slow")

    load = drive(each(call), range(9), 2, warm_up=[0, 3], tolerated=(LookupError,))
    assert (load.calls, load.failed) == (6, 3)
    with pytest.raises(LookupError, match="too slow"):
        drive(each(call), [3, 6], 2, tolerated=(LookupError,))


# A process of its own, since nothing else ends threads that wait for ever.
INTERRUPTED = """
import signal, sys, threading
from contextlib import nullcontext
from memories.evaluation.driving import drive
place, taken = int(sys.argv[1]), []
def enter(lock):
    got = lock._lock.__enter__()
    if threading.get_ident() == threading.main_thread().ident:
        taken.append(got)
        if len(taken) == place + 1:
            signal.raise_signal(signal.SIGINT)
    return got
threading.Condition.__enter__ = enter
try:
    drive(lambda: nullcontext(lambda _task: None), range(100), 2)
except KeyboardInterrupt:
    print("ended", len(taken) > place)
"""


@pytest.mark.parametrize("place", range(6))
def test_ctrl_c_while_it_holds_a_lock_leaves_no_thread_waiting(place: int) -> None:
    """The idle callers and a caller's start, of two each, and the wait for both."""
    command = [sys.executable, "-c", INTERRUPTED, str(place)]
    told = subprocess.run(
        command, cwd=PROJECT, check=True, capture_output=True, text=True, timeout=60
    )
    assert told.stdout == "ended True\n"


@pytest.mark.parametrize("warm", [True, False])
def test_ctrl_c_ends_it_after_the_calls_at_hand(*, warm: bool) -> None:
    done: list[int] = []

    def call(task: int) -> None:
        done.append(task)
        if len(done) == 3:
            os.kill(os.getpid(), signal.SIGINT)
            while signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
                time.sleep(0.01)  # until the main thread has heard

    with pytest.raises(KeyboardInterrupt):
        drive(each(call), [] if warm else range(100), warm_up=range(100) if warm else [])
    assert done == [0, 1, 2]


def test_it_says_why_a_caller_cannot_open() -> None:
    numbers = count()

    def opened() -> AbstractContextManager[Callable[[int], object]]:
        if next(numbers) > 0:
            raise ConnectionError("nobody there")
        return nullcontext(lambda _task: None)

    with pytest.raises(ConnectionError, match="nobody there"):
        drive(opened, range(5), 3)


def test_it_counts_percentiles_as_ranks_between_the_calls() -> None:
    assert Spread.of([float(n) for n in range(101)]) == Spread(50.0, 95.0, 99.0)
    assert Spread.of([4.0]) == Spread(4.0, 4.0, 4.0)
