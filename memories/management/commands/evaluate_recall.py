"""Ask a file of questions about a file of memories and print how well recall() ranks."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from memories.embedding.client import EmbedderDown
from memories.errors import Invalid, ServiceError
from memories.evaluation.files import scratch_space
from memories.evaluation.ranking import Answer, ask, figures, latency, load, read_questions


class Command(BaseCommand):
    help = (
        "Measure recall: R@k, MRR, nDCG and latency of a file of questions, in a temporary space."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--memories", required=True, type=Path, help="JSONL: {id, content, …}")
        parser.add_argument("--queries", required=True, type=Path, help="JSONL: {id, query, …}")
        parser.add_argument("--run-file", type=Path, help="write {id, ranking} lines here")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            answers = self._answers(options["memories"], options["queries"])
            if options["run_file"]:
                _write_run(options["run_file"], answers)
        except (ServiceError, EmbedderDown, OSError, UnicodeDecodeError) as error:
            raise CommandError(str(error)) from error
        table, times = figures(answers), latency(answers)
        self.stdout.write(_as_json(table, times) if options["json"] else _as_text(table, times))

    def _answers(self, memories: Path, queries: Path) -> list[Answer]:
        """Read the questions first: a mistake in them should not cost the import."""
        questions = read_questions(queries)
        if not questions:
            raise Invalid(_("%(file)s has no questions.") % {"file": queries})
        with scratch_space() as actor:
            known = load(memories, actor, self._progress)
            return list(ask(questions, known, actor, self._progress))

    def _progress(self, line: str) -> None:
        self.stderr.write(line)


def _write_run(path: Path, answers: Sequence[Answer]) -> None:
    with path.open("w", encoding="utf-8") as out:
        for answer in answers:
            line = {"id": answer.asked.id, "ranking": list(answer.ranking)}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


def _as_json(table: dict[str, dict[str, float]], times: dict[str, float]) -> str:
    rounded = {
        name: {key: round(value, 4) for key, value in row.items()} for name, row in table.items()
    }
    latency_ms = {key: round(value, 1) for key, value in times.items()}
    return json.dumps({"categories": rounded, "latency_ms": latency_ms}, ensure_ascii=False)


def _as_text(table: dict[str, dict[str, float]], times: dict[str, float]) -> str:
    columns = [name for name in next(iter(table.values())) if name != "questions"]
    width = max(map(len, table)) + 2
    lines = [f"{'':{width}}{'n':>6}" + "".join(f"{name:>9}" for name in columns)]
    for name, row in table.items():
        values = "".join(f"{row[column]:9.3f}" for column in columns)
        lines.append(f"{name:{width}}{row['questions']:6.0f}{values}")
    lines.append(f"latency p50 {times['p50']:.1f} ms, p95 {times['p95']:.1f} ms")
    return "\n".join(lines)
