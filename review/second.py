"""Two people: a text that a person wrote by hand needs somebody else's word (G4)."""

from collections.abc import Iterable
from uuid import UUID

from django.utils.translation import gettext as _

from memories.errors import Stale
from memories.lifecycle import Ruling, Settled, update_memory
from memories.models.flag import Flag
from memories.models.memory import MemoryVersion
from memories.permissions import Actor
from memories.policies import policy_for
from review.kinds.base import Offer
from review.models import Claim
from review.queue import get_flag


def wants_second(actor: Actor, offer: Offer) -> bool:
    """Whether a text written with this decision has to wait for somebody else."""
    return offer.takes_text and policy_for(actor.space_id)[1].review.two_people


def propose(
    *, actor: Actor, flag: Flag, ruling: Ruling, expected_versions: tuple[int, ...]
) -> Settled:
    """Make a person's text the next version of the flag's memory; the flag stays open for another.

    Raises Stale when the memory changed since the person saw it.
    """
    if flag.status != Flag.Status.OPEN:
        raise Stale(_("This was decided meanwhile: %(what)s.") % {"what": flag.resolution})
    content = ruling.text.content if ruling.text else flag.memory.content
    update_memory(
        actor=actor,
        memory_id=flag.memory_id,
        expected_version=expected_versions[0],
        content=content,
        reason=ruling.note or _("proposed; somebody else has to approve it"),
    )
    Claim.objects.filter(flag=flag).delete()
    now = get_flag(actor, flag.pk)
    memories = (now.memory, now.counterpart) if now.counterpart else (now.memory,)
    return Settled(now, memories, flag.pk)


def second_person_missing(actor: Actor, flag: Flag, offer: Offer) -> str:
    """Return why this person may not decide so alone, "" when they may.

    Who wrote a text by hand may reject it, but not be the only one who believes it.
    """
    if offer.takes_reason or not policy_for(actor.space_id)[1].review.two_people:
        return ""
    if authors_of([flag.memory_id]).get(flag.memory_id) != actor.id:
        return ""
    return wrote_it_alone()


def wrote_it_alone() -> str:
    """Return the sentence for whoever would approve a text of their own."""
    return _("You wrote this text: in this space somebody else has to approve it.")


def authors_of(memory_ids: Iterable[UUID]) -> dict[UUID, UUID | None]:
    """Return the people who wrote the present texts of memories by hand, None where nobody did."""
    said = MemoryVersion.objects.filter(memory__in=memory_ids).order_by("memory_id", "number")
    texts: dict[UUID, str] = {}
    authors: dict[UUID, UUID | None] = {}
    columns = ("memory_id", "content", "actor_kind", "actor_id")
    for key, content, actor_kind, actor_id in said.values_list(*columns):
        if texts.get(key) != content:
            texts[key], authors[key] = content, actor_id if actor_kind == "user" else None
    return authors
