"""index_large: a space with a very large owner gets indexes, and loses what it does not need."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories.embedding import indexing
from memories.embedding.client import EmbedderDown, identity
from memories.jobs.base import Asked, Job, Later, Row
from memories.models.space import Space
from memories.writing.reembedding import active_name

# An index and how it is made; without a statement it goes.
Work = tuple[str, str]


def _rows(asked: Asked, after: str, size: int) -> Sequence[Row]:
    """Return what differs from what should be: to be made, or dropped, in the order of names."""
    wanted = _wanted(asked)
    there = indexing.existing(asked.space_id)
    missing = {name: how for name, how in wanted.items() if not there.get(name)}
    gone = dict.fromkeys([*(there.keys() - wanted.keys()), *indexing.abandoned()], "")
    rows = sorted((missing | gone).items())
    return [(name, (name, how)) for name, how in rows if name > after][:size]


def _wanted(asked: Asked) -> Mapping[str, str]:
    try:
        model = identity(active_name(Space.objects.get(pk=asked.space_id)))
    except EmbedderDown as error:
        raise Later(str(error)) from error
    return indexing.wanted(asked.space_id, model)


def _prepare(_asked: Asked, rows: Sequence[Work]) -> None:
    """Make and drop: neither can be done inside a transaction."""
    for name, how in rows:
        done = indexing.make(name, how) if how else indexing.drop(name)
        if not done:
            raise Later(_("Another worker makes or drops an index."))


def _work(_asked: Asked, row: Work, _ready: Any) -> str:
    return "made" if row[1] else "dropped"


JOB = Job(
    code="index_large",
    order=75,
    label=gettext_lazy("Index large owners"),
    meaning=gettext_lazy(
        "Makes the indexes that recall uses where one user has very many memories, and drops them "
        "where they are of no use any more. Everything goes on meanwhile."
    ),
    outcomes={"made": gettext_lazy("indexes made"), "dropped": gettext_lazy("indexes dropped")},
    rows=_rows,
    work=_work,
    prepare=_prepare,
    interval=lambda policy: policy.index_days,
    batch=1,
    trial=False,
    undoable=False,
)
