"""ahead(): what is slow to make is made while what came before is being used."""

from collections.abc import Iterator
from threading import Event, current_thread

import pytest

from memories.writing.ahead import ahead


def test_it_keeps_the_order() -> None:
    assert list(ahead([3, 1, 2], str)) == [(3, "3"), (1, "1"), (2, "2")]
    assert list(ahead([], str)) == []


def test_it_makes_the_next_while_the_present_one_is_used() -> None:
    second = Event()

    def make(item: int) -> int:
        if item == 2:
            second.set()
        return item

    used = ahead([1, 2, 3], make)
    assert next(used) == (1, 1)
    assert second.wait(10)
    assert list(used) == [(2, 2), (3, 3)]


def test_it_takes_items_in_the_callers_thread() -> None:
    threads = []

    def items() -> Iterator[int]:
        for item in (1, 2):
            threads.append(current_thread())
            yield item

    list(ahead(items(), str))
    assert threads == [current_thread()] * 2


@pytest.mark.parametrize("where", ["items", "make"])
def test_what_is_raised_comes_after_what_was_before_it(where: str) -> None:
    def items() -> Iterator[int]:
        yield 1
        if where == "items":
            raise ValueError("two")
        yield 2

    def make(item: int) -> int:
        if item == 2:
            raise ValueError("two")
        return item

    used = ahead(items(), make)
    assert next(used) == (1, 1)
    with pytest.raises(ValueError, match="two"):
        next(used)
