#!/usr/bin/env python
"""Every command of the product; `manage.py up` starts all of it."""

import os
import sys

from hindsight_site.local.bootstrap import prepare
from hindsight_site.local.system import LocalError


def main() -> None:
    """Make sure the local servers run if the command needs them, then hand over to Django."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hindsight_site.settings")
    try:
        prepare(sys.argv)
        from django.core.management import execute_from_command_line
    except LocalError as error:
        sys.exit(str(error))
    except ImportError as error:
        sys.exit(f"{error}. Run script/server once: it installs what is needed into .venv.")
    try:
        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(130)  # what shells expect after Ctrl-C


if __name__ == "__main__":
    main()
