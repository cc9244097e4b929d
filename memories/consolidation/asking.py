"""consolidate(): somebody names memories that should be one; a person decides (F5)."""

from collections.abc import Sequence
from uuid import UUID

from django.utils.translation import gettext as _

from memories.consolidation.clusters import contradictions
from memories.consolidation.facts import fault
from memories.consolidation.near import between
from memories.consolidation.proposing import flag_conflict
from memories.consolidation.text import LONGEST
from memories.consolidation.writer import MergedText, merged_text
from memories.errors import Invalid
from memories.lifecycle import mergeable, propose_merge
from memories.models.flag import Flag
from memories.models.memory import Memory
from memories.permissions import Actor
from memories.policies import policy_for
from memories.writing.screen import screened
from memories.writing.store import told_apart

SECONDS = 60.0
"""That an LLM may take while somebody waits for the answer."""


def consolidate(*, actor: Actor, memory_ids: Sequence[UUID], content: str = "") -> Flag:
    """Propose one text for several memories that the actor sees, and return the open review item.

    Without `content` the text is made of them. An agent's own text must keep what they say and add
    nothing. What contradicts itself is put to a person first. Call it outside a transaction: it may
    ask an LLM and embeds. Raises NotAllowed, NotFound, Invalid, or Stale when a memory was changed
    meanwhile.
    """
    actor.require("write")
    memories = mergeable(actor=actor, memory_ids=memory_ids)
    _refuse_contradictions(actor, memories)
    written = _own(actor, memories, content) if content else _made(actor, memories)
    return propose_merge(
        actor=actor,
        memory_ids=memory_ids,
        content=written.content,
        reason="asked",
        evidence=written.evidence,
        expected_versions={memory.pk: memory.version for memory in memories},
    )


def _refuse_contradictions(actor: Actor, memories: Sequence[Memory]) -> None:
    found = contradictions(memories, between([memory.pk for memory in memories]))
    pairs = [pair for pair in found if not told_apart(pair, Flag.Kind.CONFLICT)]
    for pair in pairs:
        flag_conflict(actor, pair)
    if pairs:
        raise Invalid(
            _(
                "Some of these memories contradict one another: that was put to a person. "
                "Merge them once it is decided."
            ),
            field="memory_ids",
        )


def _made(actor: Actor, memories: Sequence[Memory]) -> MergedText:
    written = merged_text(memories, policy_for(actor.space_id)[1].consolidating, seconds=SECONDS)
    if len(written.content) > LONGEST:
        raise Invalid(
            _(
                "Together these memories have %(have)d characters, one memory has at most "
                "%(most)d: merge fewer of them."
            )
            % {"have": len(written.content), "most": LONGEST},
            field="memory_ids",
        )
    return written


def _own(actor: Actor, memories: Sequence[Memory], content: str) -> MergedText:
    """Take a person's text as it is; an agent's says what its sources say, or it is refused.

    A rule may accept merges by itself: nothing must come in that way that no source says (F5).
    """
    if actor.kind != "agent":
        return MergedText(content, {"writer": "person"})
    suspicion = screened(content)
    found = None if suspicion else fault(content, [memory.content for memory in memories])
    if suspicion or found:
        raise Invalid(
            _(
                "The text does not say exactly what these memories say (%(what)s). Keep every fact "
                "and add none, or leave content out."
            )
            % {"what": suspicion.found if suspicion else found.what if found else ""},
            field="content",
        )
    return MergedText(content, {"writer": "agent"})
