"""write_memories(): many statements by the rules of write_memory(), a batch a transaction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from django.db import IntegrityError, OperationalError, transaction

from memories import history
from memories.embedding.client import EmbedderDown, Vector, embed_each
from memories.embedding.spaces import model_of
from memories.errors import ServiceError
from memories.inputs import MAX_NAME, short_text
from memories.models.memory import Memory
from memories.models.receipt import Receipt
from memories.permissions import Actor
from memories.policies import WritingPolicy, policy_for
from memories.text.index import embedded_text
from memories.writing.ahead import ahead
from memories.writing.draft import Draft
from memories.writing.gate import admit
from memories.writing.known import Known
from memories.writing.quarantine import doubtful
from memories.writing.receipts import (
    Flags,
    answered,
    flags_on,
    receipts_for,
    receipts_of,
    request_hash,
)
from memories.writing.result import WriteResult
from memories.writing.store import created, hold_owners, weighed
from memories.writing.write import unsaved

BATCH = 100  # B10
Answer = WriteResult | ServiceError


@dataclass(frozen=True, slots=True)
class Said:
    """One statement of many: about whom, and the key that makes a retry harmless."""

    draft: Draft
    user_id: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class _Admitted:
    said: Said
    actor: Actor
    confidence: float
    request: str

    def memory(self) -> Memory:
        return unsaved(self.said.draft, self.actor, self.confidence)


@dataclass(frozen=True, slots=True)
class _Batch:
    """What is to be written together, with what was refused in its place."""

    rows: Sequence[_Admitted | ServiceError]
    actor: Actor
    policy: WritingPolicy
    model: str
    answered: frozenset[str]
    """Keys that had their answer before: nothing is embedded for them."""

    @property
    def admitted(self) -> list[_Admitted]:
        return [row for row in self.rows if isinstance(row, _Admitted)]

    @property
    def texts(self) -> dict[str, str]:
        """What has to be embedded, by request."""
        return {
            row.request: embedded_text(row.memory())
            for row in self.admitted
            if row.said.key not in self.answered
        }


@dataclass(frozen=True, slots=True)
class _Vectors:
    """By request; a text that the embedder refuses has none and waits, as a single write does."""

    model: str = ""
    vectors: dict[str, Vector | None] = field(default_factory=dict)


def write_memories(
    *, actor: Actor, said: Iterable[Said], degrade: bool = False
) -> Iterator[list[Answer]]:
    """Write statements in order; yield the answers of each batch of 100 when it is committed.

    Each is judged as write_memory() would, with those before it. What a rule refuses is answered
    with the refusal and costs the others nothing. While a batch is stored the next is embedded.
    Raises NotAllowed, and EmbedderDown: what was yielded is kept, the same keys go on from there.
    With `degrade` the embedder may be away, as in a single write: what is new is stored and waits.
    """
    actor.require("write")
    waiting = iter(said)
    batches = iter(lambda: list(islice(waiting, BATCH)), [])
    prepared = (_prepared(batch, actor) for batch in batches)
    for batch, made in ahead(prepared, partial(_embedded, degrade=degrade)):
        yield _written(batch, made)


def refusal(said: Said, actor: Actor, policy: WritingPolicy) -> ServiceError | None:
    """Return why a statement would not be written, as far as one can say without the others."""
    addressed = _addressed(said, actor)
    row = _admitted(*addressed, policy, {}) if isinstance(addressed, tuple) else addressed
    return row if isinstance(row, ServiceError) else None


def _prepared(batch: Sequence[Said], actor: Actor) -> _Batch:
    _version, policy = policy_for(actor.space_id)
    addressed = [_addressed(said, actor) for said in batch]
    known = receipts_of(actor, (row[0].key for row in addressed if isinstance(row, tuple)))
    rows = [
        _admitted(*row, policy.writing, known) if isinstance(row, tuple) else row
        for row in addressed
    ]
    return _Batch(rows, actor, policy.writing, model_of(actor.space_id), frozenset(known))


def _addressed(said: Said, actor: Actor) -> tuple[Said, Actor] | ServiceError:
    """Return a statement with its key as stored, and who says it on whose behalf."""
    try:
        actor = actor.acting_for(short_text(said.user_id, "user_id", MAX_NAME))
        key = short_text(said.key, "idempotency_key", MAX_NAME)
    except ServiceError as error:
        return error
    return replace(said, key=key), actor


def _admitted(
    said: Said, actor: Actor, policy: WritingPolicy, known: Mapping[str, Receipt]
) -> _Admitted | ServiceError:
    """Let a statement through the gate; one that had its answer before was through already."""
    try:
        earlier = known.get(said.key)
        confidence = earlier.memory.confidence if earlier else admit(said.draft, actor, policy)
    except ServiceError as error:
        return error
    return _Admitted(said, actor, confidence, request_hash(said.draft, actor.user_id))


def _embedded(batch: _Batch, *, degrade: bool) -> _Vectors:
    """Runs in the thread that waits for the embedder: it may not touch the database."""
    texts = batch.texts
    if not texts:
        return _Vectors()
    try:
        vectors, model = embed_each(list(texts.values()), batch.model)
    except EmbedderDown:
        if not degrade:
            raise
        return _Vectors()
    return _Vectors(model, dict(zip(texts, vectors, strict=True)))


def _written(batch: _Batch, made: _Vectors) -> list[Answer]:
    try:
        return _stored(batch, made)
    except (IntegrityError, OperationalError):
        # Somebody else came between: a key that was used twice at once, or a deadlock.
        return _stored(batch, made)


@transaction.atomic
def _stored(batch: _Batch, made: _Vectors) -> list[Answer]:
    rows = [(row, _memory(row, made)) for row in batch.admitted]
    hold_owners(memory for _row, memory in rows)
    receipts = receipts_of(batch.actor, (row.said.key for row, _memory in rows))
    fresh = [memory for row, memory in rows if row.said.key not in receipts]
    storing = _Storing(fresh, batch.actor, batch.policy, receipts)
    answers = iter([storing.answer(row, memory) for row, memory in rows])
    storing.finish()
    return [row if isinstance(row, ServiceError) else next(answers) for row in batch.rows]


def _memory(row: _Admitted, made: _Vectors) -> Memory:
    memory = row.memory()
    if vector := made.vectors.get(row.request):
        memory.embedding, memory.embedding_model = vector, made.model
    return memory


class _Storing:
    """Stores a batch in order, its owners held: what is plainly new together, the rest one by one.

    What follows from a repetition, a contradiction or a suspicion is written down in one place, and
    with what the database says at that moment.
    """

    def __init__(
        self,
        memories: Sequence[Memory],
        actor: Actor,
        policy: WritingPolicy,
        receipts: dict[str, Receipt],
    ) -> None:
        self._actor, self._policy = actor, policy
        for memory in memories:
            history.index(memory)
        self._known = Known(memories, policy)
        self._new: list[Memory] = []
        self._receipts = receipts
        self._flags: Flags = flags_on(receipts.values())
        self._done: list[tuple[WriteResult, str, str]] = []

    def answer(self, row: _Admitted, memory: Memory) -> Answer:
        """Store a statement, unless its key has an answer, also from earlier in the batch."""
        key = row.said.key
        if key and any(key == used for _result, used, _request in self._done):
            self.finish()
        if key in self._receipts:
            try:
                return answered(self._receipts[key], memory, row.request, self._flags)
            except ServiceError as error:
                return error
        result = self._stored(memory, row)
        self._done.append((result, key, row.request))
        return result

    def finish(self) -> None:
        """Write what is still to be written: the new memories, and everything's receipts."""
        self._insert()
        self._receipts |= receipts_for(self._done, self._actor)
        self._done = []

    def _stored(self, memory: Memory, row: _Admitted) -> WriteResult:
        draft = row.said.draft
        doubt = doubtful(memory, self._actor, self._policy)
        if not (doubt or draft.notes) and self._known.nothing_like(memory):
            self._new.append(memory)
            result = created(memory)
        else:
            self._insert()
            result = weighed(memory, draft, doubt, row.actor, self._policy)
        if result.memory is memory and not memory.withheld:
            self._known.add(memory)
        return result

    def _insert(self) -> None:
        if self._new:
            history.create(self._new, actor=self._actor, notes=[])
            self._new = []
