"""A memory got another text: its open flags are compared again, so that none is stale (G3)."""

from django.db.models import QuerySet
from django.utils import timezone
from pgvector.django import CosineDistance

from memories import history
from memories.lifecycle.deleting import drop_proposal, release
from memories.models.flag import Flag
from memories.models.memory import Memory, vector_of
from memories.permissions import Actor
from memories.writing.judge import Related, related

# What a flag says when the comparison that opened it no longer does.
SETTLED_ITSELF = "settled_itself"
_SAME = {Flag.Kind.CONFLICT: "conflict", Flag.Kind.NEAR_DUPLICATE: "duplicate"}


def rebase_flags(memory: Memory, actor: Actor) -> None:
    """Bring every open flag about a locked memory's former text to its present one, or close it."""
    opened: QuerySet[Flag] = Flag.objects.open().about(memory)
    for flag in opened.select_for_update(of=("self",)).order_by("pk"):
        if flag.kind == Flag.Kind.MERGE:
            _withdraw_proposal(flag, memory, actor)
        elif flag.counterpart_id is None:
            _moved(flag, actor)
        else:
            _compare_again(flag, actor)


def _moved(flag: Flag, actor: Actor, **fields: object) -> None:
    """The flag is about the present versions now; its evidence says since when."""
    memory = Memory.objects.only("version").get(pk=flag.memory_id)
    was, flag.memory_version = flag.memory_version, memory.version
    if flag.counterpart_id is not None:
        flag.counterpart_version = (
            Memory.objects.only("version").get(pk=flag.counterpart_id).version
        )
    for name, value in fields.items():
        setattr(flag, name, value)
    flag.evidence = flag.evidence | {
        "rebased": {"from": was, "to": memory.version, "at": timezone.now().isoformat()}
    }
    flag.save()
    history.log(actor, "flag_rebased", flag.memory, flag=str(flag.pk))


def _compare_again(flag: Flag, actor: Actor) -> None:
    rows = Memory.objects.in_bulk([flag.memory_id, flag.counterpart_id])
    new, old = rows[flag.memory_id], rows[flag.counterpart_id]
    _meet(new, old)
    pair = related(new, old, _cosine(new, old))
    if pair.verdict.kind == _SAME.get(Flag.Kind(flag.kind)):
        evidence = flag.evidence | {"detail": pair.verdict.detail}
        _moved(
            flag,
            actor,
            reason=pair.verdict.reason,
            scores=dict(pair.verdict.scores),
            evidence=evidence,
        )
        return
    _close(flag, pair, actor)


def _meet(one: Memory, other: Memory) -> None:
    """Let what both have of one model count while the space changes its own (E9)."""
    if one.other_model and one.embedding_model not in (other.embedding_model, other.other_model):
        one.embedding, one.other_embedding = one.other_embedding, one.embedding
        one.embedding_model, one.other_model = one.other_model, one.embedding_model


def _cosine(one: Memory, other: Memory) -> float | None:
    """Return how near the two embeddings are, None where they cannot be compared.

    What counts is the model of the first one, whose thresholds judge(): the other may keep its
    vector in either place.
    """
    model = one.embedding_model
    if one.embedding is None or not model:
        return None
    near = Memory.objects.filter(pk=other.pk)
    distance = near.values_list(CosineDistance(vector_of(model), one.embedding), flat=True).first()
    return None if distance is None else 1.0 - distance


def _close(flag: Flag, pair: Related, actor: Actor) -> None:
    history.resolve(flag, actor=actor, resolution=SETTLED_ITSELF)
    for memory in (pair.new, pair.old):
        release(memory, actor)


def _withdraw_proposal(flag: Flag, moved: Memory, actor: Actor) -> None:
    """A source says something else now: what was proposed in its place is not true any more."""
    if moved.pk == flag.memory_id:
        _moved(flag, actor)
        return
    history.resolve(flag, actor=actor, resolution=SETTLED_ITSELF)
    drop_proposal(flag, actor)
