"""Memories take their place in the graph: entities of their owner, mentions, links (A3, J1).

`prepared()` reads and thinks, outside any transaction; `link()` writes, inside the
caller's. An owner is one user and one audience of a space (D1): nothing here joins two of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, Func

from memories.graph import gazette
from memories.graph.entities import Name, entities
from memories.graph.extracting import text_of
from memories.graph.relating import links_for
from memories.models.graph import Entity, Link, Mention
from memories.models.memory import WIDE, Memory, Visibility
from memories.policies import PolicyNumbers, policy_for

Owner = tuple[UUID, str, UUID | None]
BATCH = 200

# Takes the rows that are as they were read, in the order of their ids, and says that they are done.
_TAKEN = """
UPDATE memories_memory AS memory SET linked_version = memory.version
FROM (
  SELECT id FROM memories_memory JOIN unnest(%s::uuid[], %s::int[]) AS seen(id, number) USING (id)
  WHERE version = number AND linked_version < version
  ORDER BY id FOR NO KEY UPDATE OF memories_memory
) AS held
WHERE memory.id = held.id RETURNING memory.id
"""
_MENTION = """
INSERT INTO memories_mention (memory_id, entity_id) SELECT * FROM unnest(%s::uuid[], %s::uuid[])
ON CONFLICT DO NOTHING
"""


@dataclass(slots=True)
class Known:
    """An entity as this batch knows it; `stored` once it is a row."""

    id: UUID
    owner: Owner
    key: str
    keys: list[str]
    name: str = ""
    stored: bool = True


@dataclass(slots=True)
class Ready:
    """What linking a batch needs: its memories, their names, and the entities there are.

    `book` is read in the transaction that writes, and again after a row failed in it.
    """

    memories: Mapping[UUID, Memory]
    names: Mapping[UUID, tuple[Name, ...]]
    book: dict[tuple[Owner, str], Known] | None = None


def owner_of(memory: Memory) -> Owner:
    """Return whose a memory is: (space, user, agent); the agent only of a private one."""
    private = memory.visibility == Visibility.PRIVATE
    return memory.space_id, memory.user_id, memory.agent_id if private else None


def waiting(space_id: UUID, after: str = "", size: int = BATCH) -> list[UUID]:
    """Return the next memories whose newest version is not in the graph, by their ids."""
    rows = Memory.objects.filter(space_id=space_id, linked_version__lt=F("version"))
    if after:
        rows = rows.filter(pk__gt=after)
    return list(rows.order_by("pk").values_list("pk", flat=True)[:size])


def read(memory_ids: Sequence[UUID]) -> list[Memory]:
    """Return these memories as linking reads them."""
    return list(Memory.objects.filter(pk__in=memory_ids).defer(*WIDE))


def prepared(
    memories: Sequence[Memory], names: Mapping[UUID, tuple[Name, ...]] | None = None
) -> Ready:
    """Return what `link()` needs for these memories; `names` where somebody has found them."""
    found = dict(names or {})
    for memory in memories:
        if memory.pk not in found:
            found[memory.pk] = entities(text_of(memory), memory.subject, memory.tags)
    return Ready({memory.pk: memory for memory in memories}, found)


def link(memory_ids: Sequence[UUID], ready: Ready, policy: PolicyNumbers) -> dict[str, int]:
    """Put memories' newest versions in the graph; return how many are "linked", how many "alone".

    Expects the caller's transaction. What was changed or removed since it was read is left to the
    next run. Some ten statements, however many memories there are.
    """
    memories = [ready.memories[pk] for pk in memory_ids if pk in ready.memories]
    taken = _taken(memories)
    memories = [memory for memory in memories if memory.pk in taken]
    try:
        spoken = _stored(memories, ready)
    except Exception:
        ready.book = None  # the caller takes back what was written
        raise
    Link.objects.bulk_create(links_for(spoken, policy), ignore_conflicts=True)
    linked = sum(bool(names) for _memory, names in spoken.values())
    counts = {"linked": linked, "alone": len(spoken) - linked}
    return {outcome: n for outcome, n in counts.items() if n}


def link_all(space_id: UUID) -> int:
    """Link whatever waits in a space, a batch a transaction; return how many. For commands."""
    done, after = 0, ""
    policy = policy_for(space_id)[1]
    while ids := waiting(space_id, after):
        ready = prepared(read(ids))
        with transaction.atomic():
            done += sum(link(ids, ready, policy).values())
        after = str(ids[-1])
    return done


def prune(space_id: UUID) -> int:
    """Remove the entities that nothing mentions any more; return how many (E6)."""
    removed: int = Entity.objects.filter(space_id=space_id, mentions__isnull=True).delete()[0]
    return removed


def relearn(entity_ids: Sequence[UUID]) -> None:
    """Let entities forget aliases that a removed text may have taught (E6).

    Whoever still mentions them is linked again and teaches what it says. Expects a transaction.
    """
    taught = [
        entity.pk
        for entity in Entity.objects.filter(pk__in=entity_ids, keys__len__gt=1)
        if set(entity.keys) - {entity.key} - gazette.aliases()
    ]
    if taught:
        Memory.objects.filter(mentions__entity__in=taught).update(linked_version=0)
        Entity.objects.filter(pk__in=taught).update(
            keys=Func("key", template="ARRAY[%(expressions)s]")
        )


def _taken(memories: Sequence[Memory]) -> set[UUID]:
    with connection.cursor() as cursor:
        seen = [memory.pk for memory in memories], [memory.version for memory in memories]
        cursor.execute(_TAKEN, seen)
        return {row[0] for row in cursor.fetchall()}


def _stored(memories: Sequence[Memory], ready: Ready) -> dict[UUID, tuple[Memory, dict[str, UUID]]]:
    """Store entities and mentions; return each memory with its entities by the names' keys."""
    _forget([memory.pk for memory in memories if memory.linked_version])
    book = _book(ready)
    spoken = {
        memory.pk: [
            (name.key, _entity(owner_of(memory), name, book)) for name in ready.names[memory.pk]
        ]
        for memory in memories
    }
    _create([known for each in spoken.values() for _key, known in each])
    pairs = [(pk, known.id) for pk, each in spoken.items() for _key, known in each]
    with connection.cursor() as cursor:
        cursor.execute(_MENTION, [[pk for pk, _id in pairs], [entity for _pk, entity in pairs]])
    return {
        memory.pk: (memory, {key: known.id for key, known in spoken[memory.pk]})
        for memory in memories
    }


def _book(ready: Ready) -> dict[tuple[Owner, str], Known]:
    """Return the entities whose keys the batch's names have, held until the transaction ends."""
    if ready.book is None:
        ready.book = {}
        found = ready.names.values()
        keys = {key for each in found for name in each for key in (name.key, *name.aliases)}
        users = {memory.user_id for memory in ready.memories.values()}
        spaces = {memory.space_id for memory in ready.memories.values()}
        rows = Entity.objects.filter(
            space_id__in=spaces, user_id__in=users, keys__overlap=sorted(keys)
        )
        for row in rows.select_for_update(of=("self",), no_key=True).order_by("pk"):
            owner = (row.space_id, row.user_id, row.agent_id)
            _noted(ready.book, Known(row.pk, owner, row.key, row.keys))
    return ready.book


def _noted(book: dict[tuple[Owner, str], Known], known: Known) -> None:
    for key in (known.key, *known.keys):
        book.setdefault((known.owner, key), known)


def _entity(owner: Owner, name: Name, book: dict[tuple[Owner, str], Known]) -> Known:
    """Return the one entity that a name and its aliases stand for.

    Made where there is none, taught the keys that it lacks, and made one of several (A3).
    """
    keys = tuple(dict.fromkeys((name.key, *name.aliases)))
    found = {known.id: known for key in keys if (known := book.get((owner, key)))}
    if not found:
        new = Known(Entity().pk, owner, name.key, list(keys), name.name, stored=False)
        _noted(book, new)
        return new
    first, *others = sorted(found.values(), key=lambda known: (not known.stored, known.id))
    more = dict.fromkeys((*first.keys, *keys, *(key for one in others for key in one.keys)))
    if len(more) > len(first.keys):
        first.keys = list(more)
        if first.stored:
            Entity.objects.filter(pk=first.id).update(keys=first.keys)
    book |= {(owner, key): first for key in first.keys}
    for other in others:
        _merge(first, other)
    return first


def _merge(first: Known, other: Known) -> None:
    """Give the mentions of an entity to the one that it turned out to be."""
    if other.stored:
        memories = Mention.objects.filter(entity=other.id).values_list("memory", flat=True)
        Mention.objects.bulk_create(
            (Mention(memory_id=pk, entity_id=first.id) for pk in list(memories)),
            ignore_conflicts=True,
        )
        Entity.objects.filter(pk=other.id).delete()
    other.id, other.stored = first.id, first.stored


def _create(spoken: Sequence[Known]) -> None:
    fresh = {known.id: known for known in reversed(spoken) if not known.stored}
    Entity.objects.bulk_create(
        Entity(
            id=known.id,
            space_id=known.owner[0],
            user_id=known.owner[1],
            agent_id=known.owner[2],
            name=known.name,
            key=known.key,
            keys=known.keys,
        )
        for known in fresh.values()
    )
    for known in spoken:
        known.stored = True


def _forget(memories: Sequence[UUID]) -> None:
    """Take older versions out of the graph; what they explained is looked at again."""
    if not memories:
        return
    Mention.objects.filter(memory__in=memories).delete()
    caused = Link.objects.filter(target__in=memories, type=Link.Type.CAUSED_BY)
    effects = Memory.objects.filter(pk__in=caused.values("source")).exclude(pk__in=memories)
    effects.update(linked_version=0)
    for side in ("source__in", "target__in"):
        Link.objects.filter(**{side: memories}, origin=Link.Origin.RULES).delete()
