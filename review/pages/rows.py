"""The lines of the queue, made ready for its template."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count
from django.utils.text import Truncator

from memories.models.flag import Flag
from memories.models.memory import Memory
from memories.permissions import Actor
from memories.text.diff import Piece, word_diff
from review.claims import claimed_by_other
from review.kinds import kind_of, reason_sentence, short_reason
from review.models import Claim, Comment, Decision
from review.pages.closed import closed
from review.queue import decision_of

# How much of a text the queue shows.
SHORT = 160


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the queue: the beginnings of both texts compared.

    `claim` is someone else's; `verdict` says how it was closed, "" while it is open.
    """

    flag: Flag
    reason: str
    sentence: str
    pieces: Sequence[Piece]
    claim: Claim | None
    recalls: int
    comments: int
    verdict: str
    decision: Decision | None

    @property
    def undoable(self) -> bool:
        """Whether what was decided can be taken back."""
        return self.decision is not None and self.decision.operation is not None


def rows_of(flags: Sequence[Flag], actor: Actor) -> list[Row]:
    """Return the queue's lines for flags that were loaded by waiting()."""
    said = _comments_on(flags)
    return [_row(flag, actor, said.get(flag.pk, 0)) for flag in flags]


def _comments_on(flags: Iterable[Flag]) -> dict[object, int]:
    counted = Comment.objects.filter(flag__in=flags).order_by().values_list("flag")
    return dict(counted.annotate(Count("pk")))


def _row(flag: Flag, actor: Actor, comments: int) -> Row:
    sides = [flag.memory, flag.counterpart] if flag.counterpart else [flag.memory]
    return Row(
        flag=flag,
        reason=short_reason(flag),
        sentence=reason_sentence(flag),
        pieces=_pieces(flag),
        claim=claimed_by_other(flag, actor),
        recalls=sum(memory.recall_count for memory in sides),
        comments=comments,
        verdict=_verdict(flag),
        decision=decision_of(flag),
    )


def _pieces(flag: Flag) -> Sequence[Piece]:
    """Return the beginnings of both texts compared, or of the only one."""
    new = _beginning(flag.memory)
    if flag.counterpart is None:
        return [Piece("both", new)]
    return word_diff(_beginning(flag.counterpart), new)


def _beginning(memory: Memory) -> str:
    return Truncator(memory.content).chars(SHORT)


def _verdict(flag: Flag) -> str:
    """Return what was decided in the words of the flag's own kind: each approves something else."""
    offer = kind_of(flag).offer(flag.resolution)
    return str(offer.done) if offer else closed(flag.resolution)
