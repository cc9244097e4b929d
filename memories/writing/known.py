"""What is known around a batch of new statements, asked for all of them at once."""

import struct
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from math import hypot
from operator import mul
from uuid import UUID

from django.utils import timezone

from memories.embedding.client import Vector
from memories.models.memory import Memory, Status, Visibility
from memories.policies import WritingPolicy
from memories.writing.lessons import NEAREST
from memories.writing.neighbours import Neighbour, nearest_each

Owner = tuple[str, str, str]
Near = Mapping[UUID, list[Neighbour]]


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

    Four statements an owner, two more where subjects are given. What the batch itself adds is told
    by add().
    """

    def __init__(self, memories: Sequence[Memory], policy: WritingPolicy) -> None:
        self._most = policy.neighbours
        self._texts: set[tuple[Owner, str]] = set()
        self._added: dict[Owner, list[tuple[Memory, Vector]]] = {}
        self._near: dict[UUID, list[Neighbour]] = {}
        self._overturned: dict[UUID, list[Neighbour]] = {}
        self._on_subject: dict[UUID, list[Neighbour]] = {}
        for owner, owned in by_owner(memories).items():
            self._ask(owner, owned)

    def _ask(self, owner: Owner, owned: Sequence[Memory]) -> None:
        every = Memory.objects.owned_like(owned[0])
        hashes = every.live().filter(content_hash__in={memory.content_hash for memory in owned})
        self._texts |= {(owner, text) for text in hashes.values_list("content_hash", flat=True)}
        embedded = [memory for memory in owned if memory.embedding is not None]
        named = [memory for memory in embedded if memory.subject]
        self._near |= nearest_each(embedded, every.live(), self._most)
        self._on_subject |= nearest_each(named, every.live(), self._most, on_subject=True)
        overturned = every.filter(status=Status.OVERTURNED)
        self._overturned |= nearest_each(embedded, overturned, NEAREST)

    def add(self, memory: Memory) -> None:
        """Count a memory of the batch in that is stored, or will be before anybody else looks."""
        owner = owner_of(memory)
        memory.created_at = memory.created_at or timezone.now()  # until it is inserted
        self._texts.add((owner, memory.content_hash))
        if memory.embedding is not None:
            self._added.setdefault(owner, []).append((memory, as_stored(memory.embedding)))

    def has(self, memory: Memory) -> bool:
        """Whether the owner has this very text; see neighbours.exact()."""
        return (owner_of(memory), memory.content_hash) in self._texts

    def neighbours(self, memory: Memory) -> list[Neighbour]:
        """Return what neighbours.neighbours() would; the memory has an embedding."""
        added = list(self._among_added(memory))
        near = [*self._near.get(memory.pk, ()), *added]
        closest = nlargest(self._most, near, key=lambda each: each.cosine or 0.0)
        subject = memory.subject.upper()
        same = [near for near in added if subject and near.memory.subject.upper() == subject]
        named = [*reversed(same), *self._on_subject.get(memory.pk, ())][: self._most]
        return list({near.memory.pk: near for near in (*named, *closest)}.values())

    def overturned(self, memory: Memory) -> list[Neighbour]:
        """Return what people overturned and is nearest to a memory; see lessons.rejected_like()."""
        return self._overturned.get(memory.pk, [])

    def _among_added(self, memory: Memory) -> Iterator[Neighbour]:
        others = self._added.get(owner_of(memory))
        if others:
            vector = as_stored(memory.embedding)
            for other, known in others:
                yield Neighbour(other, sum(map(mul, vector, known)))


def as_stored(vector: Sequence[float]) -> Vector:
    """Return a vector as the database compares it: in half precision, of length 1."""
    form = f"{len(vector)}e"
    halves = struct.unpack(form, struct.pack(form, *vector))
    length = hypot(*halves)
    return [value / length for value in halves]
