"""How fast writing and recall are, through every door, on a temporary space."""

import json
import logging
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from memories.embedding.client import EmbedderDown
from memories.errors import ServiceError
from memories.evaluation.clients import CallFailed
from memories.evaluation.machine import this_machine
from memories.evaluation.report import report
from memories.evaluation.scale import Plan, measured
from memories.evaluation.serving import NotServing
from memories.evaluation.standin import configured, embedding_by_standin
from memories.evaluation.temporary import temporary_space


class Command(BaseCommand):
    help = "Measure writing and recall through every door, on a temporary space of many memories."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--memories", type=int, default=10_000, help="default 10000")
        parser.add_argument("--owners", type=int, default=20, help="users they are of (20)")
        parser.add_argument(
            "--owner-size", type=int, default=0, help="give one user so many, and ask only that one"
        )
        parser.add_argument("--calls", type=int, default=500, help="calls a figure (500)")
        parser.add_argument(
            "--model",
            action="store_true",
            help="embed as late as the configured embedder does, and measure it alone, too",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--keep", action="store_true", help="leave the space, to look at it")

    def handle(self, *args: Any, **options: Any) -> None:
        plan = _plan(options)
        # MCP's client would tell of every request.
        logging.getLogger("httpx2").setLevel(logging.WARNING)
        embedder = configured() if options["model"] else None
        try:
            with (
                embedding_by_standin(embedder),
                temporary_space(keep=options["keep"], told=self.stderr.write) as space,
            ):
                found = measured(space, plan, embedder, self.stderr.write)
        except (CallFailed, EmbedderDown, NotServing, ServiceError) as error:
            raise CommandError(str(error)) from error
        named = embedder.model if embedder else _("a stand-in that answers at once")
        machine = this_machine()
        if options["json"]:
            told = {"machine": asdict(machine), "plan": asdict(plan), "embedded_by": named}
            self.stdout.write(json.dumps(told | asdict(found), ensure_ascii=False, indent=1))
            return
        for line in report(plan, machine, named, found):
            self.stdout.write(line)


def _plan(options: dict[str, Any]) -> Plan:
    plan = Plan(options["memories"], options["owners"], options["owner_size"], options["calls"])
    if not 1 <= plan.owners <= plan.memories:
        raise CommandError(_("At least one owner, and one memory for each, please."))
    others, left = plan.owners - 1, plan.memories - plan.owner_size
    if plan.owner_size and not (plan.owner_size > 0 and others <= left and (others or not left)):
        raise CommandError(
            _("--owner-size leaves %(left)d memories for %(others)d other owners: change one.")
            % {"left": left, "others": others}
        )
    if plan.calls < 1:
        raise CommandError(_("At least one call a figure, please."))
    return plan
