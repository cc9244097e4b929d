"""What commands have in common that carry out runs of jobs in the foreground."""

import time

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from memories import jobs
from memories.jobs.asking import is_open
from memories.jobs.reading import waits
from memories.jobs.words import counted
from memories.models import Space
from memories.models.job import JobRun

PAUSE = 0.5
"""Seconds between two looks at a run that somebody else has, or that waits."""


class RunCommand(BaseCommand):
    """A command that carries a run on beside the worker, and says how it went."""

    def followed(self, space: Space, run: JobRun, asked_to_leave: list[int]) -> JobRun:
        """Carry a run on to its end, or until somebody asks to leave, and say how it went."""
        while is_open(run) and not asked_to_leave:
            jobs.carry_on(run.pk, 0)
            run.refresh_from_db()
            self._progress(space, run)
            if is_open(run) and waits(run) not in ("soon", "worker"):
                time.sleep(PAUSE)
        self._receipt(space, run)
        return run

    def _progress(self, space: Space, run: JobRun) -> None:
        """Overwrite one line on a terminal; a file gets only the receipt."""
        if not self.stdout.isatty():
            return
        of = f"/{run.total}" if run.total is not None else ""
        line = f"{space.slug} {run.job}: {run.done}{of} {counted(run)} {run.note}"
        self.stdout.write(f"\r\033[K{line}", ending="")
        self.stdout.flush()

    def _receipt(self, space: Space, run: JobRun) -> None:
        if self.stdout.isatty():
            self.stdout.write("\r\033[K", ending="")
        parts = [
            f"{space.slug} {run.job}" + (f" ({_('dry run')})" if run.trial else ""),
            str(run.get_state_display()),
            counted(run) or _("nothing to do"),
            _lasted(run),
        ]
        self.stdout.write(" · ".join(part for part in parts if part))
        for error in run.errors:
            self.stdout.write(f"  {error['row']}: {error['error']}")
        if run.note:
            self.stdout.write(f"  {run.note}")
        if is_open(run):
            self.stdout.write(_("The rest is left to the worker; /jobs/ shows how far it is."))


def spaces(slug: str | None, *, all_of_them: bool) -> list[Space]:
    """Return the space of that slug, the only one, or all. Raises CommandError."""
    every = list(Space.objects.order_by("slug"))
    known = ", ".join(space.slug for space in every) or "-"
    if all_of_them or (slug is None and len(every) == 1):
        return every
    chosen = [space for space in every if space.slug == slug]
    if chosen:
        return chosen
    if slug is None:
        raise CommandError(
            _("Name a space with --space, or --all. Known: %(known)s.") % {"known": known}
        )
    raise CommandError(
        _("There is no space “%(slug)s”. Known: %(known)s.") % {"slug": slug, "known": known}
    )


def _lasted(run: JobRun) -> str:
    if run.started_at is None or run.finished_at is None:
        return ""
    return f"{(run.finished_at - run.started_at).total_seconds():.1f} s"
