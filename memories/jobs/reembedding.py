"""A space changes its embedding model: begun, switched (and back), ended by a person (E9).

Both models live beside one another all the while. Recall compares with the one in use only, so the
switch is two fields of one row, and so is the way back.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from memories import history
from memories.embedding.client import EmbedderDown, identity
from memories.embedding.spaces import forget_model_of
from memories.errors import Invalid
from memories.jobs.starting import start
from memories.models.job import JobRun
from memories.models.memory import Memory
from memories.models.space import Space
from memories.permissions import Actor
from memories.writing import reembedding
from memories.writing.reembedding import Filling, active_name

CLEAN_UP = "drop_model"
TRIES = 5
"""How often a switch looks again when something was written just then."""


@dataclass(frozen=True, slots=True)
class State:
    """What a space embeds with. `other` is "" unless its model is being changed.

    Names are what the embedder is asked for; ids what it says made a vector, "" while it does not
    answer (`problem` says why). `vectors` counts by id; `waiting` have no vector yet. `missing`
    lack the other model's, `refused` never get it, and both are None while its id is unknown.
    `switched`: the other one is the model that was in use before. `run` fills, `cleaning` removes.
    """

    active: str
    other: str
    active_id: str
    other_id: str
    problem: str
    total: int
    waiting: int
    vectors: Mapping[str, int]
    missing: int | None
    refused: int | None
    switched: bool
    run: JobRun | None
    cleaning: JobRun | None

    @property
    def ready(self) -> bool:
        """Whether the other model can be switched to."""
        return bool(self.other) and self.missing == 0 and self.other_id != self.active_id


def state_of(actor: Actor) -> State:
    """Return what the actor's space embeds with; for those who may see all of it, else NotAllowed.

    It reads every row of the space: 0.2 s for 30,000 memories on a busy machine of two cores.
    """
    actor.require("see_private")
    space = _space(actor)
    active, other = active_name(space), space.other_model
    active_id, trouble = _asked(active)
    other_id, other_trouble = _asked(other) if other else ("", "")
    groups = _groups(space.pk)
    run = _last(space.pk, reembedding.JOB)
    return State(
        active=active,
        other=other,
        active_id=active_id,
        other_id=other_id,
        problem=other_trouble or trouble,
        total=sum(group["n"] for group in groups),
        waiting=sum(group["n"] for group in groups if not group["first"]),
        vectors=_vectors(groups),
        missing=_missing(groups, other_id) if other_id else None,
        refused=_refused(groups, other_id) if other_id else None,
        switched=run is not None and run.arguments.get("model") == active,
        run=run,
        cleaning=_last(space.pk, CLEAN_UP, unfinished=True),
    )


def begin_change(*, actor: Actor, model: str) -> JobRun:
    """Let every memory of the space get a vector of another model, too; return the run.

    Nothing changes for recall. Asking again lets a run that has ended go through once more. Raises
    NotAllowed, or Invalid with what to do.
    """
    actor.require("administer")
    if model not in settings.EMBEDDING_MODELS:
        raise Invalid(
            _("“%(model)s” is not among EMBEDDING_MODELS: %(known)s.")
            % {"model": model, "known": ", ".join(settings.EMBEDDING_MODELS)},
            field="model",
        )
    _differ(model, active_name(_space(actor)))
    with transaction.atomic():
        space = _locked(actor)
        if model == active_name(space):
            raise Invalid(_("The space uses this model already."), field="model")
        if space.other_model not in ("", model):
            raise Invalid(
                _("The space is changing to “%(model)s”. End that change first.")
                % {"model": space.other_model},
                field="model",
            )
        if not space.other_model:
            if any(_last(space.pk, job, unfinished=True) for job in (reembedding.JOB, CLEAN_UP)):
                raise Invalid(_("The jobs of the last change are coming to their end: wait a bit."))
            space.other_model = model
            space.save(update_fields=["other_model"])
            history.log(actor, "model_change_begun", model=model, before=active_name(space))
        return start(actor=actor, job=reembedding.JOB, arguments={"model": model})


def switch(*, actor: Actor, model: str) -> None:
    """Let recall compare with the other of the space's two models; the same way leads back.

    `model` is the one to use, so that asking twice is asking once. What was written since the job
    went through is embedded first. Raises NotAllowed, or Invalid while anything lacks its vector.
    """
    actor.require("administer")
    if active_name(_space(actor)) == model:
        return
    filling = _filling(actor, model)
    lacking = reembedding.lacking(actor.space_id, filling.id)
    for _try in range(TRIES):
        if lacking.count() > reembedding.BATCH:
            break  # that is for the job, nobody waits for it here
        with _told():
            reembedding.fill(actor.space_id, filling)
        if _swapped(actor, model, filling):
            forget_model_of(actor.space_id)
            return
    raise Invalid(
        _("%(n)d memories have no vector of this model yet. Wait for the job, then switch.")
        % {"n": lacking.count()}
    )


def finish(*, actor: Actor) -> JobRun:
    """End the change with the model in use, before the switch or after it; return the run that
    removes the other one's vectors. Raises NotAllowed or Invalid.
    """
    actor.require("administer")
    with transaction.atomic():
        space = _locked(actor)
        if not space.other_model:
            raise _no_change()
        dropped, space.other_model = space.other_model, ""
        space.save(update_fields=["other_model"])
        history.log(actor, "model_change_ended", model=active_name(space), dropped=dropped)
        return start(actor=actor, job=CLEAN_UP)


def _filling(actor: Actor, model: str) -> Filling:
    """Return what is to be complete before the switch to a model. Raises Invalid."""
    space = _space(actor)
    if not model or space.other_model != model:
        raise _no_change()
    with _told():
        filling = reembedding.filling(model, active_name(space))
    if filling.id == filling.beside:
        raise _same()
    return filling


@contextmanager
def _told() -> Iterator[None]:
    """Say to a person that the embedder is away."""
    try:
        yield
    except EmbedderDown as error:
        raise Invalid(str(error)) from error


def _swapped(actor: Actor, model: str, filling: Filling) -> bool:
    """Swap the space's two models unless a memory lacks its vector: looked at under the lock."""
    with transaction.atomic():
        space = _locked(actor)
        if active_name(space) == model:
            return True  # somebody else was faster
        if space.other_model != model:
            raise _no_change()
        if reembedding.lacking(space.pk, filling.id).exists():
            return False
        before = active_name(space)
        space.embedding_model, space.other_model = model, before
        space.save(update_fields=["embedding_model", "other_model"])
        history.log(actor, "model_switched", model=model, before=before)
    return True


def _differ(model: str, active: str) -> None:
    """Refuse two names for one model, as far as the embedder answers."""
    asked, used = _asked(model)[0], _asked(active)[0]
    if asked and asked == used and model != active:
        raise _same()


def _asked(model: str) -> tuple[str, str]:
    """Return a model's id and "", or "" and why the embedder does not tell it."""
    try:
        return identity(model), ""
    except EmbedderDown as error:
        return "", str(error)


def _groups(space_id: UUID) -> list[dict[str, Any]]:
    """Count the memories of a space by which models have vectors of them: one query."""
    rows = Memory.objects.filter(space_id=space_id).order_by()
    kinds = rows.annotate(
        first=Q(embedding__isnull=False), second=Q(other_embedding__isnull=False)
    ).values("first", "embedding_model", "second", "other_model")
    return [dict(group) for group in kinds.annotate(n=Count("pk"))]


def _vectors(groups: list[dict[str, Any]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for group in groups:
        for there, model in (("first", "embedding_model"), ("second", "other_model")):
            if group[there]:
                found[group[model]] = found.get(group[model], 0) + group["n"]
    return found


def _missing(groups: list[dict[str, Any]], model_id: str) -> int:
    """Count what lacking() returns."""
    return sum(
        group["n"]
        for group in groups
        if group["first"] and model_id not in (group["embedding_model"], group["other_model"])
    )


def _refused(groups: list[dict[str, Any]], model_id: str) -> int:
    return sum(g["n"] for g in groups if g["other_model"] == model_id and not g["second"])


def _last(space_id: UUID, job: str, *, unfinished: bool = False) -> JobRun | None:
    rows = JobRun.objects.unfinished() if unfinished else JobRun.objects.all()
    found: JobRun | None = rows.filter(space_id=space_id, job=job).order_by("-pk").first()
    return found


def _space(actor: Actor) -> Space:
    return Space.objects.get(pk=actor.space_id)


def _locked(actor: Actor) -> Space:
    # Not its key: writes, which only name the space, go on meanwhile.
    return Space.objects.select_for_update(no_key=True).get(pk=actor.space_id)


def _no_change() -> Invalid:
    return Invalid(_("The space does not change to this model: begin the change first."))


def _same() -> Invalid:
    return Invalid(_("The embedder answers both names with one and the same model."), field="model")
