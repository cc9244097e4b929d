"""Long work over the rows of a space: jobs, their runs, progress, resuming (I5).

Doors: start(), start_due(), carry_on(), waiting(), retry(), stop(); for people also
start_by_hand(), carry_out(), undo_run(). A job is one module in kinds/; reading.py has selectors.
"""

from memories.jobs.asking import carry_out, start_by_hand, undo_run
from memories.jobs.base import Asked, Job
from memories.jobs.kinds import JOBS
from memories.jobs.runner import carry_on, waiting
from memories.jobs.starting import retry, start, start_due, stop

__all__ = [
    "JOBS",
    "Asked",
    "Job",
    "carry_on",
    "carry_out",
    "retry",
    "start",
    "start_by_hand",
    "start_due",
    "stop",
    "undo_run",
    "waiting",
]
