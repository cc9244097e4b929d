"""Fragments of one topic among what one owner holds, and what contradicts itself there (E4, E8)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from uuid import UUID

from memories.consolidation.near import Pair, between, eligible, near, pairs
from memories.consolidation.text import LONGEST, joined
from memories.consolidation.topics import SAMPLE, Topics
from memories.embedding.profiles import profile_for
from memories.models.flag import Flag, FlagSource
from memories.models.memory import WIDE, Memory, MemoryVersion
from memories.policies import ConsolidatingPolicy
from memories.text.tokens import HAN
from memories.writing.draft import MAX_REFLECTION
from memories.writing.judge import Related, related

SPARE = 3
"""So many times the most fragments are looked at: some are taken, some speak of something else."""
CLOSED_BY_ITSELF = ("withdrawn", "settled_itself")


@dataclass(frozen=True, slots=True)
class Cluster:
    """Memories that one text may stand for, the nearest to the first of them first.

    `conflicts` were found among them and have left; without `members` there is nothing else.
    """

    members: tuple[Memory, ...]
    scores: Mapping[str, float] = field(default_factory=dict)
    conflicts: tuple[Related, ...] = ()

    @property
    def versions(self) -> dict[UUID, int]:
        """The versions that were read."""
        return {memory.pk: memory.version for memory in self.members}


def find(space_id: UUID, seeds: Sequence[UUID], policy: ConsolidatingPolicy) -> dict[UUID, Cluster]:
    """Return the clusters around these memories, by seed; no memory is in two. It only reads.

    Memories of two owners never meet (D1); what people declined to merge is left out.
    """
    found = near(seeds, SPARE * policy.most_fragments, _least(space_id, seeds))
    keys = {*found, *(key for others in found.values() for key in others)}
    rows = eligible(space_id).defer(*WIDE).in_bulk(keys)
    search = _Search(rows, policy)
    around = {seed: search.around(seed, found[seed]) for seed in seeds if seed in found}
    return {seed: cluster for seed, cluster in around.items() if cluster is not None}


def _least(space_id: UUID, seeds: Sequence[UUID]) -> float:
    models = Memory.objects.filter(space_id=space_id, pk__in=seeds, embedding__isnull=False)
    names = models.order_by().values_list("embedding_model", flat=True).distinct()
    return min((floor for name in names for floor in _floors(name)), default=1.0)


def _floors(model: str) -> tuple[float, float]:
    """Return how near two texts lie that may be about one thing: in one script, and in two.

    Two languages are further apart for the same: there as near as one statement in both.
    """
    profile = profile_for(model)
    return profile.conflict_gate, min(profile.conflict_gate, profile.cross_lingual)


def _gates(model: str, policy: ConsolidatingPolicy) -> tuple[float, float]:
    """Return how near a fragment must lie to the others on average: in one script, and in two."""
    profile = profile_for(model)
    span = profile.duplicate - profile.conflict_gate
    gate = profile.conflict_gate + policy.nearness * span
    return gate, min(gate, profile.cross_lingual)


class _Search:
    """Looks around one seed after another; what belongs to a cluster is not looked at again."""

    def __init__(self, rows: Mapping[UUID, Memory], policy: ConsolidatingPolicy) -> None:
        self._rows = rows
        self._policy = policy
        self._taken: set[UUID] = set()
        self._topics: dict[tuple[object, ...], Topics] = {}

    def around(self, seed: UUID, others: Mapping[UUID, float]) -> Cluster | None:
        """Return the cluster of a seed, None when it has too few fragments."""
        memory = self._free(seed)
        if memory is None or len(others) + 1 < self._policy.fragments:
            return None
        group = [memory, *self._on_topic(memory, others)]
        if len(group) < self._policy.fragments:
            return None
        cosines = between([each.pk for each in group])
        conflicts = contradictions(group, cosines)
        apart = {side.pk for pair in conflicts for side in (pair.new, pair.old)}
        members = self._fitting([each for each in group if each.pk not in apart], memory, cosines)
        if not members and not conflicts:
            return None
        self._taken |= apart | {each.pk for each in members}
        return Cluster(tuple(members), _scores(members, cosines), conflicts)

    def _free(self, key: UUID) -> Memory | None:
        return None if key in self._taken else self._rows.get(key)

    def _on_topic(self, memory: Memory, others: Mapping[UUID, float]) -> Iterator[Memory]:
        """Yield the nearest that speak of the same, as many as a cluster may have besides."""
        floors = _floors(memory.embedding_model)
        left = self._policy.most_fragments - 1
        for key, cosine in others.items():
            other = self._free(key)
            if not left or other is None or cosine < floors[_scripts_differ(memory, other)]:
                continue
            if self._topics_of(memory).share(memory, other):
                left -= 1
                yield other

    def _topics_of(self, memory: Memory) -> Topics:
        owner = owner_of(memory)
        if owner not in self._topics:
            held = Memory.objects.owned_like(memory).live().order_by("-id")
            texts = held.values_list("content", flat=True)[:SAMPLE]
            self._topics[owner] = Topics(texts)
        return self._topics[owner]

    def _fitting(
        self, group: list[Memory], seed: Memory, cosines: Mapping[Pair, float]
    ) -> list[Memory]:
        """Return as many as hang together and fit into one text; none if they are too few."""
        if group[:1] != [seed]:
            return []  # it contradicts another: what is near it is another seed's
        members = self._together(group, cosines)
        while len(members) >= self._policy.fragments and not fits(members):
            members.pop()
        if len(members) < self._policy.fragments or declined(members):
            return []
        return members

    def _together(self, group: Sequence[Memory], cosines: Mapping[Pair, float]) -> list[Memory]:
        """Take in what is near to all on average, not to the seed alone."""
        members = list(group[:1])
        for other in group[1:]:
            near_to = [
                cosines.get(frozenset((other.pk, each.pk)), 0.0)
                - _gates(each.embedding_model, self._policy)[_scripts_differ(other, each)]
                for each in members
            ]
            if sum(near_to) >= 0.0:
                members.append(other)
        return members


def owner_of(memory: Memory) -> tuple[object, ...]:
    """Return what two memories must have in common to be one owner's."""
    private = memory.agent_id if memory.visibility == "private" else None
    return memory.space_id, memory.user_id, memory.visibility, private


def contradictions(
    memories: Sequence[Memory], cosines: Mapping[Pair, float]
) -> tuple[Related, ...]:
    """Return each two of these memories that contradict one another."""
    judged = (
        related(new, old, cosines.get(frozenset((new.pk, old.pk)))) for new, old in pairs(memories)
    )
    return tuple(pair for pair in judged if pair.verdict.kind == "conflict")


def fits(memories: Sequence[Memory]) -> bool:
    """Whether one memory can say all of it: nothing is ever cut (B6)."""
    thoughts = "\n".join(dict.fromkeys(each.reflection for each in memories if each.reflection))
    return len(joined(memories)) <= LONGEST and len(thoughts) <= MAX_REFLECTION


def declined(memories: Sequence[Memory]) -> bool:
    """Whether people said already that these texts, alone or among others, stay apart."""
    said = {memory.pk: memory.content for memory in memories}
    closed = Flag.objects.filter(kind=Flag.Kind.MERGE, status=Flag.Status.RESOLVED)
    closed = closed.exclude(resolution__in=CLOSED_BY_ITSELF)
    of_one = closed.filter(sources__memory=memories[0]).values_list("pk", flat=True)
    for flag in of_one:
        versions = dict(
            FlagSource.objects.filter(flag=flag, memory__in=said).values_list(
                "memory_id", "memory_version"
            )
        )
        if versions.keys() == said.keys() and _said_then(versions) == said:
            return True
    return False


def _said_then(versions: Mapping[UUID, int]) -> dict[UUID, str]:
    kept = MemoryVersion.objects.filter(memory__in=versions)
    rows = kept.values_list("memory_id", "number", "content")
    return {key: content for key, number, content in rows if versions[key] == number}


def _scripts_differ(one: Memory, other: Memory) -> bool:
    return bool(HAN.search(one.content)) != bool(HAN.search(other.content))


def _scores(members: Sequence[Memory], cosines: Mapping[Pair, float]) -> Mapping[str, float]:
    """Return how near the members are: the mean and the least cosine of two of them."""
    keys = (frozenset((one.pk, other.pk)) for one, other in combinations(members, 2))
    found = [cosines[key] for key in keys if key in cosines]
    if not found:
        return {}
    return {"cosine": round(sum(found) / len(found), 4), "least_cosine": round(min(found), 4)}
