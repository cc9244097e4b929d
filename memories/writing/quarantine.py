"""Quarantine: what is suspicious is kept from every agent until a person has looked at it (F2)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from memories import history
from memories.models.flag import Flag
from memories.models.memory import Memory, Status
from memories.permissions import Actor
from memories.policies import WritingPolicy
from memories.writing.lessons import rejected_like
from memories.writing.screen import hidden, screened

LIKE_REJECTED = "like_rejected"
_SENTENCES = {
    "hidden": _(
        "This contains characters that cannot be seen, so it is kept from every agent until a "
        "person has looked at it."
    ),
    "instruction": _(
        "This reads like an instruction to agents, so it is kept from every agent until a person "
        "has looked at it."
    ),
    "secret": _(
        "This seems to contain a password, a token or a key, so it is kept from every agent until "
        "a person has looked at it."
    ),
    LIKE_REJECTED: _(
        "People rejected this before, so it is kept from every agent until a person has looked at "
        "it again."
    ),
}


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a memory is withheld: a reason of review.kinds.quarantine, and what shows it."""

    reason: str
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """What its writer is told."""
        return str(_SENTENCES[self.reason])


def doubtful(memory: Memory, actor: Actor, policy: WritingPolicy) -> Doubt | None:
    """Screen everything that a memory says. A person may write instructions, nobody what hides."""
    if not policy.screen:
        return None
    look = hidden if actor.kind == "user" else screened
    said = look("\n".join(_texts(memory)))
    return None if said is None else Doubt(said.code, {"found": said.found})


def lesson_against(memory: Memory, actor: Actor) -> Doubt | None:
    """Whether an agent says again what people rejected (F4); a person may know better by now."""
    if actor.kind != "agent":
        return None
    known = rejected_like(memory)
    if known is None:
        return None
    return Doubt(LIKE_REJECTED, {"found": known.content, "memory": str(known.pk)})


def withheld(memory: Memory) -> Memory:
    """Return a memory that is about to be written, marked as kept from agents."""
    memory.status, memory.withheld = Status.PENDING, True
    return memory


def waiting_like(memory: Memory) -> Flag | None:
    """Return the flag of the same owner's same text that is in quarantine already, if any."""
    opened: QuerySet[Flag] = Flag.objects.open().filter(kind=Flag.Kind.QUARANTINE)
    same = Memory.objects.owned_like(memory).filter(
        content_hash=memory.content_hash, status=Status.PENDING, withheld=True
    )
    flags = opened.filter(memory__in=same, memory__content=memory.content)
    return flags.select_related("memory").order_by("pk").first()


def open_quarantine(memory: Memory, doubt: Doubt, actor: Actor) -> Flag:
    """Put a withheld memory, already written, to a person."""
    flag = Flag(
        kind=Flag.Kind.QUARANTINE,
        space_id=memory.space_id,
        memory=memory,
        memory_version=memory.version,
        reason=doubt.reason,
        evidence=dict(doubt.evidence),
    )
    return history.open_flag(flag, actor=actor, verb="quarantined", reason=doubt.reason)


def _texts(memory: Memory) -> Iterator[str]:
    yield from (memory.content, memory.subject, memory.reflection, *memory.tags)
    yield from _strings(memory.metadata)


def _strings(value: Any, name: str = "") -> Iterator[str]:
    """Every text within JSON, with the name that it is told under."""
    if isinstance(value, str):
        yield f"{name}: {value}" if name else value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _strings(inner, key) if isinstance(inner, str) else (key, *_strings(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
