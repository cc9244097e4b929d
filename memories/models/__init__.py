"""The domain's tables, a file a concept."""

from memories.models.agent import Agent, AgentKey
from memories.models.distillation import Candidate, DistillationRun
from memories.models.event import Event
from memories.models.feedback import Feedback
from memories.models.flag import Flag, FlagSource
from memories.models.memory import Memory, MemoryVersion
from memories.models.policy import Policy
from memories.models.recall import Hit, Recall
from memories.models.receipt import Receipt
from memories.models.session import Session, Turn
from memories.models.space import Membership, Space

__all__ = [
    "Agent",
    "AgentKey",
    "Candidate",
    "DistillationRun",
    "Event",
    "Feedback",
    "Flag",
    "FlagSource",
    "Hit",
    "Membership",
    "Memory",
    "MemoryVersion",
    "Policy",
    "Recall",
    "Receipt",
    "Session",
    "Space",
    "Turn",
]
