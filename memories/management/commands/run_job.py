"""Run a job over a space, or over all, in the foreground; the worker may help or go on with it."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _

from memories import jobs
from memories.errors import ServiceError
from memories.identity import operator_actor
from memories.interrupts import interrupts
from memories.management.runs import RunCommand, spaces
from memories.models import Space
from memories.models.job import JobRun


class Command(RunCommand):
    help = "Run a job now and show how far it is; Ctrl-C leaves the rest to the worker."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("job", metavar="CODE", help="the job: " + ", ".join(_by_hand()))
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--space", help="slug of the space; not needed when there is only one")
        which.add_argument("--all", action="store_true", help="every space, one after the other")
        parser.add_argument(
            "--dry-run", action="store_true", help="do everything and take it back: count only"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        failed = False
        with interrupts() as asked_to_leave:
            for space in spaces(options["space"], all_of_them=options["all"]):
                run = self._run(space, options["job"], options["dry_run"], asked_to_leave)
                failed |= run.state != JobRun.State.DONE
                if asked_to_leave:
                    return
        if failed:
            raise CommandError(_("Not every run was done; the notes above say why."))

    def _run(self, space: Space, job: str, trial: bool, asked_to_leave: list[int]) -> JobRun:
        actor = operator_actor(space.pk)
        try:
            run = jobs.start_by_hand(
                actor=actor, job=job, trial=trial, trigger=JobRun.Trigger.COMMAND
            )
        except ServiceError as error:
            raise CommandError(error.message) from error
        return self.followed(space, run, asked_to_leave)


def _by_hand() -> list[str]:
    return [code for code, job in jobs.JOBS.items() if job.by_hand]
