"""What a measurement says and asks: each text once, so that no answer is known already."""

from collections.abc import Iterator
from itertools import count, islice
from typing import NamedTuple

from memories.evaluation.corpus import question, untold
from memories.evaluation.filling import sizes

WRITERS = 50
"""Users whose memories are added to."""


class Line(NamedTuple):
    """A question or a statement, and the user it is about."""

    text: str
    user_id: str


class Material:
    """Questions to the users of a filled space, and statements that they have not made yet."""

    def __init__(self, memories: int, owners: int, largest: int) -> None:
        self._known = sizes(memories, owners, largest)
        # One that has more than the others is there to be asked.
        self._owners = range(1 if largest else owners)
        self._questions = (self._question(number) for number in count())
        self._statements = self._told()

    def questions(self, number: int) -> list[Line]:
        return list(islice(self._questions, number))

    def statements(self, number: int) -> list[Line]:
        return list(islice(self._statements, number))

    def _question(self, number: int) -> Line:
        owner = self._owners[number % len(self._owners)]
        return Line(
            question(owner, number // len(self._owners), self._known[owner]), f"user-{owner}"
        )

    def _told(self) -> Iterator[Line]:
        writers = self._owners[:WRITERS]
        untold_by = [untold(owner, self._known[owner]) for owner in writers]
        while True:
            for owner, texts in zip(writers, untold_by, strict=True):
                yield Line(next(texts), f"user-{owner}")
