"""What people do with flags, a file a concept."""

from review.models.batch import Batch, BatchItem
from review.models.claim import Claim
from review.models.comment import Comment
from review.models.decision import Decision, Rejection
from review.models.rule import Rule
from review.models.view import SavedView

__all__ = [
    "Batch",
    "BatchItem",
    "Claim",
    "Comment",
    "Decision",
    "Rejection",
    "Rule",
    "SavedView",
]
