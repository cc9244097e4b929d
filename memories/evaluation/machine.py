"""On what figures were measured, in general words."""

import os
import platform
from dataclasses import dataclass

from django.db import connection


@dataclass(frozen=True, slots=True)
class Machine:
    """Cores and gigabytes of this machine, and the versions of what the product stands on."""

    system: str
    cores: int
    memory_gb: int
    python: str
    postgresql: str
    pgvector: str


def this_machine() -> Machine:
    """Return what this process and its database run on."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version'),"
            " (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
        )
        postgresql, pgvector = cursor.fetchone()
    return Machine(
        system=f"{platform.system()} {platform.machine()}",
        cores=os.cpu_count() or 1,
        memory_gb=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3),
        python=platform.python_version(),
        postgresql=postgresql,
        pgvector=pgvector,
    )
