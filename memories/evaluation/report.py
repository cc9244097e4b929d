"""Figures of speed as tables that a terminal shows and a Markdown document takes as they are."""

from collections.abc import Iterable, Iterator, Sequence

from memories.evaluation.machine import Machine
from memories.evaluation.scale import Found, Plan
from memories.evaluation.timing import Spread

MS = ("p50 ms", "p95 ms", "p99 ms")


def report(plan: Plan, machine: Machine, embedder: str, found: Found) -> Iterator[str]:
    """Yield the lines that tell everything a person asks first."""
    yield from _setting(plan, machine, embedder, found)
    yield from _recalls(found)
    yield from _writes(found)
    yield from _size(found)
    yield from _in_one_row(plan, found)


def _setting(plan: Plan, machine: Machine, embedder: str, found: Found) -> Iterator[str]:
    large = f", one of whom has {plan.owner_size:,}" if plan.owner_size else ""
    yield f"{plan.memories:,} memories of {plan.owners:,} users{large}; {plan.calls} calls a figure"
    yield (
        f"{machine.cores} cores, {machine.memory_gb} GB, {machine.system}, Python {machine.python},"
        f" PostgreSQL {machine.postgresql}, pgvector {machine.pgvector}"
    )
    yield f"Embedded by {embedder}."
    if found.embedder:
        alone = found.embedder
        yield (
            f"The model alone: {alone.singly:.0f} texts a second one by one,"
            f" {alone.in_batches:.0f} in batches of 100; a question"
            f" {alone.question.p50:.1f} / {alone.question.p95:.1f} ms."
        )
    yield ""


def _recalls(found: Found) -> Iterator[str]:
    yield from _table(
        ("Recall through", "At once", *MS, "A second", "Failed"),
        (
            (
                one.door,
                one.load.at_once,
                *_shown(one.load.took),
                f"{one.load.rate:.0f}",
                one.load.failed,
            )
            for one in found.recalls
        ),
    )
    if found.over_model:
        yield f"One at a time it takes {found.over_model:.2f} times what the model alone takes."
        yield ""
    yield from _table(
        ("Part of a recall", *MS),
        ((name, *_shown(spread)) for name, spread in found.parts.items()),
    )
    yield (
        f"{found.statements:.1f} statements a recall, {found.processor_ms:.1f} ms of processor time"
        " in the product."
    )
    yield ""


def _writes(found: Found) -> Iterator[str]:
    yield from _table(
        ("Writing through", "In one call", "Statements a second", "Of the model's rate", *MS),
        (
            (
                one.door,
                one.batch,
                f"{one.rate:.0f}",
                "–" if one.share is None else f"{one.share:.0%}",
                *_shown(one.took),
            )
            for one in found.writes
        ),
    )


def _size(found: Found) -> Iterator[str]:
    stored = found.stored
    largest = sorted(stored.tables.items(), key=lambda entry: -entry[1])[:3]
    tables = ", ".join(f"{name} {size / 1024**2:.1f} MB" for name, size in largest)
    yield (
        f"Database: {stored.bytes / 1024**2:.1f} MB, {stored.bytes_per_memory / 1024:.1f} kB a"
        f" memory with its history, its recalls and all indexes ({tables}); filled in"
        f" {stored.seconds:.0f} s, indexes for a large user {stored.indexing_seconds:.0f} s."
    )
    yield ""


def _in_one_row(plan: Plan, found: Found) -> Iterator[str]:
    """Yield a table of one row, to be put under that of a smaller corpus: how figures grow."""
    alone = {one.door: one.load.took for one in found.recalls if one.load.at_once == 1}
    per_user = plan.owner_size or plan.memories // plan.owners
    yield from _table(
        (
            *("Memories", "Of the user asked", *(f"{door}, p50 / p95 / p99 ms" for door in alone)),
            *("Arms, p50 ms", "Writes a second, singly / in batches", "Database"),
        ),
        [
            (
                f"{plan.memories:,}",
                f"{per_user:,}",
                *(" / ".join(_shown(took)) for took in alone.values()),
                _shown(found.parts["arms"])[0],
                " / ".join(f"{one.rate:.0f}" for one in found.writes if one.door == "service"),
                f"{found.stored.bytes / 1024**2:,.0f} MB",
            )
        ],
    )


def _shown(spread: Spread) -> tuple[str, ...]:
    return tuple(f"{value:.1f}" for value in (spread.p50, spread.p95, spread.p99))


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield a Markdown table in columns, and an empty line."""
    lines = [heads, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(heads))]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        yield f"| {' | '.join(cells)} |"
    yield ""
