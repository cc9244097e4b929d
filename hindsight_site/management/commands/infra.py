"""`manage.py infra`: the local PostgreSQL and Valkey alone, for tests, shells and scripts."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils.translation import gettext_lazy as _

from hindsight_site.local.infra import ACTIONS
from hindsight_site.local.system import LocalError


class Command(BaseCommand):
    help = str(_("Start or stop the local PostgreSQL and Valkey, or tell whether they run."))
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=sorted(ACTIONS))

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        try:
            self.stdout.write(ACTIONS[action]())
        except LocalError as error:
            sys.exit(str(error))
