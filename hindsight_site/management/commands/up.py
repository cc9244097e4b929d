"""`manage.py up`: everything runs until Ctrl-C."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils.translation import gettext_lazy as _

from hindsight_site.local.run import up
from hindsight_site.local.system import LocalError


class Command(BaseCommand):
    help = str(_("Start the local servers and all processes, and keep them running."))
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--no-demo", action="store_true", help=str(_("Do not fill a new database with a demo."))
        )

    def handle(self, *args: Any, no_demo: bool, **options: Any) -> None:
        try:
            up(demo=not no_demo, tell=self._tell)
        except LocalError as error:
            sys.exit(str(error))

    def _tell(self, text: str) -> None:
        """Print at once, also into a file: what is told is needed while the product runs."""
        self.stdout.write(text)
        self.stdout.flush()
