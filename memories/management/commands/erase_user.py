"""Erase everything about an end user, in the foreground, and print the receipt (E6)."""

import time
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from memories import jobs
from memories.errors import ServiceError
from memories.identity import operator_actor
from memories.interrupts import interrupts
from memories.jobs.erasing import erase_user
from memories.lifecycle.erasing import TABLES, Preview, preview_erasure
from memories.management.runs import spaces
from memories.models import JobRun

STEP = 1.0
"""Seconds between two lines of progress."""


class Command(BaseCommand):
    help = "Remove everything about one end user of a space for good, and print a receipt."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", help="the user_id whose data is erased")
        parser.add_argument("--space", required=True, help="slug of the space")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, **options: Any) -> None:
        (space,) = spaces(options["space"], all_of_them=False)
        actor = operator_actor(space.pk)
        try:
            preview = preview_erasure(actor=actor, user_id=options["user"])
            self._show(preview)
            confirm = preview.user_id if options["yes"] else self._asked()
            run = erase_user(
                actor=actor,
                user_id=preview.user_id,
                confirm=confirm,
                trigger=JobRun.Trigger.COMMAND,
            )
        except ServiceError as error:
            raise CommandError(error.message) from error
        self._carried_out(run)
        self.stdout.write(_("Erased. The receipt %(id)s:") % {"id": run.pk})
        self._table(run.counts)

    def _show(self, preview: Preview) -> None:
        self.stdout.write(_("About “%(user)s” there are:") % {"user": preview.user_id})
        self._table(preview.counts)
        if preview.open_sessions:
            told = _("Open sessions: %(n)d. An agent may still write: what comes now goes, too.")
            self.stdout.write(told % {"n": preview.open_sessions})
        if preview.elsewhere:
            told = _("%(n)d texts about others contain the name. They stay: read them yourself.")
            self.stdout.write(told % {"n": preview.elsewhere})

    def _table(self, counts: Mapping[str, int]) -> None:
        width = max((len(f"{n:,}") for n in counts.values()), default=1)
        for name, n in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
            self.stdout.write(f"  {n:>{width},}  {TABLES.get(name, name)}")
        if not counts:
            self.stdout.write("  " + _("nothing"))

    def _asked(self) -> str:
        self.stdout.write(_("Nothing brings it back. Type the name once more to erase it all:"))
        try:
            return input("> ")
        except (EOFError, KeyboardInterrupt) as error:
            raise CommandError(_("Nothing was erased.")) from error

    def _carried_out(self, run: JobRun) -> None:
        """Work on it until it is done, beside the worker, if there is one."""
        with interrupts() as stopped:
            while not stopped:
                jobs.carry_on(run.pk, STEP)
                run.refresh_from_db()
                if run.state not in (JobRun.State.WAITING, JobRun.State.RUNNING):
                    break
                self.stdout.write(f"  {run.done:,} / {run.total or 0:,}  {run.note}".rstrip())
                if run.claimed_until or run.not_before:
                    time.sleep(STEP)  # somebody else is at it, or it waits
        if run.state != JobRun.State.DONE:
            raise CommandError(run.note or _("Not done yet. The worker, or this command, goes on."))
