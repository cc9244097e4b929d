"""How fast writing and recall are on a made-up corpus, through the service, REST and MCP.

One caller at a time first, then more at once; embedded at a stand-in, or as late as the model.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TypeVar

from django.db import connection

from memories import jobs
from memories.evaluation.clients import CallFailed
from memories.evaluation.doors import Door, Opened, Service, asked, doors
from memories.evaluation.driving import Load, drive
from memories.evaluation.filling import fill, rows_of
from memories.evaluation.material import Line, Material
from memories.evaluation.scenes import started
from memories.evaluation.standin import MODEL, Embedder
from memories.evaluation.timing import Spread
from memories.evaluation.tracing import arms_alone, traced
from memories.identity import agent_actor, issue_key
from memories.models import Agent, Space

T = TypeVar("T")
AT_ONCE = (1, 8, 32)
BATCH = 100
WARM_UP = 20
"""Calls before the first that counts."""
SAMPLE = 50
"""Recalls of which the arms are also asked one by one."""

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: how many memories of how many users, of whom one has `owner_size`, 0 for
    as many as all; and how many calls each figure is of.
    """

    memories: int
    owners: int
    owner_size: int
    calls: int


@dataclass(frozen=True, slots=True)
class Alone:
    """An embedder without the product: texts a second, singly and in batches, and one question."""

    singly: float
    in_batches: float
    question: Spread


@dataclass(frozen=True, slots=True)
class Recalling:
    """Recalls through one door, so many at once."""

    door: str
    load: Load


@dataclass(frozen=True, slots=True)
class Written:
    """Writes through one door: statements a second, and as a share of what the embedder does."""

    door: str
    batch: int
    rate: float
    share: float | None
    took: Spread


@dataclass(frozen=True, slots=True)
class Stored:
    """How long filling took, and the indexes of a large user, and the bytes that both added."""

    seconds: float
    indexing_seconds: float
    bytes: int
    bytes_per_memory: float
    tables: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Found:
    """All that was measured; `over_model` is a recall's median over that of embedding alone."""

    stored: Stored
    embedder: Alone | None
    recalls: Sequence[Recalling]
    parts: Mapping[str, Spread]
    statements: float
    processor_ms: float
    over_model: float | None
    writes: Sequence[Written]


def measured(space: Space, plan: Plan, embedder: Embedder | None, told: Told) -> Found:
    """Fill a temporary space and measure everything in it; `embedder` is who stands behind.

    Raises Invalid when the embedder goes away, and what a door's client raises.
    """
    stored = filled(space, plan, told)
    material = Material(plan.memories, plan.owners, plan.owner_size)
    alone = embedding_alone(embedder, material, plan.calls) if embedder else None
    agent = Agent.objects.filter(space=space).earliest("name")
    service = Service(agent_actor(agent))
    with doors(service, issue_key(agent)[1]) as opened:
        using = Using(opened, service, material, plan.calls, told)
        recalls = list(using.recalls())
        parts, statements, processor_ms = using.parts()
        writes = list(using.writes(alone))
    ratio = recalls[0].load.took.p50 / alone.question.p50 if alone else None
    return Found(stored, alone, recalls, parts, statements, processor_ms, ratio, writes)


def filled(space: Space, plan: Plan, told: Told) -> Stored:
    """Fill a space, let follow what comes by itself some time later, and see what it takes."""
    before, began = _table_sizes(space), perf_counter()
    fill(space, plan.memories, plan.owners, MODEL, told, largest=plan.owner_size)
    seconds = perf_counter() - began
    told(f"{plan.memories} memories made in {seconds:.0f} s")
    with connection.cursor() as cursor:
        cursor.execute(f"VACUUM (ANALYZE) {', '.join(before)}")
    began = perf_counter()
    jobs.carry_on(started(space, "index_large").pk)
    indexing_seconds = perf_counter() - began
    added = {table: size - before[table] for table, size in _table_sizes(space).items()}
    total = sum(added.values())
    return Stored(seconds, indexing_seconds, total, total / plan.memories, added)


def embedding_alone(embedder: Embedder, material: Material, calls: int) -> Alone:
    """Ask an embedder directly for as much as the product will be asked for."""
    client = embedder.client()
    questions = [[one.text] for one in material.questions(WARM_UP + calls)]
    told = [[one.text] for one in material.statements(calls)]
    batches = _batches([one.text for one in material.statements(_bulk(calls))])

    def opened() -> AbstractContextManager[Callable[[Sequence[str]], object]]:
        return nullcontext(client.embed)

    asking = drive(opened, questions[WARM_UP:], warm_up=questions[:WARM_UP])
    singly, in_batches = drive(opened, told), drive(opened, batches)
    client.close()
    return Alone(singly.rate, in_batches.rate * BATCH, asking.took)


@dataclass(frozen=True, slots=True)
class Using:
    """A filled space with its doors open, and what is said and asked there: `calls` a figure."""

    opened: Mapping[str, Opened]
    service: Service
    material: Material
    calls: int
    told: Told

    def recalls(self) -> Iterator[Recalling]:
        """Ask through every door, with one caller and with more."""
        for name, door in self.opened.items():
            for at_once in AT_ONCE:
                self.told(f"recall: {name}, {at_once} at once")
                warm = max(WARM_UP, at_once)
                given = self.material.questions(warm + self.calls)
                load = drive(
                    _calling(door, asked),
                    given[warm:],
                    at_once,
                    warm_up=given[:warm],
                    tolerated=(CallFailed,),
                )
                yield Recalling(name, load)

    def parts(self) -> tuple[dict[str, Spread], float, float]:
        """Return what each part of a recall takes, its statements and milliseconds of processor."""
        self.told("recall: its parts")
        with traced() as trace:
            for one in self.material.questions(self.calls):
                trace.watched(partial(asked, self.service, one))
        with arms_alone() as alone:
            for one in self.material.questions(min(self.calls, SAMPLE)):
                asked(self.service, one)
        parts = {}
        for name, spread in trace.parts().items():
            parts[name] = spread
            if name == "arms":
                parts |= {f"{arm} alone": Spread.of(took) for arm, took in alone.items()}
        return parts, *trace.each()

    def writes(self, alone: Alone | None) -> Iterator[Written]:
        """Write one by one through every door, then in batches through each."""
        for name, door in self.opened.items():
            self.told(f"writing: {name}")
            given = self.material.statements(WARM_UP + self.calls)
            load = drive(_calling(door, _wrote), given[WARM_UP:], warm_up=given[:WARM_UP])
            share = load.rate / alone.singly if alone else None
            yield Written(name, 1, load.rate, share, load.took)
        for name, door in self.opened.items():
            self.told(f"writing: {name}, in batches")
            batches = _batches(self.material.statements(_bulk(self.calls)))
            load = drive(_calling(door, _wrote_many), batches)
            rate = load.rate * BATCH
            share = rate / alone.in_batches if alone else None
            yield Written(name, BATCH, rate, share, load.took)


def _calling(
    door: Opened, do: Callable[[Door, T], None]
) -> Callable[[], AbstractContextManager[Callable[[T], None]]]:
    @contextmanager
    def opened() -> Iterator[Callable[[T], None]]:
        with door() as caller:
            yield partial(do, caller)

    return opened


def _wrote(door: Door, line: Line) -> None:
    door.write(line.text, line.user_id)


def _wrote_many(door: Door, batch: Sequence[Line]) -> None:
    door.write_many(batch)


def _bulk(calls: int) -> int:
    """Return how many statements are written in batches: no less than two of these."""
    return max(2, calls * 2 // BATCH) * BATCH


def _batches(given: Sequence[T]) -> list[Sequence[T]]:
    return [given[start : start + BATCH] for start in range(0, len(given), BATCH)]


def _table_sizes(space: Space) -> dict[str, int]:
    """Return the bytes of every table that holds rows of a space, with its indexes."""
    tables = [rows.model._meta.db_table for rows in rows_of(space)]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name, pg_total_relation_size(name::regclass) FROM unnest(%s::text[]) AS name",
            [tables],
        )
        return dict(cursor.fetchall())
