"""What other numbers would have made of a run's candidates. Pure: nothing is stored."""

from collections.abc import Iterable
from dataclasses import dataclass

from memories.distillation import gate
from memories.distillation.proposal import Proposal
from memories.models.distillation import Candidate
from memories.policies import DistillingPolicy, WritingPolicy

_GATE = {
    gate.NO_OWNER,
    gate.NO_QUESTION,
    gate.NO_VALUE,
    gate.NOT_BELIEVED,
    gate.LOW_CONFIDENCE,
}
# What storing turned away however good it was; no number of the gate changes that.
_BARRED = {"echo", "tombstone", "unusable"}
# What storing found for those that the gate let through: other numbers find the same.
_STORING = {"stored", "duplicate", "reinforced", "conflict", *_BARRED}
# The reasons of candidates that other numbers may judge otherwise.
JUDGED = (_GATE | _STORING) - _BARRED


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict of Candidate.Verdict and the code of its reason."""

    verdict: str
    reason: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A candidate that would fare otherwise."""

    candidate: Candidate
    was: Outcome
    now: Outcome


def again(
    candidates: Iterable[Candidate], distilling: DistillingPolicy, writing: WritingPolicy
) -> list[Difference]:
    """Weigh a run's candidates by these numbers and return those with another verdict, in order.

    What newly passes the gate counts as kept, though comparing it with what is known by now might
    merge or flag it.
    """
    weighed = (_difference(candidate, distilling, writing) for candidate in candidates)
    return [found for found in weighed if found.was.verdict != found.now.verdict]


def _difference(
    candidate: Candidate, distilling: DistillingPolicy, writing: WritingPolicy
) -> Difference:
    was = Outcome(candidate.verdict, candidate.reason)
    passed = gate.weigh(_proposal(candidate), distilling, writing)
    if not passed.reason:
        stored = Outcome(Candidate.Verdict.KEPT, "stored")
        now = was if candidate.reason in _STORING else stored
    elif passed.doubtful and distilling.doubtful == "review":
        reviewed = Outcome(Candidate.Verdict.FLAGGED, passed.reason)
        now = was if candidate.reason in _BARRED else reviewed
    else:
        now = Outcome(Candidate.Verdict.DROPPED, passed.reason)
    return Difference(candidate, was, now)


def _proposal(candidate: Candidate) -> Proposal:
    """Return what the gate saw; a reason that is neither its own nor storing's is a distiller's."""
    theirs = candidate.reason not in _GATE | _STORING
    return Proposal(
        content=candidate.content,
        turns=candidate.turns,
        owner=candidate.owner,
        question=candidate.question,
        value=candidate.value,
        source=candidate.source,
        certainty=candidate.certainty,
        worth=candidate.worth,
        drop=candidate.reason if theirs else "",
    )
