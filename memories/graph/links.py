"""What a memory is connected to, from every table that says so (A3): one read, the actor's sight.

A neighbour that the actor may not see does not exist: it takes no place, and no count tells (D1).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from memories.models.flag import Flag, FlagSource
from memories.models.graph import Link
from memories.models.memory import Memory, MemoryQuerySet
from memories.permissions import Actor
from memories.reading import memories_of

MOST = 12
EACH = 30
"""Rows that one kind of link may propose."""
COMMON = 40
"""A name that so many memories mention connects no two of them."""

Text = str | Promise
# By type: what the memory in the middle does to its neighbour, and what its neighbour does to it.
# Where they are the same the link has no direction. The order is which of two links of one
# neighbour is told, and who has a place when there are many.
TYPES: dict[str, tuple[Text, Text]] = {
    "contradicts": (_("contradicts"), _("contradicts")),
    "supersedes": (_("supersedes"), _("superseded by")),
    "merged_from": (_("merged from"), _("merged into")),
    "contradicted": (_("contradicted"), _("contradicted")),
    "caused_by": (_("caused by"), _("cause of")),
    "supports": (_("supports"), _("supported by")),
    "same_session": (_("same session"), _("same session")),
    "mentions": (pgettext_lazy("of two memories", "same name"),) * 2,
}
_ORDER = {code: place for place, code in enumerate(TYPES)}
_DECIDED = ("keep_new", "keep_old", "reject")
_MERGED = ("approve", "edit_approve")

# Names that few mention, counted among what is seen and no further than COMMON.
_SHARED = """
WITH seen AS NOT MATERIALIZED ({scope}),
rare AS (
  SELECT entity.id, entity.name, near.memories, cardinality(near.memories) AS many
  FROM memories_mention AS mine JOIN memories_entity AS entity ON entity.id = mine.entity_id
  CROSS JOIN LATERAL (
    SELECT array_agg(memory_id) AS memories FROM (
      SELECT memory_id FROM memories_mention JOIN seen ON seen.id = memory_id
      WHERE entity_id = mine.entity_id AND memory_id <> mine.memory_id LIMIT %(common)s
    ) AS mention
  ) AS near
  WHERE mine.memory_id = %(id)s AND cardinality(near.memories) < %(common)s
)
SELECT memory_id, array_agg(name ORDER BY many, name)
FROM rare CROSS JOIN LATERAL unnest(memories) AS memory_id
GROUP BY memory_id ORDER BY sum(1.0 / many) DESC, memory_id DESC LIMIT %(each)s
"""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory beside another one: what connects them (a key of TYPES).

    `outward`: the link goes from the memory in the middle to this one. `names` are those that both
    mention, for the type “mentions”.
    """

    memory: Memory
    type: str
    outward: bool = True
    names: tuple[str, ...] = ()

    @property
    def label(self) -> Text:
        """What the memory in the middle is to this one."""
        return TYPES[self.type][0 if self.outward else 1]

    @property
    def directed(self) -> bool:
        """Whether the link has a direction."""
        there, back = TYPES[self.type]
        return there is not back and str(there) != str(back)


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A memory and its neighbours, the most telling links first; `more` were left out."""

    memory: Memory
    neighbours: tuple[Neighbour, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class _Tie:
    id: UUID
    type: str
    outward: bool = True
    names: tuple[str, ...] = ()


def links_of(*, actor: Actor, memory: Memory, most: int = MOST) -> Neighbourhood:
    """Return the neighbours of a memory that the actor may see, at most `most`.

    `memory` has been read for this actor (get_memory). At most seven queries, however many there
    are. Raises NotAllowed.
    """
    actor.require("read")
    ties: dict[UUID, _Tie] = {}
    seen: MemoryQuerySet = Memory.objects.visible_to(actor).exclude(pk=memory.pk)
    for tie in sorted(_ties(actor, memory, seen), key=lambda tie: _ORDER[tie.type]):
        ties.setdefault(tie.id, tie)
    chosen = list(ties.values())[:most]
    found = memories_of(actor).in_bulk([tie.id for tie in chosen])
    neighbours = tuple(
        Neighbour(found[tie.id], tie.type, tie.outward, tie.names)
        for tie in chosen
        if tie.id in found
    )
    return Neighbourhood(memory, neighbours, len(ties) - len(chosen))


def _ties(actor: Actor, memory: Memory, seen: MemoryQuerySet) -> Iterator[_Tie]:
    yield from _linked(actor, memory)
    yield from _disputed(actor, memory)
    yield from _replaced(memory, seen)
    yield from _merged(actor, memory)
    yield from _same_session(memory, seen)
    yield from _naming(memory, seen)


def _seen(actor: Actor, prefix: str) -> Q:
    """The actor's sight beside another condition: that one's index finds few rows to check."""
    seen = actor.sight(prefix)
    return seen & Q(**{f"{prefix}withheld": False}) if actor.kind == "agent" else seen


def _linked(actor: Actor, memory: Memory) -> Iterator[_Tie]:
    either = Q(_seen(actor, "target__"), source=memory) | Q(_seen(actor, "source__"), target=memory)
    rows = Link.objects.filter(either).order_by("-id")
    for source, target, code in rows.values_list("source", "target", "type")[:EACH]:
        outward = source == memory.pk
        yield _Tie(target if outward else source, code, outward)


def _disputed(actor: Actor, memory: Memory) -> Iterator[_Tie]:
    """Yield what a conflict was about, while it is open and when one side was found wrong."""
    either = Q(memory=memory, counterpart__isnull=False) | Q(counterpart=memory)
    told = Q(status=Flag.Status.OPEN) | Q(resolution__in=_DECIDED)
    rows = Flag.objects.visible_to(actor).filter(either, told, kind=Flag.Kind.CONFLICT)
    fields = ("memory", "counterpart", "status")
    for new, old, status in rows.order_by("-id").values_list(*fields)[:EACH]:
        code = "contradicts" if status == Flag.Status.OPEN else "contradicted"
        yield _Tie(old if new == memory.pk else new, code)


def _replaced(memory: Memory, seen: MemoryQuerySet) -> Iterator[_Tie]:
    rows = seen.filter(Q(pk=memory.replaced_by_id) | Q(replaced_by=memory)).order_by("-id")
    for pk in rows.values_list("pk", flat=True)[:EACH]:
        yield _Tie(pk, "supersedes", pk != memory.replaced_by_id)


def _merged(actor: Actor, memory: Memory) -> Iterator[_Tie]:
    """Yield the sources of an accepted merge, and what a source went into."""
    either = Q(_seen(actor, "memory__"), flag__memory=memory)
    either |= Q(_seen(actor, "flag__memory__"), memory=memory)
    rows = FlagSource.objects.filter(
        either, flag__kind=Flag.Kind.MERGE, flag__resolution__in=_MERGED
    )
    for whole, part in rows.order_by("-id").values_list("flag__memory", "memory")[:EACH]:
        outward = whole == memory.pk
        yield _Tie(part if outward else whole, "merged_from", outward)


def _same_session(memory: Memory, seen: MemoryQuerySet) -> Iterator[_Tie]:
    """Yield what was told in one session: one name, of one agent and one user."""
    if not memory.session:
        return
    rows = seen.live().filter(session=memory.session, agent=memory.agent, user_id=memory.user_id)
    for pk in rows.order_by("-id").values_list("pk", flat=True)[:EACH]:
        yield _Tie(pk, "same_session")


def _naming(memory: Memory, seen: MemoryQuerySet) -> Iterator[_Tie]:
    sql, params = seen.live().order_by().values("id").query.sql_with_params()
    given = {f"scope_{i}": value for i, value in enumerate(params)}
    scope = sql % tuple(f"%({name})s" for name in given)
    more = {"id": memory.pk, "common": COMMON, "each": EACH}
    with connection.cursor() as cursor:
        cursor.execute(_SHARED.format(scope=scope), given | more)
        for pk, names in cursor.fetchall():
            yield _Tie(pk, "mentions", names=tuple(names[:3]))
