"""What a session must not bring (back) as new: what was recalled into it, and what people ended."""

from collections.abc import Iterable, Sequence

from django.db.models import F, Q, QuerySet
from pgvector.django import CosineDistance

from memories.models.memory import Memory, Source, Status
from memories.models.recall import Hit
from memories.models.session import Session
from memories.text.clean import bare
from memories.text.tokens import tokenize
from memories.writing.compare import compare
from memories.writing.judge import statement_of, thresholds_for

# Of what is like the candidate so many are compared, nearest first.
NEAREST = 5


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


def echo_of(memory: Memory, recalled: "QuerySet[Memory]") -> Memory | None:
    """Return the recalled memory that this one only repeats (B9), if any.

    What a user says again in other words is no echo but a confirmation; the same words are one,
    whoever says them.
    """
    own_words = memory.source == Source.USER_INPUT
    for known in _nearest(memory, recalled):
        if _same_words(memory, known) or (not own_words and _adds_nothing(memory, known)):
            return known
    return None


def tombstone_of(memory: Memory) -> Memory | None:
    """Return the ended memory that this one says again, if any (B9)."""
    return next(
        (known for known in _nearest(memory, ended_like(memory)) if _repeats(memory, known)), None
    )


def _nearest(memory: Memory, rows: "QuerySet[Memory]") -> Iterable[Memory]:
    same = rows.filter(content_hash=memory.content_hash)
    near = rows.filter(embedding_model=memory.embedding_model, embedding__isnull=False)
    near = near.annotate(distance=CosineDistance(F("embedding"), memory.embedding))
    return [*same[:1], *near.order_by("distance")[:NEAREST]]


def _repeats(memory: Memory, known: Memory) -> bool:
    thresholds = thresholds_for(memory.embedding_model)
    distance = getattr(known, "distance", None)
    cosine = None if distance is None else 1.0 - distance
    verdict = compare(statement_of(memory), statement_of(known), cosine, thresholds)
    return verdict.kind == "duplicate"


def _same_words(memory: Memory, known: Memory) -> bool:
    return bare(memory.content).casefold() in bare(known.content).casefold()


def _adds_nothing(memory: Memory, known: Memory) -> bool:
    return _repeats(memory, known) or not _new_words(tokenize(memory.content), known)


def _new_words(words: Sequence[str], known: Memory) -> set[str]:
    return set(words) - set(tokenize(known.content))
