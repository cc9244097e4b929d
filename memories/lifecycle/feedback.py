"""Feedback on a memory (C6): useful, wrong or no longer true; a complaint is put to people."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from memories import history
from memories.errors import Invalid
from memories.inputs import MAX_NAME, one_of, short_text
from memories.models.feedback import COMPLAINTS, Feedback
from memories.models.flag import Flag
from memories.models.memory import LIVE, Memory, MemoryVersion
from memories.models.recall import Recall
from memories.permissions import Actor
from memories.reading import missing
from memories.recall import logbook

MAX_NOTE = 300


def give_feedback(
    *,
    actor: Actor,
    memory_id: UUID,
    verdict: str,
    note: str = "",
    recall_id: UUID | None = None,
    user_id: str = "",
) -> Feedback:
    """Say of a memory one sees that it was useful, wrong or stale; it changes nothing by itself.

    Each has one voice on a version: saying it again replaces it. A complaint about a memory in use
    opens a review item, or joins the one that is open. `recall_id` names the recall that returned
    it. Raises Invalid, NotFound or NotAllowed.
    """
    actor.require("write")
    actor = actor.acting_for(short_text(user_id, "user_id", MAX_NAME))
    verdict = one_of(verdict, Feedback.Verdict.values, "verdict")
    note = short_text(note, "note", MAX_NOTE)
    if recall_id is not None:
        logbook.written(recall_id)  # before the memory is locked, for which the log would wait
    with transaction.atomic(), history.together():
        memory = _locked(actor, memory_id)
        recall = None if recall_id is None else _recall(actor, recall_id, memory)
        given = _said(memory, actor, {"verdict": verdict, "note": note, "recall": recall})
        history.log(actor, "feedback", memory, version=memory.version, verdict=verdict)
        _tell_people(given, memory, actor)
    return given


def _locked(actor: Actor, memory_id: UUID) -> Memory:
    """Return the locked memory; of what is withheld nobody has an opinion yet."""
    rows = Memory.objects.visible_to(actor).filter(pk=memory_id, withheld=False)
    memory: Memory | None = rows.select_for_update(of=("self",)).first()
    if memory is None:
        raise missing()
    return memory


def _recall(actor: Actor, recall_id: UUID, memory: Memory) -> Recall:
    """Return a recall that returned the memory: one's own, or any for who may read the log."""
    rows = Recall.objects.filter(pk=recall_id, space_id=actor.space_id, hits__memory=memory)
    if "see_private" not in actor.verbs:
        rows = rows.filter(actor_kind=actor.kind, actor_id=actor.id)
    recall = rows.first()
    if recall is None:
        raise Invalid(
            _("No search of yours with this recall_id returned this memory: leave it out."),
            field="recall_id",
        )
    return recall


def _said(memory: Memory, actor: Actor, said: dict[str, object]) -> Feedback:
    """Replace the actor's voice; whoever insists has said it since the first time.

    Who changes sides says it from now on: what was recalled before was not recalled in spite of it.
    """
    voice: dict[str, Any] = {
        "memory": memory,
        "memory_version": memory.version,
        "actor_kind": actor.kind,
        "actor_id": actor.id,
    }
    complaints = Q(verdict__in=COMPLAINTS)
    turned = ~complaints if said["verdict"] in COMPLAINTS else complaints
    Feedback.objects.filter(turned, **voice).delete()
    said |= {"actor_name": actor.name}
    given, _created = Feedback.objects.update_or_create(**voice, defaults=said)
    return given


def _tell_people(given: Feedback, memory: Memory, actor: Actor) -> None:
    """Open a review item for a complaint, or bring the open one up to date with all voices."""
    complaint = given.verdict in COMPLAINTS
    opened = Flag.objects.open().select_for_update().filter(kind=Flag.Kind.FEEDBACK, memory=memory)
    flag: Flag | None = opened.first()
    if flag is not None:
        _join(flag, given, memory, complaint=complaint)
    elif complaint and memory.status in LIVE and not _answered(memory, actor):
        history.open_flag(
            Flag(
                kind=Flag.Kind.FEEDBACK,
                space_id=memory.space_id,
                memory=memory,
                memory_version=memory.version,
                reason=given.verdict,
                evidence={"by": given.actor_name, "note": given.note, "voices": 1},
            ),
            actor=actor,
            verb="questioned",
        )


def _join(flag: Flag, given: Feedback, memory: Memory, *, complaint: bool) -> None:
    # A voice without a word does not push out one that says why.
    if complaint and (given.note or not flag.evidence.get("note")):
        flag.reason = given.verdict
        flag.evidence = flag.evidence | {"by": given.actor_name, "note": given.note}
    voices = _complaints(memory).values("actor_kind", "actor_id").distinct().count()
    flag.evidence = flag.evidence | {"voices": voices}
    flag.save(update_fields=["reason", "evidence"])


def _complaints(memory: Memory) -> "QuerySet[Feedback]":
    """Return the complaints about what the memory says now, whatever else of it changed."""
    return Feedback.objects.filter(
        memory=memory, memory_version__in=_same_text(memory), verdict__in=COMPLAINTS
    ).order_by()


def _same_text(memory: Memory) -> "QuerySet[Any]":
    said: QuerySet[MemoryVersion] = MemoryVersion.objects.filter(
        memory=memory, content=memory.content
    )
    return said.order_by().values("number")


def _answered(memory: Memory, actor: Actor) -> bool:
    """Whether people kept this very text after this actor had complained about it."""
    kept = Flag.objects.filter(
        kind=Flag.Kind.FEEDBACK,
        memory=memory,
        memory_version__in=_same_text(memory),
        resolution="keep",
        resolved_at__gte=OuterRef("created_at"),
    )
    before = _complaints(memory).filter(actor_kind=actor.kind, actor_id=actor.id)
    return before.filter(Exists(kept)).exists()
