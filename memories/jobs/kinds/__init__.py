"""The registry of jobs: every module beside this one has one, as JOB."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules

from memories.jobs.base import Job


def _found() -> Mapping[str, Job]:
    names = sorted(module.name for module in iter_modules(__path__))
    jobs: list[Job] = [import_module(f"{__name__}.{name}").JOB for name in names]
    return {job.code: job for job in sorted(jobs, key=lambda job: (job.order, job.code))}


JOBS: Mapping[str, Job] = _found()
