"""What the endpoints of jobs take and give; tests hold this and jobs.payload together."""

from typing import Any

from rest_framework import serializers

from memories.api.fields import Name, Strict, Whole, YesNo
from memories.api.inputs import MAX_PAGE
from memories.models.job import JobRun


class StartRunInput(Strict):
    """How to run a job."""

    trial = YesNo(
        required=False,
        default=False,
        help_text="A dry run: everything is done and taken back, the counts are true.",
    )


class NothingInput(Strict):
    """An empty body: the address says it all."""


class RunsInput(Strict):
    """The query of a list of runs."""

    job = Name(allow_blank=False, max_length=20, help_text="Only runs of the job of this code.")
    state = serializers.ChoiceField(choices=JobRun.State.choices, required=False)
    cursor = serializers.UUIDField(required=False, help_text="The `next` of the page before.")
    limit = Whole(min_value=1, max_value=MAX_PAGE, default=20)


class RowErrorOutput(serializers.Serializer[Any]):
    """A row that failed."""

    row = serializers.CharField(help_text="Its key: the memory's id for most jobs.")
    error = serializers.CharField()


class JobRunOutput(serializers.Serializer[Any]):
    """One run of a job."""

    id = serializers.UUIDField()
    job = serializers.CharField(help_text="The job's code.")
    state = serializers.ChoiceField(choices=JobRun.State.choices)
    waits_for = serializers.ChoiceField(
        choices=["", "soon", "service", "worker"],
        help_text="Empty: at work, or ended. Soon: its turn comes. Service: what it needs is away. "
        "Worker: nobody takes it up.",
    )
    trigger = serializers.ChoiceField(choices=JobRun.Trigger.choices)
    started_by = serializers.CharField()
    trial = serializers.BooleanField(help_text="A dry run: nothing was changed.")
    arguments = serializers.DictField()
    total = serializers.IntegerField(allow_null=True, help_text="Rows there are about, if known.")
    done = serializers.IntegerField(min_value=0)
    counts = serializers.DictField(
        child=serializers.IntegerField(), help_text="Rows by outcome, in the job's codes."
    )
    failed = serializers.IntegerField(min_value=0)
    errors = RowErrorOutput(many=True, help_text="The first rows that failed.")  # type: ignore[assignment]
    note = serializers.CharField(help_text="Why it waits, failed or was stopped.")
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class JobRunPage(serializers.Serializer[Any]):
    """Runs, newest first."""

    items = JobRunOutput(many=True)
    next = serializers.UUIDField(allow_null=True, help_text="The cursor of the page after.")


class JobOutput(serializers.Serializer[Any]):
    """A job, its newest run, and when it is due."""

    code = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    meaning = serializers.CharField()
    interval_days = serializers.FloatField(
        min_value=0, help_text="Days between two runs; 0: only when somebody starts it."
    )
    by_hand = serializers.BooleanField(help_text="Whether it starts without further arguments.")
    trial = serializers.BooleanField(help_text="Whether it has a dry run.")
    undoable = serializers.BooleanField(help_text="Whether a run can be undone.")
    outcomes = serializers.DictField(
        child=serializers.CharField(), help_text="What the codes in `counts` mean."
    )
    last = JobRunOutput(allow_null=True)
    next = serializers.DateTimeField(allow_null=True)


class JobList(serializers.Serializer[Any]):
    """Every job there is."""

    items = JobOutput(many=True)
