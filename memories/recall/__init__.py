"""Recall: arms (semantic, keyword, recency) → fuse → rules → explain. One door: recall()."""

from memories.recall.recall import recall
from memories.recall.result import RecallResult, Scored

__all__ = ["RecallResult", "Scored", "recall"]
