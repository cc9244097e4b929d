"""What decisions on review items have in common, whatever their kind (G3)."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db import models
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memories import history
from memories.models.flag import Flag
from memories.models.memory import Memory, Status
from memories.permissions import Actor
from memories.policies import policy_for


class Choice(StrEnum):
    """Every decision of every kind; the module of a kind says which of them it offers."""

    KEEP_NEW = "keep_new"
    KEEP_OLD = "keep_old"
    BOTH_TRUE = "both_true"
    MERGE = "merge"
    APPROVE = "approve"
    EDIT_APPROVE = "edit_approve"
    REJECT = "reject"


class Rejection(models.TextChoices):
    """Why a person rejects a memory."""

    WRONG = "wrong", _("wrong")
    OUTDATED = "outdated", _("outdated")
    DUPLICATE = "duplicate", _("known already")
    PRIVATE = "private", _("too private to keep")
    INJECTION = "injection", _("written to steer agents")
    TRIVIAL = "trivial", _("not worth keeping")


@dataclass(frozen=True, slots=True)
class Text:
    """A person's own text, cleaned and embedded before anything is locked."""

    content: str
    embedding: list[float] | None
    embedding_model: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision ready to be carried out: checked as far as it can be without a lock."""

    flag_id: UUID
    choice: Choice
    note: str = ""
    reason: str = ""
    text: Text | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A locked open flag with its locked memories: the one it was opened for, its counterpart."""

    flag: Flag
    memories: tuple[Memory, ...]
    actor: Actor
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Offer:
    """A decision that a kind offers: what it does, and what a person has to say with it.

    `asks_note` is the sentence that asks for a note when there is none; "" when none is needed.
    """

    carry_out: Callable[[Case], None]
    takes_text: bool = False
    takes_reason: bool = False
    asks_note: str | Promise = ""


def retire(case: Case, memory: Memory, status: Status, **fields: Any) -> None:
    """Put a memory away for good; `replaced_by` among the fields links what holds instead."""
    why = case.ruling.note or case.ruling.reason
    history.change(memory, actor=case.actor, verb=status, reason=why, status=status, **fields)


def confirm(case: Case, memory: Memory, **fields: Any) -> None:
    """A person stands behind it now: believed at least as far as a person is (B4)."""
    person = policy_for(memory.space_id)[1].writing.confidence.person
    believed = max(fields.pop("confidence", memory.confidence), person)
    # Another flag of whatever kind still asks whether it holds: that is another decision.
    questioned = Flag.objects.open().filter(memory=memory).exists()
    history.change(
        memory,
        actor=case.actor,
        verb="confirmed",
        reason=case.ruling.note,
        confidence=believed,
        confirmed_at=timezone.now(),
        status=Status.PENDING if questioned else Status.ACTIVE,
        **fields,
    )
