"""What a session must not bring (back) as new: what was recalled into it, and what people ended."""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from memories.models.memory import Memory, Source, Status
from memories.models.recall import Hit
from memories.models.session import Session
from memories.text.clean import bare
from memories.text.tokens import tokenize
from memories.writing.lessons import NEAREST, repeats, said_before
from memories.writing.neighbours import Neighbour, nearest
from memories.writing.tombstones import was_purged


def recalled_into(session: Session) -> "QuerySet[Memory]":
    """Return every memory that a recall of this session returned, whatever became of it since."""
    hits = Hit.objects.filter(
        recall__space_id=session.space_id,
        recall__session=session.key,
        recall__actor_id=session.agent_id,
        recall__user_id=session.user_id,  # another user's session may have the same name (D1)
    )
    rows: QuerySet[Memory] = Memory.objects.filter(pk__in=hits.values("memory_id"))
    return rows


def ended_like(memory: Memory) -> "QuerySet[Memory]":
    """Return the owner's memories that were deleted or overturned, or superseded since (B9).

    A superseded one only bars what was said before that: later it may be true again, and then the
    comparison with its successor puts it to a person.
    """
    rows: QuerySet[Memory] = Memory.objects.owned_like(memory).filter(
        Q(status__in=(Status.DELETED, Status.OVERTURNED))
        | Q(status=Status.SUPERSEDED, updated_at__gt=memory.happened_at)
    )
    return rows


def barred(memory: Memory, recalled: "QuerySet[Memory]") -> tuple[str, Memory | None] | None:
    """Return why a session must not bring this memory, and the one it repeats unless that is gone.

    None when it may.
    """
    if was_purged(memory):
        return "tombstone", None
    ended = tombstone_of(memory)
    if ended is not None:
        return "tombstone", ended
    echoed = echo_of(memory, recalled)
    return None if echoed is None else ("echo", echoed)


def echo_of(memory: Memory, recalled: "QuerySet[Memory]") -> Memory | None:
    """Return the recalled memory that this one only repeats (B9), if any.

    What a user says again in other words is no echo but a confirmation; the same words are one,
    whoever says them.
    """
    own_words = memory.source == Source.USER_INPUT
    for near in nearest(memory, recalled, NEAREST):
        if _same_words(memory, near.memory) or (not own_words and _adds_nothing(memory, near)):
            return near.memory
    return None


def tombstone_of(memory: Memory) -> Memory | None:
    """Return the ended memory that this one says again, if any (B9)."""
    return said_before(memory, ended_like(memory))


def _same_words(memory: Memory, known: Memory) -> bool:
    return bare(memory.content).casefold() in bare(known.content).casefold()


def _adds_nothing(memory: Memory, near: Neighbour) -> bool:
    return repeats(memory, near) or not _new_words(tokenize(memory.content), near.memory)


def _new_words(words: Sequence[str], known: Memory) -> set[str]:
    return set(words) - set(tokenize(known.content))
