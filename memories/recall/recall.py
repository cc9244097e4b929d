"""recall(): the one door through which memories are searched."""

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.errors import Invalid
from memories.inputs import MAX_NAME, short_text
from memories.models.memory import Memory, MemoryQuerySet, Status
from memories.permissions import Actor
from memories.policies import policy_for
from memories.reading import Filters
from memories.recall.explain import explained
from memories.recall.hits import read
from memories.recall.logbook import Entry, logged
from memories.recall.looking import Asking, look, order
from memories.recall.question import asked, counted
from memories.recall.ranking import Ranked
from memories.recall.result import RecallResult, Scored

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
    hits = _hits(read(looked.scope, [one.candidate.id for one in best], half_life), best)
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
    rows: MemoryQuerySet = Memory.objects.visible_to(actor).filter(filters.condition())
    if actor.user_id and actor.kind != "agent":
        # An agent's sight says so by itself; a person or a job asks on behalf of that user.
        rows = rows.filter(user_id__in=("", actor.user_id))
    return rows if filters.statuses else rows.live()


def _hits(found: Mapping[UUID, Memory], best: Sequence[Ranked]) -> tuple[Scored, ...]:
    here = [one for one in best if one.candidate.id in found]
    return tuple(
        Scored(
            found[one.candidate.id],
            rank,
            min(1.0, one.score),
            one.arms,
            one.shown(),
            explained(one),
        )
        for rank, one in enumerate(here, 1)
    )
