"""The three-question gate (A6, B2): pure, so that a page can show what other numbers would do."""

from dataclasses import dataclass

from memories.distillation.proposal import Proposal
from memories.policies import DistillingPolicy, WritingPolicy, believed

# Why a proposal was turned away; pages and answers say each in words.
NO_OWNER, NO_QUESTION, NO_VALUE = "no_owner", "no_question", "no_value"
NOT_BELIEVED, LOW_CONFIDENCE = "not_believed", "low_confidence"


@dataclass(frozen=True, slots=True)
class Passed:
    """What the gate says: without a `reason` it may be stored, a doubtful one reviewed."""

    confidence: float
    reason: str = ""

    @property
    def doubtful(self) -> bool:
        return self.reason == LOW_CONFIDENCE


def weigh(proposal: Proposal, distilling: DistillingPolicy, writing: WritingPolicy) -> Passed:
    """Judge one proposal by a space's numbers."""
    ceiling = believed(proposal.source, None, writing)
    confidence = round(ceiling * proposal.certainty, 4)
    return Passed(
        confidence, proposal.drop or _turned_away(proposal, confidence, distilling, writing)
    )


def _turned_away(
    proposal: Proposal, confidence: float, distilling: DistillingPolicy, writing: WritingPolicy
) -> str:
    checks = (
        (NO_OWNER, not proposal.owner),
        (NO_QUESTION, not proposal.question),
        (NO_VALUE, not proposal.value or proposal.worth < distilling.keep_from),
        (NOT_BELIEVED, confidence < writing.refuse_below),
        (LOW_CONFIDENCE, confidence < distilling.store_from),
    )
    return next((reason for reason, applies in checks if applies), "")
