"""Measure a memory system: how fast it writes and searches, and what of the relevant it finds.

usage: python -m bench.compare MODULE:CLASS --memories FILE --queries FILE
           [--batch 1] [--at-once 1,8] [--k 10] [--json]

Needs nothing but Python, so that it runs in the environment of whatever it measures. README.md
says what the files and an adapter look like.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

from bench.system import System, Unusable, system
from memories.evaluation.driving import Load, drive

Task = TypeVar("Task")
WARM_UP = 5
"""Searches before the first that counts; they ask with the words of memories."""


class Memory(NamedTuple):
    """One line of the file of memories."""

    id: str
    user_id: str
    content: str


class Query(NamedTuple):
    """One line of the file of queries; `relevant` may be empty."""

    id: str
    user_id: str
    query: str
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class Figures:
    """`write_rate`: memories a second; `found`: the mean share of the relevant, None without any
    query that names some.
    """

    memories: int
    write_rate: float
    writes: Load
    searches: Sequence[Load]
    k: int
    found: float | None


def main() -> None:
    """Print a line a figure, or one JSON object."""
    options = _options()
    try:
        memories, queries = read_memories(options.memories), read_queries(options.queries)
        figures = compare(
            system(options.system),
            memories,
            queries,
            batch=options.batch,
            at_once=options.at_once,
            k=options.k,
        )
    except (OSError, Unusable) as error:
        sys.exit(str(error))
    told = [json.dumps(asdict(figures), indent=1)] if options.json else lines(figures)
    sys.stdout.writelines(f"{line}\n" for line in told)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("system", help="the adapter, MODULE:CLASS, as in bench.hindsight:Hindsight")
    parser.add_argument("--memories", type=Path, required=True, help="JSON lines")
    parser.add_argument("--queries", type=Path, required=True, help="JSON lines")
    parser.add_argument("--batch", type=_whole, default=1, help="texts in one write (1)")
    parser.add_argument("--at-once", type=_wholes, default=[1, 8], help="searches at once (1,8)")
    parser.add_argument("--k", type=_whole, default=10, help="memories that a search returns (10)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args()


def _whole(text: str) -> int:
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1.")
    return int(text)


def _wholes(text: str) -> list[int]:
    return [_whole(part.strip()) for part in text.split(",")]


def compare(
    measuring: System,
    memories: Sequence[Memory],
    queries: Sequence[Query],
    *,
    batch: int,
    at_once: Sequence[int],
    k: int,
) -> Figures:
    """Write all memories, a user's in turn, then ask each query once, in one of the `at_once`.

    No query is asked twice: a system that remembers the vectors of questions would win by that.
    They are mixed first, since a share could be of users of one language.
    Raises Unusable when there are too few queries for each `at_once` to have one.
    """
    if len(queries) < len(at_once):
        raise Unusable(f"{len(at_once)} ways of searching need at least as many queries.")
    known: dict[str, set[str]] = defaultdict(set)
    found: dict[str, float] = {}

    def write(part: Sequence[Memory]) -> None:
        ids = measuring.write([one.content for one in part], part[0].user_id)
        for name, one in zip(ids, part, strict=True):
            known[name].add(one.id)

    def search(query: Query) -> None:
        answer = measuring.search(query.query, query.user_id, k)
        if query.relevant:
            hits = set[str]().union(*(known.get(name, set()) for name in answer[:k]))
            found[query.id] = len(hits & query.relevant) / len(query.relevant)

    measuring.setup()
    try:
        writes = drive(_each(write), list(_batches(memories, batch)))
        warm = [Query("", one.user_id, one.content, frozenset()) for one in memories[:WARM_UP]]
        mixed = Random(0).sample(queries, len(queries))  # noqa: S311 (the same shares each time)
        shares = [mixed[start :: len(at_once)] for start in range(len(at_once))]
        searches = [
            drive(_each(search), share, many, warm_up=warm)
            for share, many in zip(shares, at_once, strict=True)
        ]
    finally:
        measuring.close()
    rate = len(memories) / writes.seconds
    mean = sum(found.values()) / len(found) if found else None
    return Figures(len(memories), rate, writes, searches, k, mean)


def _each(call: Callable[[Task], None]) -> Callable[[], AbstractContextManager[Any]]:
    return lambda: nullcontext(call)


def _batches(memories: Sequence[Memory], size: int) -> Iterator[Sequence[Memory]]:
    """Yield the memories in their order, in batches that are each about one user."""
    for _user, told in groupby(memories, key=lambda one: one.user_id):
        part = list(told)
        yield from (part[start : start + size] for start in range(0, len(part), size))


def lines(figures: Figures) -> Iterator[str]:
    """Yield the figures as a person reads them."""
    took = figures.writes.took
    yield (
        f"write: {figures.write_rate:.0f} memories/s; a call p50 {took.p50:.1f},"
        f" p95 {took.p95:.1f}, p99 {took.p99:.1f} ms"
    )
    for load in figures.searches:
        yield (
            f"search, {load.at_once} at once: p50 {load.took.p50:.1f}, p95 {load.took.p95:.1f},"
            f" p99 {load.took.p99:.1f} ms, {load.rate:.0f}/s"
        )
    if figures.found is not None:
        yield f"R@{figures.k}: {figures.found:.3f}"


def read_memories(path: Path) -> list[Memory]:
    """Return the memories of a file. Raises OSError, or Unusable naming the line."""
    rows = _rows(path, "id", "content")
    found = [Memory(row["id"], str(row.get("user_id") or ""), row["content"]) for row in rows]
    if not found:
        raise Unusable(f"{path} has no memories.")
    return found


def read_queries(path: Path) -> list[Query]:
    """Return the queries of a file. Raises OSError, or Unusable naming the line."""
    found = [
        Query(
            row["id"],
            str(row.get("user_id") or ""),
            row["query"],
            frozenset(map(str, row.get("relevant") or ())),
        )
        for row in _rows(path, "id", "query")
    ]
    if not found:
        raise Unusable(f"{path} has no queries.")
    return found


def _rows(path: Path, *required: str) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as told:
        for number, line in enumerate(told, 1):
            if line.strip():
                yield _row(line, required, f"{path}, line {number}")


def _row(line: str, required: Sequence[str], place: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise Unusable(f"{place} is not JSON.") from error
    if not isinstance(row, dict):
        raise Unusable(f"{place} is not an object.")
    for name in required:
        if not isinstance(row.get(name), str):
            raise Unusable(f"{place}: “{name}” must be a text.")
    return row


if __name__ == "__main__":
    main()
