"""What a distiller hands over: rules and LLM propose alike, and only the gate decides (B3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memories.models.memory import Kind, Source


@dataclass(frozen=True, slots=True)
class Scene:
    """What a distiller may know besides the turns."""

    agent: str
    user_id: str = ""
    task: str = ""
    outcome: str = "unknown"


@dataclass(frozen=True, slots=True)
class Proposal:
    """One statement that might be worth keeping, and where it comes from.

    `turns` are the numbers of its source turns, the quoted one first; `quote` stands in that turn
    as it is here. `owner`, `question` and `value` answer the gate's three questions (A6): whose is
    it, when would anyone look for it, what does it add? `certainty` (0–1) is how sure the distiller
    is that it read this right, `worth` (0–1) how much it is worth later. `drop` is the code of a
    rule that turned it away already ("" = none did); `signals` say what the scores are made of.
    """

    content: str
    turns: Sequence[int]
    quote: str = ""
    kind: str = Kind.FACT
    subject: str = ""
    owner: str = ""
    question: str = ""
    value: str = ""
    source: str = Source.UNKNOWN
    certainty: float = 1.0
    worth: float = 0.0
    happened_at: datetime | None = None
    drop: str = ""
    signals: Mapping[str, float] = field(default_factory=dict)
