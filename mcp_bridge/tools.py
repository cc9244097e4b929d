"""The tools on memories: each reads its arguments, makes one service call, renders the result.

Their descriptions are part of the protocol, written for models; they stay in English like the
names of the arguments. What a person may have to read, refusals and notes, is translated.
"""

from typing import Annotated

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from mcp.types import CallToolResult

from mcp_bridge import arguments as given
from mcp_bridge import outputs
from mcp_bridge.calling import Calling, answer, joined, partly, stated
from mcp_bridge.fitting import MOST_TOKENS, USUAL_TOKENS, Payload, fit, fit_results, page
from memories import lifecycle, reading, writing
from memories.errors import Invalid
from memories.models.memory import Status
from memories.payloads import batch_payload, feedback_payload, memory_payload, write_payload
from memories.permissions import Actor
from memories.recall import recall
from memories.recall.payload import recall_payload


class MemoryTools(Calling):
    """Writing, searching, reading and changing memories."""

    async def write_memory(
        self,
        content: given.Content,
        kind: given.KindOf = None,
        subject: given.Subject = None,
        source: given.SourceOf = None,
        confidence: given.Confidence = None,
        user_id: given.User = None,
        tags: given.Tags = None,
        reflection: given.Reflection = None,
        happened_at: given.HappenedAt = None,
        visibility: given.VisibilityOf = None,
        session: given.WrittenIn = None,
        idempotency_key: given.IdempotencyKey = None,
    ) -> Annotated[CallToolResult, outputs.WriteOutput]:
        """Keep something worth knowing in later sessions.

        Store long-term preferences, key facts, hard constraints, decisions, what made a task
        succeed or fail, and procedures that worked. Do not store greetings, one-off results,
        secrets, or what you just recalled. One memory is one idea: aim under 200 characters and
        call again for the next idea. Make it understandable without this conversation: name who
        and what, write dates instead of “yesterday”. Always name the source.

        The answer's `outcome`: “created”; “duplicate”, exactly this is already known; “reinforced”,
        this is known in other words and that memory was strengthened; “flagged”, a person decides:
        it contradicts what is known, so both are kept, marked as disputed, or it looks suspicious
        and is kept from every agent – `reason` says which, do not write it again. `memory` is what
        now holds the statement; keep its id and version to change it. An error means that nothing
        was stored and says why.
        """

        def work(actor: Actor) -> Payload:
            said = {
                "kind": kind,
                "subject": subject,
                "source": source,
                "confidence": confidence,
                "user_id": user_id,
                "tags": tags,
                "reflection": reflection,
                "happened_at": happened_at,
                "visibility": visibility,
                "session": session,
                "idempotency_key": idempotency_key,
            }
            result = writing.write_memory(actor=actor, content=content, **stated(said))
            return dict(write_payload(result))

        result = await self._call(work)
        return answer(_with_memory(result, _later(result["degraded"])))

    async def write_memories(
        self,
        memories: given.Statements,
        user_id: given.User = None,
    ) -> Annotated[CallToolResult, outputs.WriteManyOutput]:
        """Keep several things at once, each as write_memory would: up to 100 in one call.

        Use it when you have more than one idea to keep, e.g. at the end of a task. Each is judged
        with those before it. `user_id` goes for every memory that does not name its own.

        `results` are in the order of `memories`. Each has the `outcome` of write_memory, and of
        `memory` what is needed to change it; or it is an `error`: that one was not stored and its
        `field` names the place, such as “memories[3].confidence”; the others were. `counts` says
        how many ended in which way. Give each an `idempotency_key` and a repeated call adds
        nothing. An error of the whole call means that nothing was stored.
        """

        def work(actor: Actor) -> Payload:
            shared = stated({"user_id": user_id})
            said = [one if isinstance(one, Invalid) else shared | one for one in memories]
            return dict(batch_payload(writing.write_each(actor=actor, statements=said)))

        return answer(_written(await self._call(work)))

    async def search_memory(
        self,
        query: given.Query,
        top_k: given.TopK = None,
        user_id: given.User = None,
        kind: given.OnlyKind = None,
        tags: given.OnlyTags = None,
        since: given.Since = None,
        until: given.Until = None,
        session: given.OnlySession = None,
        current_session: given.CurrentSession = None,
        agent: given.OnlyAgent = None,
        min_confidence: given.MinConfidence = None,
        status: given.OnlyStatus = None,
    ) -> Annotated[CallToolResult, outputs.SearchOutput]:
        """Recall what is known, best first. Do this before a task, and before asking the user.

        Each hit has content, source, confidence 0–1, when it happened and its age, and why it was
        found: weigh “3 months ago, llm_summary” against “today, user_input”. `disputed` means that
        another memory contradicts it and no person has decided yet: do not rely on it, tell the
        user about both. No hits is an honest answer: nothing relevant is known.

        `degraded` means that only words were compared, not meanings: try other words. `left` on a
        hit says how many characters of a long text are not shown; get_memory shows them. `has_more`
        means that `left_out` further hits did not fit into this answer.
        """

        def work(actor: Actor) -> Payload:
            filters = reading.Filters(
                kinds=(kind,) if kind else (),
                tags=tags or (),
                statuses=(status,) if status else (),
                agent=agent or "",
                session=session or "",
                since=since,
                until=until,
                min_confidence=min_confidence or 0.0,
            )
            found = recall(
                actor=actor,
                query=query,
                user_id=user_id or "",
                filters=filters,
                top_k=top_k,
                session=current_session or "",
            )
            return dict(recall_payload(found))

        found = await self._call(work)
        return answer(_search_result(found, USUAL_TOKENS if top_k is None else MOST_TOKENS))

    async def get_memory(
        self,
        memory_id: given.Id,
        user_id: given.User = None,
        offset: given.Offset = None,
    ) -> Annotated[CallToolResult, outputs.MemoryOutput]:
        """Read one memory in full, with its present version and status.

        Needed before update_memory, and for texts that search_memory showed in part. `has_more`
        means that the content goes on: call again with `offset` set to `next_offset`.
        `replaced_by` leads to the memory that took its place.
        """

        def work(actor: Actor) -> Payload:
            acting = actor.acting_for(user_id or "")
            return dict(memory_payload(reading.get_memory(actor=acting, memory_id=memory_id)))

        return answer(_page_result(await self._call(work), offset or 0))

    async def update_memory(
        self,
        memory_id: given.Id,
        expected_version: given.ExpectedVersion,
        content: given.NewContent = None,
        kind: given.NewKind = None,
        subject: given.Subject = None,
        tags: given.NewTags = None,
        reflection: given.Reflection = None,
        reason: given.Reason = None,
        user_id: given.User = None,
    ) -> Annotated[CallToolResult, outputs.ChangeOutput]:
        """Correct a memory you wrote yourself. Arguments left out stay as they are.

        The old text stays in the history. For what others wrote, or what people confirmed or are
        deciding about, write what you know as a new memory instead: a contradiction is put to a
        person. When the version is stale the error shows the present text: read it, then decide.
        """

        def work(actor: Actor) -> Payload:
            changes = {
                "content": content,
                "kind": kind,
                "subject": subject,
                "tags": tags,
                "reflection": reflection,
                "reason": reason,
            }
            memory = lifecycle.update_memory(
                actor=actor.acting_for(user_id or ""),
                memory_id=memory_id,
                expected_version=expected_version,
                **stated(changes),
            )
            return dict(memory_payload(memory))

        memory = await self._call(work, changing=True)
        note = ""
        if memory["disputed"]:
            note = _("It now contradicts another memory: both are disputed, and a person decides.")
        elif memory["status"] == Status.PENDING:
            note = _("It looks suspicious now: kept from every agent until a person looked at it.")
        return answer(_with_memory({"memory": memory}, note))

    async def delete_memory(
        self,
        memory_id: given.Id,
        expected_version: given.VersionIfKnown = None,
        reason: given.Reason = None,
        user_id: given.User = None,
    ) -> Annotated[CallToolResult, outputs.ChangeOutput]:
        """Delete a memory you wrote yourself, e.g. when the user asks to forget it.

        It disappears from every search at once; a person can restore it for a while. If it was
        merely wrong or has changed, update it or write the new fact instead.
        """

        def work(actor: Actor) -> Payload:
            memory = lifecycle.delete_memory(
                actor=actor.acting_for(user_id or ""),
                memory_id=memory_id,
                expected_version=expected_version,
                reason=reason or "",
            )
            return dict(memory_payload(memory))

        deleted = await self._call(work, changing=True)
        return answer(_with_memory({"memory": deleted}, _("Deleted. A person can restore it.")))

    async def give_feedback(
        self,
        memory_id: given.Id,
        verdict: given.VerdictOn,
        note: given.Complaint = None,
        recall_id: given.RecallId = None,
        user_id: given.User = None,
    ) -> Annotated[CallToolResult, outputs.FeedbackOutput]:
        """Say of a memory that you recalled whether it was useful, wrong or is no longer true.

        Call it when a memory helped you, and whenever the user or a tool result shows that one is
        wrong or stale. It changes nothing by itself: a complaint is put to a person, and until they
        decide the memory stays in use (`under_review`). If you know what is true instead, also
        write that as a new memory. Saying it again replaces what you said.
        """

        def work(actor: Actor) -> Payload:
            said = lifecycle.give_feedback(
                actor=actor,
                memory_id=memory_id,
                verdict=verdict,
                note=note or "",
                recall_id=recall_id,
                user_id=user_id or "",
            )
            return dict(feedback_payload(said))

        said = await self._call(work)
        under_review = _("A person will decide whether it holds.") if said["under_review"] else ""
        shown = ("id", "memory_id", "version", "verdict", "under_review")
        return answer({name: said[name] for name in shown} | {"note": under_review})


def _with_memory(result: Payload, *notes: str) -> Payload:
    [memory] = fit([result["memory"]], USUAL_TOKENS)
    return result | {"memory": memory, "note": joined(*notes, partly([memory]))}


def _written(found: Payload) -> Payload:
    results = found["results"]
    shown = fit_results(results)
    refused, degraded = found["counts"]["refused"], any(one.get("degraded") for one in results)
    notes = [
        _refusals(refused),
        _later(degraded),
        _("Reasons are shown in part.")
        if any("left" in one.get("error", one) for one in shown)
        else "",
    ]
    counts = {"counts": found["counts"], "degraded": degraded}
    return {"results": shown} | counts | {"note": joined(*notes)}


def _search_result(found: Payload, limit: int) -> Payload:
    hits = fit(found["hits"], limit)
    left_out = len(found["hits"]) - len(hits)
    notes = [
        "" if hits else _("Nothing relevant is known."),
        _("The embedder is away, so only words were compared.") if found["degraded"] else "",
        _left_out(left_out, widened=limit == MOST_TOKENS),
        partly(hits),
    ]
    more = {"hits": hits, "has_more": left_out > 0, "left_out": left_out, "note": joined(*notes)}
    return found | {"recall_id": found["recall_id"] or ""} | more


def _page_result(memory: Payload, offset: int) -> Payload:
    shown = page(memory, offset)
    end = offset + len(shown["content"])
    left = shown.get("left", {})
    notes = []
    if "content" in left:
        notes.append(
            _("%(left)d characters of content follow: call again with offset %(offset)d.")
            % {"left": left["content"], "offset": end}
        )
    if "metadata" in left:
        notes.append(_("The metadata is too long to be shown here; REST returns it."))
    return {
        "memory": shown,
        "offset": offset,
        "next_offset": end,
        "has_more": "content" in left,
        "note": joined(*notes),
    }


def _refusals(count: int) -> str:
    if not count:
        return ""
    said = ngettext("%(n)d was refused: see its error.", "%(n)d were refused: see errors.", count)
    return said % {"n": count}


def _later(degraded: bool) -> str:
    if not degraded:
        return ""
    return _("The embedder is away: this is compared with what is known as soon as it is back.")


def _left_out(count: int, *, widened: bool) -> str:
    if not count:
        return ""
    said = ngettext("%(n)d more hit did not fit.", "%(n)d more hits did not fit.", count)
    advice = _("Narrow the question or its filters.") if widened else _("Give top_k to see more.")
    return f"{said % {'n': count}} {advice}"
