"""Distil a file of sessions, ask a file of questions, print how much of the evidence survives."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from memories import llm
from memories.distillation import llm as llm_distiller
from memories.distillation import rules
from memories.embedding.client import EmbedderDown
from memories.errors import Invalid, ServiceError
from memories.evaluation.distilling import (
    Distilled,
    Propose,
    Recorded,
    Survival,
    distilled,
    read_sessions,
    store,
    survival,
)
from memories.evaluation.files import scratch_space
from memories.evaluation.ranking import Asked, read_questions
from memories.policies import DistillingPolicy

CURVE = tuple(step / 20 for step in range(4, 20))
"""Thresholds of --curve."""


class Command(BaseCommand):
    help = (
        "Measure distillation in a temporary space: memories per turn, share of evidence kept, R@k."
        " A turn with a speaker counts as a person's. Turns without times happen one second apart."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--sessions", required=True, type=Path, help="JSONL: {session_id, …}")
        parser.add_argument("--queries", required=True, type=Path, help="JSONL: {id, query, …}")
        parser.add_argument("--curve", action="store_true", help="over the gate's threshold")
        parser.add_argument("--proposals", type=Path, help="write every proposal to this file")
        parser.add_argument("--json", action="store_true", help="print one JSON object a line")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            sessions = read_sessions(options["sessions"])
            questions = read_questions(options["queries"])
            if not sessions or not questions:
                raise Invalid(_("There are no sessions, or no questions about them."))
            for name, propose in _distillers():
                self._measure(name, propose, sessions, questions, options)
        except (ServiceError, EmbedderDown, llm.LlmDown, OSError, UnicodeDecodeError) as error:
            raise CommandError(str(error)) from error

    def _measure(
        self,
        name: str,
        propose: Propose,
        sessions: Sequence[Recorded],
        questions: Sequence[Asked],
        options: dict[str, Any],
    ) -> None:
        thresholds = CURVE if options["curve"] else (DistillingPolicy().keep_from,)
        found = list(distilled(sessions, propose, self._progress))
        if options["proposals"]:
            _write_proposals(options["proposals"], found)
        seconds = sum(one.seconds for one in found) / len(found)
        turns = sum(len(session.turns) for session in sessions)
        with scratch_space() as actor:
            kept = store(found, actor, thresholds[0], self._progress)
            for figures in survival(kept, questions, turns, thresholds, actor, self._progress):
                line = _as_json if options["json"] else _as_text
                self.stdout.write(line(name, figures, seconds))

    def _progress(self, line: str) -> None:
        self.stderr.write(line)


def _distillers() -> Iterator[tuple[str, Propose]]:
    yield "rules", rules.propose
    if llm.available():
        yield "llm", llm_distiller.propose


def _write_proposals(path: Path, found: Sequence[Distilled]) -> None:
    with path.open("w", encoding="utf-8") as out:
        for one in found:
            for proposal in one.proposals:
                line = {
                    "session": one.session.id,
                    "turns": [one.session.ids[number] for number in proposal.turns],
                    "worth": proposal.worth,
                    "drop": proposal.drop,
                    "kind": proposal.kind,
                    "content": proposal.content,
                    "signals": dict(proposal.signals),
                }
                out.write(json.dumps(line, ensure_ascii=False) + "\n")


def _as_json(name: str, figures: Survival, seconds: float) -> str:
    row = {
        "distiller": name,
        "keep_from": figures.threshold,
        "memories": figures.memories,
        "memories_per_turn": round(figures.per_turn, 4),
        "coverage": round(figures.coverage, 4),
        **{key: round(value, 4) for key, value in figures.recall.items()},
        "seconds_per_session": round(seconds, 3),
    }
    return json.dumps(row)


def _as_text(name: str, figures: Survival, seconds: float) -> str:
    recalled = "  ".join(f"{key} {value:.3f}" for key, value in figures.recall.items())
    return (
        f"{name}  keep_from {figures.threshold:.2f}  memories {figures.memories}"
        f"  per turn {figures.per_turn:.3f}  coverage {figures.coverage:.3f}  {recalled}"
        f"  {seconds:.2f} s a session"
    )
