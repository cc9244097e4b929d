"""Micro-batching: texts of requests that wait at the same time share forward passes of the model.

One worker thread owns the engine. Requests wait in two lanes. The worker takes from them in turn,
so that a question typed by a person waits for one bulk batch at most, and a stream of questions
cannot stop a bulk request.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

MAX_TEXTS = 64
"""Texts in one forward pass: from 32 to 64 each text gets a tenth cheaper only."""
MAX_TOKENS = 1536
"""Padded tokens in one forward pass, about 0.6 s on two cores: what a short request may wait."""
TEXT_TOKENS = 512
"""The model reads no more of one text."""
QUICK_TEXTS = 4
"""Requests up to this size take the quick lane."""
SLICE = 16
"""Texts one bulk request gives to a batch before the next bulk request has its turn."""
MAX_WAITING = 16_384
"""Texts waiting in all, some minutes of work on two cores; more are refused."""
REMEMBERED = 1024
"""Results of single texts kept, 1.5 MB of float32 at 384 dimensions: questions repeat."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """Vectors in the order of the texts, and the number of tokens the model read of each."""

    vectors: list[list[float]]
    tokens: list[int]


class Engine(Protocol):
    """Something that turns texts into vectors. Called from one thread only."""

    model: str
    """Identity of the weights, recorded with every vector."""
    dimension: int

    def encode(self, texts: Sequence[str]) -> Encoded: ...


class OverloadedError(Exception):
    """Too many texts wait already."""


@dataclass(eq=False, slots=True)
class Job:
    """One request: its texts, the indexes still to embed, and what is done."""

    texts: list[str]
    result: Future[Encoded]
    left: deque[int]
    vectors: list[list[float]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    missing: int = 0

    @classmethod
    def of(cls, texts: Sequence[str]) -> Job:
        """Texts of like length are embedded together, since a batch is padded to its longest."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        job = cls(list(texts), Future(), deque(order))
        job.vectors = [[] for _ in texts]
        job.tokens = [0] * len(texts)
        job.missing = len(texts)
        return job

    def put(self, index: int, vector: list[float], tokens: int) -> None:
        self.vectors[index] = vector
        self.tokens[index] = tokens
        self.missing -= 1
        if not self.missing and not self.result.done():
            self.result.set_result(Encoded(self.vectors, self.tokens))


Batch = list[tuple[Job, int]]


def estimated_tokens(text: str) -> int:
    """Four UTF-8 bytes a token holds for English (4 letters) and Chinese (1.4 characters) alike."""
    return min(len(text.encode()) // 4 + 4, TEXT_TOKENS)


class Room:
    """What still fits into one forward pass."""

    def __init__(self) -> None:
        self.count = 0
        self.longest = 0

    def takes(self, text: str) -> bool:
        """Count `text` in if it fits; the first always does."""
        longest = max(self.longest, estimated_tokens(text))
        count = self.count + 1
        if self.count and (count > MAX_TEXTS or count * longest > MAX_TOKENS):
            return False
        self.count, self.longest = count, longest
        return True


def next_batch(lane: deque[Job]) -> Batch:
    """Take a batch off the front of the lane; a request with texts left goes to its end."""
    room, batch = Room(), Batch()
    while lane:
        job = lane[0]
        if job.result.done():  # cancelled, or failed in an earlier batch
            lane.popleft()
            continue
        before = len(batch)
        while job.left and len(batch) - before < SLICE and room.takes(job.texts[job.left[0]]):
            batch.append((job, job.left.popleft()))
        if job.left and len(batch) == before:
            break
        lane.popleft()
        if job.left:
            lane.append(job)
    return batch


class Turns:
    """One forward pass at a time over all models, first come, first served.

    Two at once would each take every core and both be slow; without an order bulk work with one
    model could keep a question to another waiting for long.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._line: deque[threading.Event] = deque()

    def __enter__(self) -> None:
        mine = threading.Event()
        with self._guard:
            self._line.append(mine)
            if self._line[0] is mine:
                mine.set()
        mine.wait()

    def __exit__(self, *error: object) -> None:
        with self._guard:
            self._line.popleft()
            if self._line:
                self._line[0].set()


class Batcher:
    """Queue in front of an engine. `submit` may be called from any thread; `run` belongs to the
    worker thread. Engines that share a processor share `turns`.
    """

    def __init__(self, turns: Turns | None = None) -> None:
        self._turns = turns or Turns()
        self._quick: deque[Job] = deque()
        self._bulk: deque[Job] = deque()
        self._wake = threading.Condition()
        self._stopped = False
        self._bulk_turn = False
        self._known: OrderedDict[str, Encoded] = OrderedDict()

    def submit(self, texts: Sequence[str]) -> Future[Encoded]:
        """Queue one request. Cancel the future to give it up. Raises OverloadedError."""
        job = Job.of(texts)
        with self._wake:
            if len(texts) == 1 and (known := self._known.get(texts[0])):
                self._known.move_to_end(texts[0])
                job.result.set_result(known)
                return job.result
            if self.waiting + len(texts) > MAX_WAITING:
                raise OverloadedError
            (self._quick if len(texts) <= QUICK_TEXTS else self._bulk).append(job)
            self._wake.notify()
        return job.result

    @property
    def waiting(self) -> int:
        """Texts that no forward pass has taken yet."""
        return sum(len(job.left) for job in (*self._quick, *self._bulk) if not job.result.done())

    def stop(self) -> None:
        with self._wake:
            self._stopped = True
            self._wake.notify()

    def run(self, engine: Engine) -> None:
        """Embed what waits until `stop` is called."""
        while batch := self._take():
            self._embed(engine, batch)

    def pause(self, seconds: float) -> bool:
        """Wait; False at once when stopped."""
        with self._wake:
            return not self._wake.wait_for(lambda: self._stopped, seconds)

    def _take(self) -> Batch:
        """The next batch, from the lanes in turn; empty when stopped."""
        with self._wake:
            while True:
                self._wake.wait_for(lambda: self._stopped or self._quick or self._bulk)
                if self._stopped:
                    return []
                lanes = [self._bulk, self._quick] if self._bulk_turn else [self._quick, self._bulk]
                lane = lanes[0] or lanes[1]
                self._bulk_turn = lane is self._quick
                if batch := next_batch(lane):
                    return batch

    def _embed(self, engine: Engine, batch: Batch) -> None:
        try:
            with self._turns:
                encoded = engine.encode([job.texts[index] for job, index in batch])
        except Exception as error:  # one bad batch must not end the worker
            for job, _ in batch:
                if not job.result.done():
                    job.result.set_exception(error)
            return
        for (job, index), vector, tokens in zip(
            batch, encoded.vectors, encoded.tokens, strict=True
        ):
            job.put(index, vector, tokens)
            if len(job.texts) == 1:
                self._remember(job.texts[0], Encoded([vector], [tokens]))

    def _remember(self, text: str, result: Encoded) -> None:
        with self._wake:
            self._known[text] = result
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)


Load = Callable[[Callable[[str], None]], Engine]
"""Loads the engine; is given a function that takes the name of each phase."""
