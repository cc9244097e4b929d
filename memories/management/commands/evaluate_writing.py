"""Write a file of statements through the gated path and print what was flagged and merged."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memories.errors import ServiceError
from memories.evaluation.files import scratch_space
from memories.evaluation.gated import Outcomes, Updates, check_updates, write_all


class Command(BaseCommand):
    help = "Write statements one by one in a temporary space and count conflicts and repetitions."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--memories", required=True, type=Path, help="JSONL, as they were told")
        parser.add_argument(
            "--updates", type=Path, help="JSONL: {memory_id, supersedes, is_update}"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with scratch_space() as actor:
                outcomes = write_all(options["memories"], actor, self._progress)
            updates = check_updates(options["updates"], outcomes) if options["updates"] else None
        except (ServiceError, OSError, UnicodeDecodeError) as error:
            raise CommandError(str(error)) from error
        report = _as_json if options["json"] else _as_text
        self.stdout.write(report(outcomes, updates))

    def _progress(self, done: int) -> None:
        if done % 100 == 0:
            self.stderr.write(f"{done} written")


def _as_json(outcomes: Outcomes, updates: Updates | None) -> str:
    return json.dumps(
        {
            "counts": outcomes.counts,
            "conflicts": [asdict(conflict) for conflict in outcomes.conflicts],
            "merged": outcomes.merged,
            "updates": asdict(updates) if updates else None,
        },
        ensure_ascii=False,
    )


def _as_text(outcomes: Outcomes, updates: Updates | None) -> str:
    flagged, total = len(outcomes.flagged_rows), outcomes.total
    lines = [
        f"{conflict.reason:16} {conflict.new}\n{'':16} {conflict.old}"
        for conflict in outcomes.conflicts
    ]
    lines += [f"{'merged':16} {new}\n{'':16} {old}" for new, old in outcomes.merged]
    lines.append(", ".join(f"{count} {name}" for name, count in outcomes.counts.items()))
    lines.append(f"flagged as conflicts: {flagged} of {total} ({flagged / max(total, 1):.1%})")
    if updates:
        lines.append(
            f"real updates flagged: {updates.found} of {updates.updates} against what they "
            f"supersede, {updates.found_elsewhere} against something else; "
            f"others flagged: {updates.false_alarms} of {updates.others}"
        )
    return "\n".join(lines)
