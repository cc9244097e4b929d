"""Carrying out a person's decision on a review item: checked, locked, done once (G3)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from memories import history
from memories.errors import Invalid, NotFound, Stale
from memories.lifecycle.deciding import Case, Change, Plan, Ruling, Text
from memories.lifecycle.deleting import drop_flags_of
from memories.lifecycle.locking import hold_near
from memories.lifecycle.rebasing import rebase_flags
from memories.models.agent import Agent
from memories.models.flag import Flag
from memories.models.memory import LIVE, WIDE, Memory
from memories.permissions import Actor
from memories.policies import policy_for
from memories.reading import get_memory
from memories.writing import draft
from memories.writing.screen import hidden
from memories.writing.store import hold_owner
from memories.writing.waiting import flag_contradictions
from memories.writing.write import embedded

Lessons = dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class Settled:
    """A resolved flag and its memories as they now are, the one it was opened for first.

    `operation` is what undo() takes; `lessons` is what it taught of writers, by agent id:
    [upheld, found wrong].
    """

    flag: Flag
    memories: tuple[Memory, ...]
    operation: UUID
    lessons: Lessons = field(default_factory=dict)


def prepared(content: str, space_id: UUID) -> Text:
    """Return a person's own text ready for a ruling in a space.

    Call it outside a transaction: it embeds. Raises Invalid naming the field.
    """
    cleaned, _notes = draft.clean_content(content)
    if found := hidden(cleaned):
        raise Invalid(
            _("The text contains characters that cannot be seen (%(found)s): write it without.")
            % {"found": found.found},
            field="content",
        )
    fresh = embedded(Memory(space_id=space_id, content=cleaned))
    return Text(cleaned, fresh.embedding, fresh.embedding_model)


def case_of(actor: Actor, flag_id: UUID, ruling: Ruling) -> Case:
    """Return a flag as a case, unlocked: to ask a plan what it would do."""
    flag = _seen(actor, flag_id)
    return _case(actor, flag, _loaded(_keys(flag)), ruling)


def settle(
    *,
    actor: Actor,
    flag_id: UUID,
    ruling: Ruling,
    plan: Plan,
    expected_versions: tuple[int, ...],
) -> Settled:
    """Carry out a plan on an open flag and resolve it, in one transaction.

    `expected_versions` are those of the flag's memories that the person saw, as in Settled.
    Raises NotAllowed, NotFound, Invalid, or Stale when anything changed meanwhile.
    """
    actor.require("decide")
    try:
        with transaction.atomic(), history.together() as operation:
            case = _locked(actor, flag_id, ruling, expected_versions)
            lessons = _carry_out(case, plan(case), actor)
    except IntegrityError as error:
        raise Invalid(_("Another memory already says exactly this."), field="content") from error
    now = tuple(get_memory(actor=actor, memory_id=memory.pk) for memory in case.memories)
    return Settled(case.flag, now, operation, lessons)


def _carry_out(case: Case, changes: Sequence[Change], actor: Actor) -> Lessons:
    ruling = case.ruling
    history.resolve(
        case.flag,
        actor=actor,
        resolution=ruling.choice,
        note=ruling.note,
        reason=ruling.reason,
    )
    released = {change.memory.pk for change in changes if change.memory.withheld}
    for change in changes:
        history.change(
            change.memory, actor=actor, verb=change.verb, reason=ruling.why, **change.fields
        )
    for change in changes:
        _follow_up(change, actor, released=change.memory.pk in released)
    return _learnt(changes)


def _follow_up(change: Change, actor: Actor, *, released: bool) -> None:
    """Bring what else waits about a memory up to date with what became of it.

    What was withheld until now is compared for the first time.
    """
    memory = change.memory
    if memory.status not in LIVE:
        drop_flags_of(memory, actor)
        return
    if "content" in change.fields:
        rebase_flags(memory, actor)
    if ("content" in change.fields or released) and memory.embedding is not None:
        flag_contradictions(memory, actor)  # like a new statement (E3)


def _learnt(changes: Sequence[Change]) -> Lessons:
    """Count for and against the agents that wrote what was decided on (F4)."""
    judged = Counter((c.memory.agent_id, c.verdict) for c in changes if c.verdict)
    lessons: Lessons = {}
    for agent_id in sorted({agent for agent, _verdict in judged if agent}):
        lessons[str(agent_id)] = [judged[agent_id, "upheld"], judged[agent_id, "refuted"]]
    learn(lessons)
    return lessons


def learn(lessons: Lessons, sign: int = 1) -> None:
    """Add lessons to the counts of the agents, or with sign -1 take them back."""
    for agent_id, (upheld, refuted) in sorted(lessons.items()):
        Agent.objects.filter(pk=agent_id).update(
            upheld=F("upheld") + sign * upheld, refuted=F("refuted") + sign * refuted
        )


def _seen(actor: Actor, flag_id: UUID) -> Flag:
    flag: Flag | None = (
        Flag.objects.visible_to(actor).select_related("memory").filter(pk=flag_id).first()
    )
    if flag is None:
        raise NotFound(_("There is no such review item here."), field="flag_id")
    return flag


def _keys(flag: Flag) -> list[UUID]:
    """Return the flag's memories in the order in which their versions are named."""
    if flag.counterpart_id is not None:
        return [flag.memory_id, flag.counterpart_id]
    if flag.kind == Flag.Kind.MERGE:
        return [flag.memory_id, *flag.sources.values_list("memory_id", flat=True)]
    return [flag.memory_id]


def _loaded(keys: Sequence[UUID]) -> tuple[Memory, ...]:
    """Return the memories in this order; most decisions need no embedding."""
    rows = Memory.objects.defer(*WIDE).in_bulk(keys)
    return tuple(rows[key] for key in keys)


def _case(actor: Actor, flag: Flag, memories: tuple[Memory, ...], ruling: Ruling) -> Case:
    others = Flag.objects.open().exclude(pk=flag.pk).filter(memory__in=memories)
    person = policy_for(actor.space_id)[1].writing.confidence.person
    questioned = frozenset(others.values_list("memory_id", flat=True))
    return Case(flag, memories, ruling, person, questioned)


def _locked(
    actor: Actor, flag_id: UUID, ruling: Ruling, expected_versions: tuple[int, ...]
) -> Case:
    """Lock owner, memories by id, then the flag (the house's order); check what was seen."""
    seen = _seen(actor, flag_id)
    if ruling.text is not None or seen.memory.withheld:
        hold_owner(seen.memory)  # its new text, or what is released, will be compared
    keys = _keys(seen)
    hold_near(keys)
    memories = _loaded(keys)
    flag = Flag.objects.select_for_update().get(pk=flag_id)
    if flag.status != Flag.Status.OPEN:
        raise Stale(
            _("This was decided meanwhile: %(what)s.") % {"what": flag.resolution},
            resolution=flag.resolution,
        )
    flag.memory = memories[0]
    _check_versions(memories, expected_versions)
    return _case(actor, flag, memories, ruling)


def _check_versions(memories: tuple[Memory, ...], expected: tuple[int, ...]) -> None:
    alone = len(memories) == 1
    if len(expected) != len(memories):
        one = _("This item is about one memory: name the version of that one, as “new”.")
        more = _("This item is about %(n)d memories: name the versions of all, in their order.")
        told = one if alone else more % {"n": len(memories)}
        raise Invalid(told, field="expected_versions")
    present = tuple(memory.version for memory in memories)
    if present != expected:
        one = _("The memory was changed since you opened this page. Read it again, then decide.")
        more = _("A memory was changed since you opened this page. Read them again, then decide.")
        raise Stale(one if alone else more, **_named(present))


def _named(versions: tuple[int, ...]) -> dict[str, Any]:
    """Return how a refusal calls the present versions of a flag's memories."""
    if len(versions) > 2:
        return {"versions": list(versions)}
    return dict(zip(("new_version", "old_version"), versions, strict=False))
