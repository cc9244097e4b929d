"""Compare a statement with what is known: contradictions first, then repetitions (B7, E3)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from memories.embedding.profiles import profile_for
from memories.models.memory import Memory
from memories.policies import WritingPolicy
from memories.writing.compare import Statement, Thresholds, Verdict, compare
from memories.writing.neighbours import Neighbour, neighbours


@dataclass(frozen=True, slots=True)
class Related:
    """Two memories of one owner and what the later one is to the earlier."""

    new: Memory
    old: Memory
    verdict: Verdict
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a statement is to the memories around it."""

    conflicts: tuple[Related, ...] = ()
    repeats: Related | None = None


def statement_of(memory: Memory) -> Statement:
    """Return what compare() needs to know of a memory."""
    return Statement(content=memory.content, subject=memory.subject)


def thresholds_for(model: str) -> Thresholds:
    """Return the similarity thresholds that belong to an embedding model."""
    profile = profile_for(model)
    return Thresholds(
        conflict_gate=profile.conflict_gate,
        duplicate=profile.duplicate,
        cross_duplicate=profile.cross_lingual,
    )


def judge(memory: Memory, policy: WritingPolicy, *, as_told: bool = False) -> Judgement:
    """Compare a memory (stored or not yet) with its neighbours.

    It is taken as the latest word; `as_told` puts each pair in the order in which it was written,
    for a memory that waited for its embedding.
    """
    return judged(memory, neighbours(memory, policy), policy, as_told=as_told)


def judged(
    memory: Memory, near: Iterable[Neighbour], policy: WritingPolicy, *, as_told: bool = False
) -> Judgement:
    """Compare a memory with these neighbours of its own; see judge()."""
    related = [_related(memory, each, as_told) for each in near]
    conflicts = _nearest(pair for pair in related if pair.verdict.kind == "conflict")
    repeats = [
        pair for pair in related if pair.verdict.kind == "duplicate" or said_again(pair, policy)
    ]
    if conflicts or not repeats:
        return Judgement(conflicts[: policy.most_conflicts])
    return Judgement(repeats=_nearest(repeats)[0])


def _nearest(pairs: Iterable[Related]) -> tuple[Related, ...]:
    return tuple(sorted(pairs, key=lambda pair: pair.cosine or 0.0, reverse=True))


def _related(memory: Memory, near: Neighbour, as_told: bool) -> Related:
    # Keys are UUIDv7: they sort by the time of writing.
    if as_told and near.memory.pk > memory.pk:
        return related(near.memory, memory, near.cosine)
    return related(memory, near.memory, near.cosine)


def related(new: Memory, old: Memory, cosine: float | None) -> Related:
    """Compare two memories; `cosine` is None where their embeddings cannot be compared."""
    thresholds = thresholds_for(new.embedding_model or old.embedding_model)
    verdict = compare(statement_of(new), statement_of(old), cosine, thresholds)
    return Related(new, old, verdict, cosine)


def said_again(pair: Related, policy: WritingPolicy) -> bool:
    """Whether both speak of one subject within the policy's hours, and nearly alike (B7).

    The subject alone is not enough: "alice" may be the subject of two facts on one day.
    """
    if not pair.new.subject or pair.new.subject.casefold() != pair.old.subject.casefold():
        return False
    nearly = thresholds_for(pair.new.embedding_model).duplicate - policy.same_subject_margin
    since = timezone.now() - timedelta(hours=policy.same_subject_hours)
    return pair.cosine is not None and pair.cosine >= nearly and pair.old.created_at >= since
