"""Run the product's compare step on labelled pairs and print precision, recall and F1."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memories.embedding.client import EmbedderDown
from memories.errors import Invalid
from memories.evaluation.pairs import Judged, Score, judge_pairs, read_pairs, scores


class Command(BaseCommand):
    help = "Measure how well contradictions or duplicates are told from a file of labelled pairs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--pairs", required=True, type=Path, help="JSONL: {a, b, label, lang}")
        parser.add_argument("--task", required=True, choices=["conflict", "duplicate"])
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--errors", action="store_true", help="also list every wrong verdict")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            pairs, damaged = read_pairs(options["pairs"])
            judged = judge_pairs(pairs, options["task"])
        except (Invalid, EmbedderDown, OSError, UnicodeDecodeError) as error:
            raise CommandError(str(error)) from error
        if damaged:
            self.stderr.write(f"{damaged} rows left out: their label is neither 0 nor 1")
        table = scores(judged)
        self.stdout.write(_as_json(table) if options["json"] else _as_table(table))
        if options["errors"]:
            for item in judged:
                if item.found != item.pair.label:
                    self.stderr.write(_mistake(item))


def _as_json(table: dict[str, Score]) -> str:
    return json.dumps(
        {
            lang: {
                "pairs": sum(score),
                "precision": round(score.precision, 4),
                "recall": round(score.recall, 4),
                "f1": round(score.f1, 4),
            }
            | score._asdict()
            for lang, score in table.items()
        }
    )


def _as_table(table: dict[str, Score]) -> str:
    lines = [f"{'lang':5}{'pairs':>7}{'P':>7}{'R':>7}{'F1':>7}{'TP':>6}{'FP':>6}{'FN':>6}{'TN':>6}"]
    for lang, score in table.items():
        ratios = "".join(f"{value:7.3f}" for value in (score.precision, score.recall, score.f1))
        counts = "".join(f"{value:6d}" for value in score)
        lines.append(f"{lang:5}{sum(score):7d}{ratios}{counts}")
    return "\n".join(lines)


def _mistake(item: Judged) -> str:
    missed = "false alarm" if item.found else "missed"
    return (
        f"{missed} [{item.pair.lang}] {item.kind}/{item.reason} {item.cosine:.3f}: "
        f"{item.pair.a} | {item.pair.b}"
    )
