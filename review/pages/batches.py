"""What the pages show of a batch, made ready for the templates."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, QuerySet
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memories.models.flag import Flag
from memories.models.memory import WIDE, Status
from memories.permissions import Actor
from review.bulk.previewing import offers_of
from review.decisions import effects_of
from review.kinds import kind_of, labelled
from review.models import Batch, BatchItem, Rejection
from review.pages.rows import SHORT, Row, rows_of
from review.queue import flags_of

# Texts that a preview shows, and what it reckons the effect from.
SAMPLE = 20
# Reasons, and items of each, that a page lists.
GROUPS, EXAMPLES = 20, 5
Item = BatchItem.State
# How many items there are of each (state, kind).
Tally = Counter[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Group:
    """Items that were not decided, or not undone, for one reason; `examples` are the first, with
    the beginnings of their texts."""

    why: str
    count: int
    examples: Sequence[tuple[Flag, str]]

    @property
    def more(self) -> int:
        """How many are not among the examples."""
        return self.count - len(self.examples)


@dataclass(frozen=True, slots=True)
class Sample:
    """What a preview shows of the items: their texts, and (status, status it will have, count)."""

    rows: Sequence[Row]
    effects: Sequence[tuple[str, str, int]]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a batch is: `done` of `all` items, and how many of them were refused or kept."""

    done: int
    all: int
    good: int
    bad: int


def tallies_of(batches: Iterable[Batch]) -> dict[UUID, Tally]:
    """Return how many items of which state and kind each batch has, in one query."""
    items = BatchItem.objects.filter(batch__in=batches).order_by()
    rows = items.values_list("batch", "state", "flag__kind").annotate(n=Count("pk"))
    tallies: dict[UUID, Tally] = defaultdict(Counter)
    for key, state, kind, count in rows:
        tallies[key][state, kind] = count
    return tallies


def what(batch: Batch, tally: Tally) -> str:
    """Return what a batch decides, in words: in those of the kind that most of its items are of."""
    kinds: Counter[str] = Counter()
    for (_state, kind), count in tally.items():
        kinds[kind] += count
    offers = offers_of(batch.choice)
    found = next((offers[code] for code, _n in kinds.most_common() if code in offers), None)
    said = str(found.label) if found else batch.choice
    reason = dict(Rejection.choices).get(batch.reason)
    return _("%(what)s as “%(reason)s”") % {"what": said, "reason": reason} if reason else said


def title(batch: Batch, tally: Tally, count: int) -> str:
    """Return the heading of a batch: what is decided, and for how many items."""
    return ngettext("%(what)s: %(n)d item", "%(what)s: %(n)d items", count) % {
        "what": what(batch, tally),
        "n": count,
    }


def kinds_waiting(tally: Tally) -> list[tuple[str, int]]:
    """Return what a draft would decide: the labels of its kinds with their counts."""
    waiting = {kind: count for (state, kind), count in tally.items() if state == Item.WAITING}
    return [(labelled(code), count) for code, count in Counter(waiting).most_common()]


def progress(batch: Batch, tally: Tally) -> Progress:
    """Return how far a running batch, or its undoing, is."""
    n: Counter[str] = Counter()
    for (state, _kind), count in tally.items():
        n[state] += count
    if batch.state in (Batch.State.UNDOING, Batch.State.UNDONE):
        good, bad, left = n[Item.UNDONE], n[Item.KEPT], n[Item.DECIDED]
    else:
        good, bad, left = n[Item.DECIDED], n[Item.REFUSED], n[Item.WAITING]
    return Progress(good + bad, good + bad + left, good, bad)


def sample_of(batch: Batch, actor: Actor) -> Sample:
    """Return the first items that a draft would decide, and what becomes of their memories."""
    keys = list(batch.items.filter(state=Item.WAITING).values_list("flag", flat=True)[:SAMPLE])
    found = flags_of(actor).select_related("claim__user").in_bulk(keys)
    flags = [found[key] for key in keys if key in found]
    effects = Counter(_effects(flags, batch, actor))
    told = [
        (Status(before).label, Status(after).label, n)
        for (before, after), n in effects.most_common()
    ]
    return Sample(rows_of(flags, actor), [(str(now), str(then), n) for now, then, n in told])


def _effects(flags: Iterable[Flag], batch: Batch, actor: Actor) -> Iterator[tuple[str, str]]:
    for flag in flags:
        if offer := kind_of(flag).offer(batch.choice):
            for change in effects_of(actor=actor, flag=flag, offer=offer, reason=batch.reason):
                yield change.memory.status, change.status


def groups_of(batch: Batch, state: str) -> list[Group]:
    """Return the items in a state that has reasons, grouped by them, largest group first."""
    items = batch.items.filter(state=state)
    rows = items.order_by().values_list("why").annotate(n=Count("pk")).order_by("-n", "why")
    return [
        Group(
            why,
            count,
            [
                (item.flag, Truncator(item.flag.memory.content).chars(SHORT))
                for item in _with_texts(items.filter(why=why))[:EXAMPLES]
            ],
        )
        for why, count in rows[:GROUPS]
    ]


def _with_texts(items: "QuerySet[BatchItem]") -> "QuerySet[BatchItem]":
    unread = [f"flag__memory__{name}" for name in WIDE]
    return items.select_related("flag__memory").defer(*unread)
