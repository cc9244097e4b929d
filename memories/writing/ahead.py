"""Waiting for the embedder while the database works, instead of one after the other."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def ahead(items: Iterable[Item], make: Callable[[Item], Made]) -> Iterator[tuple[Item, Made]]:
    """Yield each item with what `make` made of it, in order, while the next one is being made.

    `make` runs in a thread of its own, one item at a time, and touches no database. What the items
    or `make` raise comes after everything before it was yielded.
    """
    waiting: deque[tuple[Item, Future[Made]]] = deque()
    failed: list[Exception] = []
    with ThreadPoolExecutor(1, "ahead") as pool:
        for item in _until_failure(items, failed):
            waiting.append((item, pool.submit(make, item)))
            if len(waiting) > 1:
                yield _made(*waiting.popleft())
        if waiting:
            yield _made(*waiting.popleft())
    for error in failed:
        raise error


def _until_failure(items: Iterable[Item], failed: list[Exception]) -> Iterator[Item]:
    try:
        yield from items
    except Exception as error:  # raised again when what came before is done
        failed.append(error)


def _made(item: Item, future: Future[Made]) -> tuple[Item, Made]:
    return item, future.result()
