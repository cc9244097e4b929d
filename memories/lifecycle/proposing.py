"""Proposals that wait for a person: to merge fragments, to put a memory away (E4, E7)."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from memories import history
from memories.errors import Invalid, Stale
from memories.lifecycle.deciding import Text
from memories.models.flag import Flag, FlagSource
from memories.models.memory import LIVE, WIDE, Memory, Status
from memories.permissions import Actor
from memories.reading import missing
from memories.writing import draft
from memories.writing.store import hold_owner
from memories.writing.write import embedded

MOST_SOURCES = 20


def propose_merge(
    *,
    actor: Actor,
    memory_ids: Sequence[UUID],
    content: str | Text,
    reason: str = "fragments",
    scores: Mapping[str, float] | None = None,
    evidence: Mapping[str, Any] | None = None,
    expected_versions: Mapping[UUID, int] | None = None,
) -> Flag:
    """Propose one text in place of several live memories of one owner; a person decides (G1).

    The proposal is stored as pending and is not recalled beside its sources. Its confidence is the
    highest of theirs, no more (E8). `expected_versions` are those that the text was made of, which
    may have taken long; a Text is embedded already, so that the caller may hold a transaction.
    Raises Invalid, NotFound, NotAllowed, or Stale when a memory was changed meanwhile. Proposing
    the same memories again while a person has not decided returns the flag that waits.
    """
    actor.require("write")
    seen = mergeable(actor=actor, memory_ids=memory_ids, expected_versions=expected_versions)
    proposal = _proposal(seen, content)
    with transaction.atomic(), history.together():
        hold_owner(proposal)
        waiting = _open_between(seen)
        if waiting is not None:
            return waiting
        sources = _sources(actor, [memory.pk for memory in seen], lock=True)
        _check_versions(sources, {memory.pk: memory.version for memory in seen})
        flag = Flag(reason=reason, scores=dict(scores or {}), evidence=dict(evidence or {}))
        return _proposed(actor, sources, proposal, flag)


def mergeable(
    *,
    actor: Actor,
    memory_ids: Sequence[UUID],
    expected_versions: Mapping[UUID, int] | None = None,
) -> list[Memory]:
    """Return memories that one text may stand for, without their embeddings.

    Raises NotFound, Stale when they are not at the expected versions, or Invalid when they are too
    few or many, of several owners, or not in use.
    """
    ids = sorted(set(memory_ids))
    if not 2 <= len(ids) <= MOST_SOURCES:
        raise Invalid(
            _("Name 2 to %(most)d memories to merge.") % {"most": MOST_SOURCES}, field="memory_ids"
        )
    found = _sources(actor, ids)
    if expected_versions is not None:
        _check_versions(found, expected_versions)
    _check_alike(found)
    return found


def _proposal(sources: Sequence[Memory], content: str | Text) -> Memory:
    if isinstance(content, str):
        return embedded(_unsaved(sources, draft.clean_content(content)[0]))
    proposal = _unsaved(sources, content.content)
    proposal.embedding, proposal.embedding_model = content.embedding, content.embedding_model
    return proposal


def _sources(actor: Actor, ids: Sequence[UUID], *, lock: bool = False) -> list[Memory]:
    rows = Memory.objects.visible_to(actor).filter(pk__in=ids).order_by("pk")
    if lock:
        rows = rows.select_for_update(of=("self",))
    found = list(rows.defer(*WIDE))
    if len(found) != len(ids):
        raise missing()
    return found


def _check_versions(found: Sequence[Memory], expected: Mapping[UUID, int]) -> None:
    moved = [memory for memory in found if memory.version != expected.get(memory.pk)]
    if moved:
        raise Stale(
            _("A memory was changed while its text was merged. Read them again, then propose it."),
            field="memory_ids",
            versions={str(memory.pk): memory.version for memory in found},
        )


def _check_alike(found: Sequence[Memory]) -> None:
    owners = {
        (m.user_id, m.visibility, m.agent_id if m.visibility == "private" else None) for m in found
    }
    if len(owners) != 1:
        raise Invalid(
            _("Only memories about the same user and with the same audience can be merged."),
            field="memory_ids",
        )
    if any(memory.status not in LIVE or memory.withheld for memory in found):
        raise Invalid(_("Only memories in use can be merged."), field="memory_ids")


def _unsaved(sources: Sequence[Memory], content: str) -> Memory:
    best = max(sources, key=lambda memory: memory.confidence)
    subjects = {memory.subject for memory in sources}
    return Memory(
        space_id=best.space_id,
        user_id=best.user_id,
        agent_id=best.agent_id,
        visibility=best.visibility,
        kind=best.kind,
        # Of several properties a text has no key: it would seem to contradict each later one.
        subject=best.subject if len(subjects) == 1 else "",
        tags=sorted({tag for memory in sources for tag in memory.tags})[: draft.MAX_TAGS],
        content=content,
        reflection=_reflections(sources),
        source=best.source,
        confidence=best.confidence,  # E8
        status=Status.PENDING,
        # Its sources are what agents recall until a person decides.
        withheld=True,
    )


def _reflections(sources: Sequence[Memory]) -> str:
    """Return every judgement on the sources, each once; nothing is cut."""
    text = "\n".join(dict.fromkeys(memory.reflection for memory in sources if memory.reflection))
    if len(text) > draft.MAX_REFLECTION:
        raise Invalid(
            _("What was added to these memories is too long together: merge fewer of them."),
            field="memory_ids",
        )
    return text


def _open_between(sources: Sequence[Memory]) -> Flag | None:
    """Return the open proposal for exactly these memories, if any."""
    wanted = {memory.pk for memory in sources}
    opened = Flag.objects.open().filter(kind=Flag.Kind.MERGE, sources__memory=sources[0])
    for flag in opened.prefetch_related("sources"):
        if {source.memory_id for source in flag.sources.all()} == wanted:
            found: Flag = flag
            return found
    return None


def _proposed(actor: Actor, sources: Sequence[Memory], proposal: Memory, flag: Flag) -> Flag:
    history.index(proposal)
    history.create([proposal], actor=actor, sources=[str(memory.pk) for memory in sources])
    flag.kind, flag.space_id = Flag.Kind.MERGE, proposal.space_id
    flag.memory, flag.memory_version = proposal, proposal.version
    history.open_flag(flag, actor=actor, verb="proposed")
    FlagSource.objects.bulk_create(
        FlagSource(flag=flag, memory=memory, memory_version=memory.version) for memory in sources
    )
    return flag


def propose_clean_up(
    *,
    actor: Actor,
    memory_id: UUID,
    reason: str,
    scores: Mapping[str, float],
    evidence: Mapping[str, Any] | None = None,
) -> Flag:
    """Ask a person whether a memory in use is still worth keeping (E7); it stays in use meanwhile.

    Returns the flag, the one that waits already when there is one. `reason` is a code of
    review.kinds.clean_up. Raises NotFound or Invalid.
    """
    with transaction.atomic(), history.together():
        rows = Memory.objects.visible_to(actor).select_for_update(of=("self",))
        memory = rows.filter(pk=memory_id).first()
        if memory is None:
            raise missing()
        if memory.status not in LIVE:
            raise Invalid(_("Only memories in use can be proposed for clean-up."))
        waiting = Flag.objects.open().filter(kind=Flag.Kind.CLEAN_UP, memory=memory)
        return waiting.first() or history.open_flag(
            Flag(
                kind=Flag.Kind.CLEAN_UP,
                space_id=memory.space_id,
                memory=memory,
                memory_version=memory.version,
                reason=reason,
                scores=dict(scores),
                evidence=dict(evidence or {}),
            ),
            actor=actor,
            verb="proposed",
        )
