"""recall(): the one door through which memories are searched."""

import time
from datetime import datetime
from functools import lru_cache

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.errors import Invalid
from memories.inputs import MAX_NAME, short_text
from memories.models.memory import Memory, MemoryQuerySet, Status
from memories.permissions import Actor
from memories.policies import policy_for
from memories.reading import Filters
from memories.recall.hits import read, scored
from memories.recall.logbook import Entry, logged
from memories.recall.looking import Asking, look, order
from memories.recall.question import asked, counted
from memories.recall.result import RecallResult

EVERYTHING = Filters()
SEARCHABLE = [status.value for status in Status if status != Status.DELETED]


def recall(
    *,
    actor: Actor,
    query: str,
    user_id: str = "",
    filters: Filters = EVERYTHING,
    top_k: int | None = None,
    session: str = "",
    log: bool = True,
    now: datetime | None = None,
) -> RecallResult:
    """Return the memories that matter to `query`, best first; none is an honest answer (C7).

    `session` is where the question is asked: its own memories get a bonus. `now` is for ages.
    Raises Invalid (unusable input) or NotAllowed. Logged unless `log` is False (C6).
    """
    started = time.perf_counter()
    actor = actor.acting_for(short_text(user_id, "user_id", MAX_NAME))
    session = short_text(session, "session", MAX_NAME)
    now = now or timezone.now()
    question = asked(query, now)
    version, policy = policy_for(actor.space_id)
    wanted = counted(top_k, policy.recall.top_k)
    looked = look(Asking(actor, question, now, session), scope_of(actor, filters), policy)
    best = order(looked, policy.recall)[:wanted]
    half_life = policy.aging.half_life_days
    found = read(looked.scope, [one.candidate.id for one in best], half_life)
    hits = scored(best, found)
    degraded = looked.vector is None
    took = (time.perf_counter() - started) * 1000
    entry = Entry(question.text, session, filters, version, degraded, took, half_life)
    return RecallResult(logged(actor, entry, hits) if log else None, hits, degraded, took)


def scope_of(actor: Actor, filters: Filters) -> "QuerySet[Memory]":
    """Return what is searched: within sight, of the user asked for, filtered, never deleted."""
    if Status.DELETED in filters.statuses:
        raise Invalid(
            _("Deleted memories are not recalled; statuses may be: %(allowed)s.")
            % {"allowed": ", ".join(SEARCHABLE)},
            field="statuses",
        )
    actor.require("read")
    return _unfiltered(actor) if filters == EVERYTHING else _searched(actor, filters)


@lru_cache(maxsize=1024)
def _unfiltered(actor: Actor) -> "QuerySet[Memory]":
    """Return what an actor searches without filters, not built and compiled for each question.

    It holds conditions alone, and nobody reads it: its SQL goes into other statements.
    """
    return _searched(actor, EVERYTHING)


def _searched(actor: Actor, filters: Filters) -> "QuerySet[Memory]":
    rows: MemoryQuerySet = Memory.objects.visible_to(actor).filter(filters.condition())
    if actor.user_id and actor.kind != "agent":
        # An agent's sight says so by itself; a person or a job asks on behalf of that user.
        rows = rows.filter(user_id__in=("", actor.user_id))
    return rows if filters.statuses else rows.live()
