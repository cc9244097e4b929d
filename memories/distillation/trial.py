"""What other numbers would have made of a space's newest candidates, and what people thought of
those. Nothing is stored."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.db.models import OuterRef, Q, Subquery

from memories.distillation.again import JUDGED, Outcome, again
from memories.models.distillation import Candidate
from memories.models.memory import LIVE, WIDE, Memory, MemoryVersion, Status
from memories.permissions import Actor
from memories.policies import PolicyNumbers
from memories.sessions.reading import sessions_of
from memories.text.clean import fingerprint

MOST = 200
Judged = Literal["approved", "rejected", ""]


@dataclass(frozen=True, slots=True)
class Moved:
    """A candidate that fares otherwise, and what people said of the memory with its words."""

    candidate: Candidate
    was: Outcome
    now: Outcome
    judged: Judged = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """`weighed` candidates; how many of them get which verdict by the present numbers and by the
    tried ones; those that fare otherwise, newest first."""

    weighed: int
    before: Mapping[str, int]
    after: Mapping[str, int]
    moved: Sequence[Moved]

    def became(self, verdict: str) -> list[Moved]:
        """Return those that get this verdict now."""
        return [one for one in self.moved if one.now.verdict == verdict]


def try_numbers(
    *, actor: Actor, present: PolicyNumbers, tried: PolicyNumbers, most: int = MOST
) -> Trial:
    """Weigh the newest candidates that an actor may see, at most `most`, by both policies.

    What a distiller itself dropped, and what was rejected or recalled before, no number changes:
    it is left out.
    """
    candidates = _newest(actor, most)
    before = _outcomes(candidates, present)
    after = _outcomes(candidates, tried)
    moved = [one for one in candidates if before[one.pk].verdict != after[one.pk].verdict]
    judged = _judged(actor, moved)
    return Trial(
        len(candidates),
        Counter(outcome.verdict for outcome in before.values()),
        Counter(outcome.verdict for outcome in after.values()),
        [Moved(one, before[one.pk], after[one.pk], judged.get(one.pk, "")) for one in moved],
    )


def _newest(actor: Actor, most: int) -> list[Candidate]:
    seen = Candidate.objects.filter(run__session__in=sessions_of(actor), reason__in=JUDGED)
    return list(seen.select_related("run__session").order_by("-id")[:most])


def _outcomes(candidates: Sequence[Candidate], policy: PolicyNumbers) -> dict[UUID, Outcome]:
    as_it_was = {one.pk: Outcome(one.verdict, one.reason) for one in candidates}
    otherwise = again(candidates, policy.distilling, policy.writing)
    return as_it_was | {found.candidate.pk: found.now for found in otherwise}


def _judged(actor: Actor, candidates: Sequence[Candidate]) -> dict[UUID, Judged]:
    """Return what people said, by candidate: of the memory it became, else of one that says the
    same of the same user."""
    became = {one.memory_id for one in candidates if one.memory_id}
    said = {fingerprint(one.content) for one in candidates if one.content}
    known = _known(actor, Q(pk__in=became) | Q(content_hash__in=said))
    by_id = {memory.pk: memory for memory in known}
    by_words = {(memory.user_id, memory.content_hash): memory for memory in known}
    found: dict[UUID, Judged] = {}
    for one in candidates:
        words = (one.run.session.user_id, fingerprint(one.content))
        memory = by_id.get(one.memory_id) if one.memory_id else by_words.get(words)
        if memory is not None:
            found[one.pk] = _said_of(memory)
    return found


def _known(actor: Actor, which: Q) -> list[Memory]:
    newest = MemoryVersion.objects.filter(memory=OuterRef("pk"), number=OuterRef("version"))
    memories = Memory.objects.visible_to(actor).filter(which).defer(*WIDE)
    changed_by = Subquery(newest.values("actor_kind")[:1])
    return list(memories.annotate(changed_by=changed_by).order_by("pk"))


def _said_of(memory: Memory) -> Judged:
    ended: Iterable[str] = (Status.OVERTURNED, Status.DELETED)
    if memory.status in ended:
        return "rejected" if getattr(memory, "changed_by", "") == "user" else ""
    return "approved" if memory.confirmed_at and memory.status in LIVE else ""
