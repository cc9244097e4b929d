"""distil(): one look back at a session: claim → propose → gate → compare → store (B2, I5).

The claim and the end are a transaction each; between them, while models think, none is open and no
connection is held. All a run does becomes visible at its end or not at all, so a worker that dies,
a second worker and a retry add nothing twice.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.distillation import llm, rules
from memories.distillation.gate import weigh
from memories.distillation.proposal import Proposal, Scene
from memories.distillation.storing import Storing, Weighed, prepared
from memories.embedding.client import EmbedderDown
from memories.embedding.spaces import embed_for
from memories.llm import LlmDown, available
from memories.models.distillation import Candidate, DistillationRun
from memories.models.memory import Memory
from memories.models.session import Session, Turn
from memories.policies import PolicyNumbers, policy_for
from memories.text.index import embedded_text

logger = logging.getLogger(__name__)

State = DistillationRun.State
# One run looks at so many turns: its end, which holds up the owner's other writes, stays short.
MOST_TURNS = 400
# A worker that has not come to an end by then is taken for dead.
CLAIM = timedelta(minutes=15)
# After a failure a session waits so long, and each time longer.
PAUSE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a distiller proposed, which one it was, and what is to be said about that."""

    proposals: Sequence[Proposal]
    distiller: DistillationRun.Distiller
    model: str = ""
    note: str = ""


def distil(session_id: UUID) -> DistillationRun | None:
    """Distil the next turns of an ended session; None when there is nothing to do (now).

    A failure is recorded in the run that is returned, and tried again later. While the embedder is
    away nothing is compared well enough to be stored: the session waits.
    """
    claimed = _claim(session_id)
    if claimed is None:
        return None
    run, policy = claimed
    try:
        return _look_back(run, policy)
    except EmbedderDown as error:
        logger.info("session %s waits for the embedder: %s", session_id, error)
        run.delete()
        return None
    except Exception as error:
        logger.exception("distilling session %s failed", session_id)
        return _failed(run, _("It broke off: %(error)s.") % {"error": type(error).__name__})


def waiting(now: datetime | None = None) -> Iterator[UUID]:
    """Yield the sessions that wait to be distilled, the longest waiting first."""
    found = Session.objects.undistilled().order_by("ended_at", "id").values_list("pk", flat=True)
    yield from found.iterator(chunk_size=100)


def _claim(session_id: UUID) -> tuple[DistillationRun, PolicyNumbers] | None:
    now = timezone.now()
    with transaction.atomic():
        rows = Session.objects.undistilled().select_for_update(skip_locked=True)
        session = rows.filter(pk=session_id).first()
        if session is None:
            return None
        version, policy = policy_for(session.space_id)
        if _taken(session, now) or not _due(session, policy, now):
            return None
        first = session.distilled_through + 1
        run = DistillationRun.objects.create(
            session=session,
            first_turn=first,
            last_turn=min(session.turn_count, first + MOST_TURNS - 1),
            policy_version=version,
            started_at=now,
            claimed_until=now + CLAIM,
        )
    return run, policy


def _taken(session: Session, now: datetime) -> bool:
    """Whether another worker is at it; one that did not come back in time is counted out."""
    running = session.runs.filter(state=State.RUNNING).first()
    if running is None:
        return False
    if running.claimed_until > now:
        return True
    _close(running, _("The worker did not come back."))
    session.failures += 1
    session.save(update_fields=["failures"])
    return False


def _due(session: Session, policy: PolicyNumbers, now: datetime) -> bool:
    """Whether a session that failed before may be tried again by now."""
    if session.failures == 0:
        return True
    if session.failures >= policy.distilling.attempts:
        return False
    last = session.runs.filter(state=State.FAILED).order_by("-finished_at").first()
    since = last.finished_at if last else None
    return since is None or now >= since + PAUSE * 2 ** (session.failures - 1)


def _look_back(run: DistillationRun, policy: PolicyNumbers) -> DistillationRun:
    proposed = _proposed(run, policy)
    weighed = [
        prepared(one, weigh(one, policy.distilling, policy.writing), run.session, policy.distilling)
        for one in proposed.proposals
    ]
    _embed(run.session, [one.memory for one in weighed if one.memory is not None])
    return _finish(run, proposed, weighed, policy)


def _proposed(run: DistillationRun, policy: PolicyNumbers) -> Proposed:
    session = run.session
    within = session.turns.filter(number__range=(run.first_turn, run.last_turn))
    turns = list(within.order_by("number"))
    scene = Scene(session.agent.name, session.user_id, session.task, session.outcome)
    _let_go()
    note = ""
    if policy.distilling.distiller == "auto" and available():
        try:
            return _by_llm(turns, scene)
        except LlmDown as error:
            note = _("Distilled by rules, because the LLM did not help: %(why)s") % {"why": error}
    return Proposed(rules.propose(turns, scene), DistillationRun.Distiller.RULES, note=note)


def _let_go() -> None:
    """Give the connection back while a model thinks (a test's transaction keeps its own)."""
    if not connection.in_atomic_block:
        connection.close()


def _by_llm(turns: Sequence[Turn], scene: Scene) -> Proposed:
    """The LLM proposes from what was said; what was done is read by rules in any case."""
    proposals = [*llm.propose(turns, scene), *rules.procedures(turns, scene)]
    return Proposed(proposals, DistillationRun.Distiller.LLM, model=settings.LLM_MODEL)


def _embed(session: Session, memories: Sequence[Memory]) -> None:
    answer = embed_for(session.space_id, [embedded_text(memory) for memory in memories])
    for memory, vector in zip(memories, answer.vectors, strict=True):
        memory.embedding, memory.embedding_model = vector, answer.model


def _finish(
    run: DistillationRun, proposed: Proposed, weighed: Sequence[Weighed], policy: PolicyNumbers
) -> DistillationRun:
    """Store what is kept, record every candidate, and close the run: all of it or nothing."""
    with transaction.atomic():
        session = Session.objects.select_for_update(of=("self",)).get(pk=run.session_id)
        held = DistillationRun.objects.select_for_update().get(pk=run.pk)
        if held.state != State.RUNNING:
            return held  # it took too long, and another worker has it
        storing = Storing(held, session, policy)
        candidates = [storing.settle(place, one) for place, one in enumerate(weighed, 1)]
        Candidate.objects.bulk_create(candidates, batch_size=500)
        session.distilled_through, session.failures = held.last_turn, 0
        session.save(update_fields=["distilled_through", "failures"])
        held.distiller, held.model = proposed.distiller, proposed.model
        held.counts = _counts(candidates)
        _close(held, proposed.note, State.DONE)
    return held


def _counts(candidates: Sequence[Candidate]) -> dict[str, dict[str, int]]:
    return {
        "verdicts": Counter(str(one.verdict) for one in candidates),
        "reasons": Counter(one.reason for one in candidates),
    }


def _failed(run: DistillationRun, why: str) -> DistillationRun:
    with transaction.atomic():
        Session.objects.select_for_update().get(pk=run.session_id)
        held = DistillationRun.objects.select_for_update().get(pk=run.pk)
        if held.state == State.RUNNING:
            Session.objects.filter(pk=run.session_id).update(failures=F("failures") + 1)
            _close(held, why)
    return held


def _close(run: DistillationRun, note: str, state: State = State.FAILED) -> None:
    run.state, run.note, run.finished_at = state, note, timezone.now()
    run.save()
