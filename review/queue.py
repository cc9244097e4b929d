"""Selectors of the queue: what waits for a person, and one flag with all it takes to decide."""

from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _

from memories.errors import NotFound
from memories.models.flag import Flag
from memories.models.memory import Memory
from memories.permissions import Actor
from memories.reading import is_disputed


def flags_of(actor: Actor) -> "QuerySet[Flag]":
    """Return every flag an actor may read, newest first, each with both its memories.

    The memories carry `.disputed` and their agent; the decision, if any, is loaded too.
    """
    actor.require("read")
    memories = (
        Memory.objects.select_related("agent")
        .defer("embedding", "keywords")
        .annotate(disputed=is_disputed())
    )
    flags: QuerySet[Flag] = (
        Flag.objects.visible_to(actor)
        .select_related("decision")
        .prefetch_related(Prefetch("memory", memories), Prefetch("counterpart", memories))
        .order_by("-id")
    )
    return flags


def open_flags(actor: Actor) -> "QuerySet[Flag]":
    """Return the flags that wait for a decision, newest first."""
    return flags_of(actor).filter(status=Flag.Status.OPEN)


def get_flag(actor: Actor, flag_id: UUID) -> Flag:
    """Return one flag, open or resolved, or raise NotFound when it is missing or not visible."""
    flag = flags_of(actor).filter(pk=flag_id).first()
    if flag is None:
        raise NotFound(_("There is no such review item here."), field="flag_id")
    return flag
