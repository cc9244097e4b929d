"""One candidate of a run: its verdict, and the memory it became. Inside the run's transaction."""

from dataclasses import dataclass, replace

from memories import history
from memories.distillation.gate import LOW_CONFIDENCE, Passed
from memories.distillation.known import barred, recalled_into
from memories.distillation.proposal import Proposal
from memories.errors import Invalid
from memories.identity import agent_actor, system_actor
from memories.models.distillation import Candidate, DistillationRun
from memories.models.memory import Memory, Status
from memories.models.session import Session
from memories.permissions import Actor
from memories.policies import DistillingPolicy, PolicyNumbers
from memories.writing.draft import Draft, drafted
from memories.writing.result import Outcome
from memories.writing.store import open_pending, store
from memories.writing.write import unsaved

Verdict = Candidate.Verdict
_BECAME = {
    Outcome.CREATED: (Verdict.KEPT, "stored"),
    Outcome.DUPLICATE: (Verdict.MERGED, "duplicate"),
    Outcome.REINFORCED: (Verdict.MERGED, "reinforced"),
    Outcome.FLAGGED: (Verdict.FLAGGED, "conflict"),
}


@dataclass(frozen=True, slots=True)
class Weighed:
    """A proposal with what the gate said; with the memory it would be if it may be stored."""

    proposal: Proposal
    passed: Passed
    draft: Draft | None = None
    memory: Memory | None = None


def prepared(
    proposal: Proposal, passed: Passed, session: Session, policy: DistillingPolicy
) -> Weighed:
    """Return a weighed proposal, with its memory if the gate lets it in or a person may."""
    reviewed = passed.doubtful and policy.doubtful == "review"
    if passed.reason and not reviewed:
        return Weighed(proposal, passed)
    try:
        draft = _draft(proposal, session)
    except Invalid:
        return Weighed(proposal, replace(passed, reason="unusable"))
    memory = unsaved(draft, _writer(session), passed.confidence)
    memory.status = Status.PENDING if reviewed else Status.ACTIVE
    return Weighed(proposal, passed, draft, memory)


def _writer(session: Session) -> Actor:
    """The memory is the agent's, as if it had written it; the log says who did."""
    return replace(agent_actor(session.agent), user_id=session.user_id)


def _draft(proposal: Proposal, session: Session) -> Draft:
    return drafted(
        content=proposal.content,
        kind=proposal.kind,
        subject=proposal.subject,
        happened_at=proposal.happened_at or session.last_turn_at,
        source=proposal.source,
        visibility=session.visibility,
        session=session.key,
    )


class Storing:
    """Stores what one run keeps, in order; the session's row is locked meanwhile."""

    def __init__(self, run: DistillationRun, session: Session, policy: PolicyNumbers) -> None:
        self._run = run
        self._policy = policy
        self._actor = system_actor(session.space_id, "distillation")
        self._recalled = recalled_into(session)

    def settle(self, position: int, weighed: Weighed) -> Candidate:
        """Return the unsaved candidate with its verdict; its memory, if any, is stored."""
        candidate = _candidate(self._run, position, weighed)
        if weighed.draft is not None and weighed.memory is not None:
            self._store(candidate, weighed.draft, weighed.memory)
        return candidate

    def _store(self, candidate: Candidate, draft: Draft, memory: Memory) -> None:
        history.index(memory)
        known = barred(memory, self._recalled)
        if known is not None:
            candidate.reason, candidate.memory = known
            return
        doubtful = memory.status == Status.PENDING
        result = store(memory, draft, self._actor, self._policy.writing)
        candidate.memory = result.memory
        candidate.verdict, candidate.reason = _BECAME[result.outcome]
        if result.memory.withheld:
            candidate.reason = "quarantine"
        if doubtful and result.outcome == Outcome.CREATED:
            self._ask(candidate, memory)

    def _ask(self, candidate: Candidate, memory: Memory) -> None:
        """Put a doubtful memory to a person (B5)."""
        candidate.verdict, candidate.reason = Verdict.FLAGGED, LOW_CONFIDENCE
        needed = self._policy.distilling.store_from
        scores = {"confidence": candidate.confidence, "store_from": needed}
        open_pending(memory, self._actor, reason=LOW_CONFIDENCE, scores=scores, evidence={})


def _candidate(run: DistillationRun, position: int, weighed: Weighed) -> Candidate:
    proposal = weighed.proposal
    return Candidate(
        run=run,
        position=position,
        kind=proposal.kind,
        content=proposal.content,
        quote=proposal.quote,
        turns=list(proposal.turns),
        subject=proposal.subject[:200],
        owner=proposal.owner[:200],
        question=proposal.question[:300],
        value=proposal.value[:300],
        source=proposal.source,
        certainty=proposal.certainty,
        worth=proposal.worth,
        confidence=weighed.passed.confidence,
        signals=dict(proposal.signals),
        happened_at=proposal.happened_at,
        verdict=Verdict.DROPPED,
        reason=weighed.passed.reason,
    )
