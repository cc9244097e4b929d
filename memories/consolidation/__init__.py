"""Fragments of one topic become one fuller memory, if a person says so (E4, E8).

Doors: consolidate() for whoever asks, find(), planned(), propose() and flag_conflict() for the job.
"""

from memories.consolidation.asking import consolidate
from memories.consolidation.clusters import Cluster, find
from memories.consolidation.near import in_use
from memories.consolidation.proposing import Planned, flag_conflict, planned, propose
from memories.consolidation.writer import wants_llm

__all__ = [
    "Cluster",
    "Planned",
    "consolidate",
    "find",
    "flag_conflict",
    "in_use",
    "planned",
    "propose",
    "wants_llm",
]
