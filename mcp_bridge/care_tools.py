"""The tools that care for what is known: put away, look back, make one of many."""

from collections.abc import Mapping
from typing import Annotated, Any

from django.utils.translation import gettext as _
from mcp.types import CallToolResult

from mcp_bridge import arguments as given
from mcp_bridge import outputs
from mcp_bridge.calling import Calling, answer, joined, partly
from mcp_bridge.fitting import USUAL_TOKENS, Payload, entry, fit
from memories import consolidation, reading
from memories.errors import NotAllowed
from memories.lifecycle import delete_memory
from memories.lifecycle.exporting import steps_of
from memories.lifecycle.shelving import archive_memory, restore_memory
from memories.models.memory import Memory
from memories.payloads import consolidation_payload, memory_payload
from memories.permissions import Actor

MOST_STEPS = 50  # read for one answer


class CareTools(Calling):
    """Status, history and consolidation of memories."""

    async def memory_update_status(
        self,
        memory_id: given.Id,
        status: given.StatusTo,
        expected_version: given.VersionIfKnown = None,
        reason: given.Reason = None,
        user_id: given.User = None,
    ) -> Annotated[CallToolResult, outputs.ChangeOutput]:
        """Put a memory you wrote yourself into the archive or the trash.

        Archive what is over but was true: a finished project, an old plan. It is found no more,
        except by a search with status “archived”, and people can bring it back at any time. Delete
        only what should be gone, e.g. because the user asks to forget it. If something else is true
        now, write that instead: a contradiction is put to a person.

        What others wrote, and what people confirmed, pinned or are deciding about, only people put
        away; and only people bring a memory back (“active”).
        """

        def work(actor: Actor) -> Payload:
            acting = actor.acting_for(user_id or "")
            change = {"archived": archive_memory, "deleted": delete_memory, "active": _brought_back}
            memory = change[status](
                actor=acting,
                memory_id=memory_id,
                expected_version=expected_version,
                reason=reason or "",
            )
            return dict(memory_payload(memory))

        memory = await self._call(work, changing=True)
        [shown] = fit([memory], USUAL_TOKENS)
        notes = {
            "archived": _("Archived. Search with status “archived” finds it."),
            "deleted": _("Deleted. A person can restore it."),
        }
        return answer({"memory": shown, "note": joined(notes.get(status, ""), partly([shown]))})

    async def memory_audit(
        self,
        memory_id: given.Id,
        offset: given.Skip = None,
        user_id: given.User = None,
    ) -> Annotated[CallToolResult, outputs.AuditOutput]:
        """Look back at one memory: who wrote, changed, confirmed or questioned it, when and why.

        Use it before you rely on something surprising, or when the user asks why you believe it.
        `steps` go from the newest back; `what` is what happened, `changed` names the fields, and
        where the text changed `content` is what it said from then on. `has_more` means that older
        steps follow: call again with `offset` set to `next_offset`.
        """
        start = offset or 0

        def work(actor: Actor) -> Payload:
            acting = actor.acting_for(user_id or "")
            memory = reading.get_memory(actor=acting, memory_id=memory_id)
            steps, more = steps_of(acting, memory, start, MOST_STEPS)
            return {"memory": _brief(memory), "steps": steps, "more": more}

        found = await self._call(work)
        return answer(_audited(found, start))

    async def consolidate(
        self,
        memory_ids: given.Ids,
        content: given.Whole = None,
        user_id: given.User = None,
    ) -> Annotated[CallToolResult, outputs.ConsolidationOutput]:
        """Propose one fuller memory in place of several fragments on one topic.

        Use it when search_memory keeps returning pieces of the same thing. Name what belongs
        together and nothing else: all about one user, all in use. Leave `content` out and the text
        is made of theirs; or write it: it must keep every name, number, date and “not”, and add
        nothing. A person decides; until then the fragments stay in use, so do not write the text
        as a memory. What contradicts itself is put to a person first.
        """

        def work(actor: Actor) -> Payload:
            flag = consolidation.consolidate(
                actor=actor.acting_for(user_id or ""), memory_ids=memory_ids, content=content or ""
            )
            return dict(consolidation_payload(flag))

        proposed = await self._call(work, changing=True)
        [shown] = fit([proposed], USUAL_TOKENS, entry)
        waits = _("A person decides; until then these memories stay in use.")
        left = _("The text is shown in part.") if "left" in shown else ""
        named = ("flag", "content", "memory_ids")
        return answer({name: shown[name] for name in named} | {"note": joined(waits, left)})


def _brought_back(*, actor: Actor, **asked: Any) -> Memory:
    """Bring it back for whoever may; an agent is told what to do instead of what it lacks."""
    try:
        return restore_memory(actor=actor, **asked)
    except NotAllowed as error:
        raise NotAllowed(
            _(
                "Only a person brings a memory back, on its page. If it holds, write what you know "
                "as a new memory."
            )
        ) from error


def _brief(memory: Memory) -> Payload:
    whole: Mapping[str, Any] = memory_payload(memory)
    shown = ("id", "version", "status", "source", "confidence", "disputed", "recall_count")
    return {name: whole[name] for name in shown}


def _audited(found: Payload, start: int) -> Payload:
    shown = fit(found["steps"], USUAL_TOKENS, entry)
    end = start + len(shown)
    more = found["more"] or len(shown) < len(found["steps"])
    notes = [
        _("Older steps follow: call again with offset %(offset)d.") % {"offset": end}
        if more
        else "",
        _("Texts with `left` are shown in part.") if any("left" in step for step in shown) else "",
    ]
    return {
        "memory": found["memory"],
        "steps": shown,
        "has_more": more,
        "next_offset": end,
        "note": joined(*notes),
    }
