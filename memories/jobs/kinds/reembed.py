"""reembed: while a space changes its model, every memory gets the other model's vector (E9)."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from memories.embedding.client import EmbedderDown
from memories.jobs.base import Asked, Job, Later, Row
from memories.models.memory import WIDE, Memory
from memories.models.space import Space
from memories.writing import reembedding
from memories.writing.reembedding import Filling, Fresh

Wanted = tuple[Memory, Filling]


def _model(asked: Asked) -> Filling | None:
    """Return what is to be filled, None when the change was ended. Raises Later."""
    space = Space.objects.get(pk=asked.space_id)
    if not space.other_model:
        return None
    try:
        return reembedding.filling(space.other_model, reembedding.active_name(space))
    except EmbedderDown as error:
        raise Later(str(error)) from error


def _rows(asked: Asked, after: str, size: int) -> Sequence[Row]:
    model = _model(asked)
    if model is None:
        return []
    found = reembedding.lacking(asked.space_id, model.id).defer(*WIDE).order_by("pk")
    if after:
        found = found.filter(pk__gt=UUID(after))
    return [(str(memory.pk), (memory, model)) for memory in found[:size]]


def _total(asked: Asked) -> int:
    model = _model(asked)
    return reembedding.lacking(asked.space_id, model.id).count() if model else 0


def _prepare(_asked: Asked, rows: Sequence[Wanted]) -> Fresh:
    memories, models = zip(*rows, strict=True)
    try:
        return reembedding.fresh(memories, models[0])
    except EmbedderDown as error:
        raise Later(str(error)) from error


def _work(asked: Asked, row: Wanted, made: Fresh) -> Mapping[str, int]:
    return _whole(asked, [row], made)


def _whole(_asked: Asked, rows: Sequence[Wanted], made: Fresh) -> Mapping[str, int]:
    memories, models = zip(*rows, strict=True)
    return reembedding.put(memories, made, models[0].beside)


JOB = Job(
    code=reembedding.JOB,
    order=70,
    label=_("Embed with another model"),
    meaning=_(
        "Gives every memory the vector of the model that the space changes to. Recall keeps to the"
        " model in use."
    ),
    outcomes={
        "embedded": _("got their vector"),
        "refused": _("have none: the embedder refused the text"),
    },
    rows=_rows,
    work=_work,
    whole=_whole,
    prepare=_prepare,
    total=_total,
    trial=False,
    by_hand=False,
    undoable=False,
)
