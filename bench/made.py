"""Write the made-up corpus as neutral files: memories.jsonl and queries.jsonl.

usage: .venv/bin/python -m bench.made FOLDER [--memories 1000] [--owners 5] [--queries 200]

The same arguments make the same files. Every second user speaks Chinese. A question is about one
topic of its user; what tells of that topic is relevant.
"""

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import django

MADE = datetime(2026, 1, 1, tzinfo=UTC)
Row = Mapping[str, Any]


def main() -> None:
    """Write both files and say where they are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--owners", type=int, default=5)
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    if not 1 <= options.owners <= options.memories:
        parser.error("at least one owner, and one memory for each, please.")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hindsight_site.settings")
    django.setup()
    memories, queries = made(options.memories, options.owners, options.queries)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, rows in {"memories": memories, "queries": queries}.items():
        path = options.folder / f"{name}.jsonl"
        path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
        sys.stdout.write(f"{path}\n")


def made(memories: int, owners: int, queries: int) -> tuple[list[Row], list[Row]]:
    """Return the rows of both files."""
    from memories.evaluation.filling import sizes

    counts = sizes(memories, owners)
    told = [row for owner, count in enumerate(counts) for row in _memories(owner, count)]
    return told, list(_queries(told, counts, queries))


def _memories(owner: int, count: int) -> Iterator[Row]:
    from memories.evaluation.corpus import owned

    for number, one in enumerate(owned(owner, count, MADE)):
        yield {
            "id": f"{owner}-{number}",
            "user_id": f"user-{owner}",
            "content": one.content,
            "occurred_at": one.written.isoformat(),
        }


def _queries(told: Iterable[Row], counts: list[int], queries: int) -> Iterator[Row]:
    from memories.evaluation.corpus import question
    from memories.evaluation.vectors import about

    relevant: dict[object, list[str]] = defaultdict(list)
    for row in told:
        relevant[row["user_id"], about(row["content"])].append(row["id"])
    for number in range(queries):
        owner = number % len(counts)
        asked = question(owner, number // len(counts), counts[owner])
        yield {
            "id": f"q{number}",
            "user_id": f"user-{owner}",
            "query": asked,
            "relevant": relevant[f"user-{owner}", about(asked)],
        }


if __name__ == "__main__":
    main()
