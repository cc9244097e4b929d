"""What a job is: which rows it looks at, in which order, and what it does to one of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.functional import Promise

from memories.models.job import JobRun
from memories.permissions import Actor
from memories.policies import JobsPolicy, PolicyNumbers

Text = str | Promise


class Later(Exception):
    """Nothing can go on now – a service is away –, and nothing is lost: the run waits."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run works with; `now` is the moment it began, also for one that is resumed."""

    run: UUID
    actor: Actor
    policy: PolicyNumbers
    now: datetime
    trial: bool
    arguments: Mapping[str, Any]

    @property
    def space_id(self) -> UUID:
        """The space whose rows these are."""
        return self.actor.space_id


# A row to look at, after the key under which the run remembers that it was.
Row = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """One kind of job.

    `rows(asked, after, size)` returns the next rows after the key `after` ("" for the first), in
    the order of their keys and at most `size`; none means the end. It only reads.
    `prepare(asked, rows)` is asked for each batch outside any transaction: what takes long –
    a model, an LLM – belongs here. It may raise Later.
    `work(asked, row, ready)` does one row, inside a transaction and a savepoint of its own, and
    returns an outcome of `outcomes`, "" for nothing to do, or how many of which. It looks at the
    row again under its lock: what was read before may have changed. What it raises is noted with
    the row and stops no other. Everything it writes has the run's id as its operation.
    `whole(asked, rows, ready)` does all rows of a batch with a few statements and returns how many
    had which outcome; when it raises, they are done one by one.
    `total(asked)` says how many rows there are about, for the progress.
    `finish(asked, run)` is called once at the end, in the transaction that closes the run; it may
    raise Later.
    `interval(policy)` is the days between two runs, 0: never by itself.
    """

    code: str
    order: int
    label: Text
    meaning: Text
    outcomes: Mapping[str, Text]
    rows: Callable[[Asked, str, int], Sequence[Row]]
    work: Callable[[Asked, Any, Any], str | Mapping[str, int]]
    whole: Callable[[Asked, Sequence[Any], Any], Mapping[str, int]] | None = None
    prepare: Callable[[Asked, Sequence[Any]], Any] | None = None
    total: Callable[[Asked], int] | None = None
    finish: Callable[[Asked, JobRun], None] | None = None
    interval: Callable[[JobsPolicy], float] = field(default=lambda _policy: 0.0)
    batch: int = 100
    # Whether a trial is offered: everything is done and taken back, batch by batch.
    trial: bool = True
    # Whether a person may start it from the list; one that needs arguments has a page of its own.
    by_hand: bool = True
    # Whether what a run changed can be taken back, row by row.
    undoable: bool = True
