"""The domain's tables, a file a concept."""

from memories.models.agent import Agent, AgentKey
from memories.models.distillation import Candidate, DistillationRun
from memories.models.evaluation import Evaluation, Judgement
from memories.models.event import Event
from memories.models.feedback import Feedback
from memories.models.flag import Flag, FlagSource
from memories.models.graph import Entity, Link, Mention
from memories.models.job import JobRun
from memories.models.memory import Memory, MemoryVersion
from memories.models.policy import Policy
from memories.models.recall import Hit, Recall
from memories.models.receipt import Receipt
from memories.models.session import Session, Turn
from memories.models.space import Membership, Space
from memories.models.tombstone import Tombstone

__all__ = [
    "Agent",
    "AgentKey",
    "Candidate",
    "DistillationRun",
    "Entity",
    "Evaluation",
    "Event",
    "Feedback",
    "Flag",
    "FlagSource",
    "Hit",
    "JobRun",
    "Judgement",
    "Link",
    "Membership",
    "Memory",
    "MemoryVersion",
    "Mention",
    "Policy",
    "Recall",
    "Receipt",
    "Session",
    "Space",
    "Tombstone",
    "Turn",
]
