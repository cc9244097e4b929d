"""What is known around a batch of new statements, asked for all of them at once."""

from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import groupby
from math import hypot
from operator import mul
from uuid import UUID

from django.utils import timezone

from memories.embedding.client import Vector
from memories.embedding.halves import halves
from memories.models.memory import Memory, Visibility
from memories.policies import WritingPolicy
from memories.writing.judge import Judgement, judged
from memories.writing.lessons import NEAREST, repeats
from memories.writing.neighbours import Neighbour, around

Owner = tuple[str, str, str]


def owner_of(memory: Memory) -> Owner:
    """Return what two memories of a space share that are compared; see owned_like()."""
    private = memory.visibility == Visibility.PRIVATE
    return memory.user_id, memory.visibility, str(memory.agent_id) if private else ""


def by_owner(memories: Sequence[Memory]) -> Mapping[Owner, list[Memory]]:
    """Return memories of one space by their owners, in order."""
    owned: dict[Owner, list[Memory]] = {}
    for memory in memories:
        owned.setdefault(owner_of(memory), []).append(memory)
    return owned


class Known:
    """What a batch of unsaved, indexed memories is compared with, as its owners' locks keep it.

    One statement, or two where some are private. What the batch itself adds is told by add().
    """

    def __init__(self, memories: Sequence[Memory], policy: WritingPolicy) -> None:
        self._policy = policy
        self._texts: set[tuple[Owner, str]] = set()
        self._added: dict[Owner, list[tuple[Memory, Vector]]] = {}
        self._around: dict[UUID, Mapping[str, list[Neighbour]]] = {}
        embedded = [memory for memory in memories if memory.embedding is not None]
        for _audience, heard in groupby(sorted(embedded, key=_audience_of), key=_audience_of):
            self._around |= around(list(heard), policy.neighbours, NEAREST)

    def add(self, memory: Memory) -> None:
        """Count a memory of the batch in that is stored, or will be before anybody else looks."""
        owner = owner_of(memory)
        memory.created_at = memory.created_at or timezone.now()  # until it is inserted
        self._texts.add((owner, memory.content_hash))
        if memory.embedding is not None:
            self._added.setdefault(owner, []).append((memory, as_stored(memory.embedding)))

    def nothing_like(self, memory: Memory) -> bool:
        """Whether nothing known is like a memory or speaks against it: it can only be new."""
        return not (
            memory.embedding is None
            or self._has(memory)
            or judged(memory, self.neighbours(memory), self._policy) != Judgement()
            or any(repeats(memory, near) for near in self._found(memory, "overturned"))
        )

    def neighbours(self, memory: Memory) -> list[Neighbour]:
        """Return what neighbours.neighbours() would; the memory has an embedding."""
        most = self._policy.neighbours
        added = list(self._among_added(memory))
        near = [*self._found(memory, "nearest"), *added]
        closest = nlargest(most, near, key=lambda each: each.cosine or 0.0)
        subject = memory.subject.upper()
        same = [near for near in added if subject and near.memory.subject.upper() == subject]
        named = [*reversed(same), *self._found(memory, "on_subject")][:most]
        return list({near.memory.pk: near for near in (*named, *closest)}.values())

    def _has(self, memory: Memory) -> bool:
        """Whether the owner has this very text; see neighbours.exact()."""
        said = (owner_of(memory), memory.content_hash) in self._texts
        return said or bool(self._found(memory, "same"))

    def _found(self, memory: Memory, how: str) -> Sequence[Neighbour]:
        return self._around.get(memory.pk, {}).get(how, ())

    def _among_added(self, memory: Memory) -> Iterator[Neighbour]:
        others = self._added.get(owner_of(memory))
        if others:
            vector = as_stored(memory.embedding)
            for other, known in others:
                yield Neighbour(other, sum(map(mul, vector, known)))


def _audience_of(memory: Memory) -> tuple[str, str]:
    _user_id, *audience = owner_of(memory)
    return audience[0], audience[1]


def as_stored(vector: Sequence[float]) -> Vector:
    """Return a vector as the database compares it: in half precision, of length 1."""
    stored = halves(vector)
    length = hypot(*stored)
    return [value / length for value in stored]
