"""What a job does to memories for their age: archive them, warn of them, ask a person (E5, E6, E7).

Everything here expects to run inside the caller's transaction, locks the rows, looks whether the
rule is still true of them, and returns how many had which outcome. Nothing here deletes.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memories import history
from memories.lifecycle import aged, aging
from memories.lifecycle.deleting import drop_flags_of
from memories.lifecycle.locking import hold_near, locked_memory
from memories.lifecycle.proposing import propose_clean_up
from memories.models.flag import Flag
from memories.models.memory import WIDE, Memory, Status
from memories.permissions import Actor
from memories.policies import AgingPolicy


@dataclass(frozen=True, slots=True)
class Step:
    """What time does to one memory: how the run counts it, how the log calls it, what it gets."""

    outcome: str
    verb: str
    fields: Mapping[str, Any]
    data: Mapping[str, Any] = field(default_factory=dict)


def fade(
    *, actor: Actor, ids: Sequence[UUID], policy: AgingPolicy, now: datetime
) -> Mapping[str, int]:
    """Archive what of these went cold (E5): "archived"."""
    held = _held(actor, ids)
    cold = set(aged.fading(actor, policy, now).filter(pk__in=ids).values_list("pk", flat=True))
    return _take_each([(one, _fading(one, policy, now)) for one in held if one.pk in cold], actor)


def expire(
    *, actor: Actor, ids: Sequence[UUID], policy: AgingPolicy, now: datetime
) -> Mapping[str, int]:
    """Warn of the end of these, or keep to the date they have (E6): "warned", "kept", "archived".

    A date that something else gave holds alike. What people are asked about waits for them, unless
    it is whether to keep it: the date is the answer when nobody gives one.
    """
    held = _held(actor, ids)
    asked, more = aged.asked_of(ids), aged.asked_of(ids, besides=(Flag.Kind.CLEAN_UP,))
    steps = [(one, step) for one in held if (step := _expiry(one, policy, now))]
    free = [(one, step) for one, step in steps if one.pk not in asked]
    outcomes = Counter(_take_each(free, actor))
    for one, step in steps:
        if one.pk in asked and (step.outcome == "kept" or one.pk not in more):
            _take(one.pk, step, actor)
            outcomes[step.outcome] += 1
    return outcomes


def question(
    *, actor: Actor, ids: Sequence[UUID], policy: AgingPolicy, now: datetime
) -> Mapping[str, int]:
    """Ask people whether what of these is weak and unused is worth keeping (E7): "proposed"."""
    held, asked = _held(actor, ids), aged.asked_of(ids)
    doubtful = [
        one for one in held if aging.questionable(one, policy, now, flagged=one.pk in asked)
    ]
    for one in doubtful:
        scores = {"confidence": one.confidence, **_days(one, now)}
        propose_clean_up(actor=actor, memory_id=one.pk, reason="unused", scores=scores)
    return {"proposed": len(doubtful)}


def _fading(memory: Memory, policy: AgingPolicy, now: datetime) -> Step:
    left = round(aging.warmth_now(memory, policy, now), 3)
    data = {"warmth": left, **_days(memory, now)}
    return Step("archived", "faded", {"status": Status.ARCHIVED}, data)


def _expiry(memory: Memory, policy: AgingPolicy, now: datetime) -> Step | None:
    if memory.status != Status.ACTIVE or memory.withheld:
        return None
    if memory.expires_at is None:
        until = aging.warned_until(memory, policy, now)
        if until is None:
            return None
        data = {"until": until.isoformat(), **_days(memory, now)}
        return Step("warned", "expiring", {"expires_at": until}, data)
    if aging.spared(memory, aged.warning_of(memory), policy):
        return Step("kept", "spared", {"expires_at": None})
    if memory.expires_at > now:
        return None
    return Step("archived", "expired", {"status": Status.ARCHIVED}, _days(memory, now))


def _take(memory_id: UUID, step: Step, actor: Actor) -> None:
    """Take the step of a memory about which something is open: what that is goes along."""
    memory = locked_memory(actor=actor, memory_id=memory_id, expected_version=None)
    history.change(memory, actor=actor, verb=step.verb, data=dict(step.data), **step.fields)
    if memory.status == Status.ARCHIVED:
        drop_flags_of(memory, actor)


def _take_each(steps: Sequence[tuple[Memory, Step]], actor: Actor) -> Mapping[str, int]:
    """Take steps of memories about which nothing is open."""
    for verb in sorted({step.verb for _memory, step in steps}):
        changes = [
            (memory, dict(step.fields), dict(step.data))
            for memory, step in steps
            if step.verb == verb
        ]
        history.change_each(changes, actor=actor, verb=verb)
    return Counter(step.outcome for _memory, step in steps)


def _days(memory: Memory, now: datetime) -> dict[str, int]:
    """Return for how many whole days nobody recalled it, if nobody ever did since its writing."""
    return {"days": int(aging.days_since(memory.last_recalled_at or memory.created_at, now))}


def _held(actor: Actor, ids: Sequence[UUID]) -> list[Memory]:
    """Return those that are there, locked with what open flags about them speak of."""
    hold_near(ids)
    return list(Memory.objects.visible_to(actor).filter(pk__in=ids).order_by("pk").defer(*WIDE))
