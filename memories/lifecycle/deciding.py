"""What a decision does, as data: pure plans, shown before they are carried out (G2, G3)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from django.utils import timezone

from memories.models.flag import Flag
from memories.models.memory import Memory, Status

Verdict = Literal["upheld", "refuted", ""]


@dataclass(frozen=True, slots=True)
class Text:
    """A person's own text, cleaned and embedded before anything is locked."""

    content: str
    embedding: list[float] | None
    embedding_model: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a person said: the decision, and what goes with it."""

    choice: str
    note: str = ""
    reason: str = ""
    text: Text | None = None

    @property
    def why(self) -> str:
        """What the history of a memory says about it."""
        return self.note or self.reason


@dataclass(frozen=True, slots=True)
class Case:
    """A flag with its memories: the one it was opened for, then its counterpart or its sources.

    `person` is how far a person is believed (B4); `questioned` are the memories that another open
    flag, opened for them, still asks about.
    """

    flag: Flag
    memories: tuple[Memory, ...]
    ruling: Ruling
    person: float
    questioned: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one memory: the fields it gets, how the log calls that, and what the
    decision says of whoever wrote it."""

    memory: Memory
    verb: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    verdict: Verdict = ""

    @property
    def status(self) -> str:
        """The status that it will have."""
        return str(self.fields.get("status", self.memory.status))

    @property
    def confidence(self) -> float:
        """The confidence that it will have."""
        return float(self.fields.get("confidence", self.memory.confidence))


Plan = Callable[[Case], Sequence[Change]]


def retire(memory: Memory, status: Status, verdict: Verdict = "", **fields: Any) -> Change:
    """Put a memory away; `replaced_by` among the fields links what holds instead.

    What agents were kept from they do not get to read because it was rejected (F2).
    """
    return Change(memory, status.value, {"status": status} | fields, verdict)


def confirm(case: Case, memory: Memory, **fields: Any) -> Change:
    """A person stands behind it now: believed at least as far as a person is (B4)."""
    believed = max(fields.pop("confidence", memory.confidence), case.person)
    # Another flag of whatever kind still asks whether it holds: that is another decision.
    status = Status.PENDING if memory.pk in case.questioned else Status.ACTIVE
    given = {"confidence": believed, "confirmed_at": timezone.now(), "withheld": False}
    return Change(memory, "confirmed", given | {"status": status} | fields, "upheld")


def release(case: Case, memory: Memory) -> Change:
    """Nothing is said against it any more, nor for it: it is active again as it was."""
    status = Status.PENDING if memory.pk in case.questioned else Status.ACTIVE
    return Change(memory, "released", {"status": status})


def own_text(case: Case) -> dict[str, Any]:
    """Return the person's own text as fields of the memory that gets it; none without one."""
    text = case.ruling.text
    if text is None:
        return {}
    return {
        "content": text.content,
        "embedding": text.embedding,
        "embedding_model": text.embedding_model,
    }
