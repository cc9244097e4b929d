"""`/v1/rerank` as Jina, Cohere and vLLM have it: how well each document answers the query, 0–1.

The cross-encoder is loaded when it is first asked for. It reads a few documents at a time and gives
the turn away between them, so that a question that is to be embedded waits for one slice at most.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from memories.embedding.batching import OverloadedError, Room, Turns
from memories.embedding.serving import RequestError, Served, awaited, named_model, read_object
from memories.text.clean import storable

SLICE = 8
"""Documents in one forward pass at most, fewer where they are long. Twelve layers of 384 take 0.2 s
of processor time for eight of 45 tokens; thirty at once took a fifth less each.
"""
MAX_DOCUMENTS = 100
MAX_LETTERS = 20_000
"""Of a query or a document; the model reads its first 512 tokens."""
MAX_WAITING = 500
"""Documents waiting in all, more than anybody waits for; further requests are refused."""

Pair = tuple[str, str]


class Scorer(Protocol):
    """A cross-encoder. Called from one thread only."""

    model: str

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """One forward pass: how well each second text answers the first, 0–1."""
        ...


LoadScorer = Callable[[Callable[[str], None]], Scorer]
"""Loads the cross-encoder; is given a function that takes the name of each phase."""


@dataclass(eq=False, slots=True)
class Job:
    """One request, the indexes of the documents still to read, and the scores of the others."""

    query: str
    documents: list[str]
    left: deque[int]
    scores: dict[int, float] = field(default_factory=dict)
    result: Future[list[float]] = field(default_factory=Future)

    @classmethod
    def of(cls, query: str, documents: list[str]) -> Job:
        """Documents of like length are read together: a slice is padded to its longest."""
        order = sorted(range(len(documents)), key=lambda i: len(documents[i]))
        return cls(query, documents, deque(order))

    def slice(self) -> list[int]:
        """Take the indexes of the next forward pass."""
        room, taken = Room(), list[int]()
        while (
            self.left
            and len(taken) < SLICE
            and room.takes(self.query + self.documents[self.left[0]])
        ):
            taken.append(self.left.popleft())
        return taken

    def put(self, scores: dict[int, float]) -> None:
        self.scores |= scores
        if not self.left:
            with suppress(InvalidStateError):  # its client has left this moment
                self.result.set_result([self.scores[i] for i in range(len(self.documents))])

    def fail(self, error: Exception) -> None:
        with suppress(InvalidStateError):
            self.result.set_exception(error)


class Line:
    """Requests in front of a cross-encoder, served one after the other: half an answer is none, and
    whoever asked first is the first to give up. `submit` may be called from any thread, `run`
    belongs to the model's.
    """

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._jobs: deque[Job] = deque()
        self._wake = threading.Condition()
        self._stopped = False

    def submit(self, query: str, documents: list[str]) -> Future[list[float]]:
        """Queue one request. Cancel the future to give it up. Raises OverloadedError."""
        job = Job.of(query, documents)
        with self._wake:
            if self.waiting + len(documents) > MAX_WAITING:
                raise OverloadedError
            self._jobs.append(job)
            self._wake.notify()
        return job.result

    @property
    def waiting(self) -> int:
        """Documents that no forward pass has taken yet."""
        return sum(len(job.left) for job in tuple(self._jobs) if not job.result.done())

    def run(self, engine: Scorer) -> None:
        """Score what waits until `stop` is called."""
        while job := self._first():
            with self._turns:
                self._read(engine, job)

    def pause(self, seconds: float) -> bool:
        """Wait; False at once when stopped."""
        with self._wake:
            return not self._wake.wait_for(lambda: self._stopped, seconds)

    def stop(self) -> None:
        with self._wake:
            self._stopped = True
            self._wake.notify()

    def _first(self) -> Job | None:
        """The request whose turn it is; None when stopped."""
        with self._wake:
            while not self._stopped:
                while self._jobs and self._jobs[0].result.done():  # given up, failed or answered
                    self._jobs.popleft()
                if self._jobs:
                    return self._jobs[0]
                self._wake.wait()
        return None

    def _read(self, engine: Scorer, job: Job) -> None:
        if job.result.done():  # given up while it waited for its turn
            return
        part = job.slice()
        try:
            scores = engine.score([(job.query, job.documents[i]) for i in part])
            job.put(dict(zip(part, scores, strict=True)))
        except Exception as error:  # one bad document must not end the worker
            job.fail(error)


class Reranker(Served[Scorer]):
    """A cross-encoder and the requests that wait for it."""

    not_loaded = gettext_lazy("The reranking model did not load: %(reason)s")
    not_ready = gettext_lazy("The reranking model is not ready: %(phase)s. %(reason)s")

    def __init__(self, name: str, load: LoadScorer, turns: Turns) -> None:
        self.line = Line(turns)
        super().__init__(load, self.line, frozenset({name, name.partition("@")[0]}))


@dataclass(frozen=True, slots=True)
class Asked:
    """A request body that was found good. `top_n` None: all of them."""

    query: str
    documents: list[str]
    top_n: int | None
    model: str | None


async def rerank(request: Request, reranker: Reranker | None) -> Response:
    """Answer a request, best document first. Raises RequestError."""
    asked = parse(await read_object(request))
    scorer = chosen(reranker, asked.model)
    scores = await awaited(request, submitted(scorer, asked))
    best = sorted(enumerate(scores), key=lambda scored: (-scored[1], scored[0]))
    results = [{"index": i, "relevance_score": score} for i, score in best[: asked.top_n]]
    return JSONResponse({"model": scorer.called(), "results": results})


def chosen(reranker: Reranker | None, model: str | None) -> Reranker:
    """The reranker, loaded. Raises RequestError 404 for one that is not here, 503 meanwhile."""
    if reranker is None:
        message = _(
            "This server does not rerank. Set RERANK_MODEL to a cross-encoder of the hub or to a"
            " local folder, and start it again."
        )
        raise RequestError(404, message, "model_not_found", "model")
    if model is not None and not reranker.knows(model):
        names = {"ours": reranker.called(), "theirs": model}
        message = _("This server reranks with %(ours)s, not with %(theirs)s.") % names
        raise RequestError(404, message, "model_not_found", "model")
    reranker.start()
    reranker.ready()
    return reranker


def submitted(reranker: Reranker, asked: Asked) -> Future[list[float]]:
    """Queue a request. Raises RequestError 503 when too many wait already."""
    try:
        return reranker.line.submit(asked.query, asked.documents)
    except OverloadedError as error:
        message = _("Too many documents are waiting. Try again later.")
        raise RequestError(503, message, "overloaded") from error


def parse(body: dict[str, Any]) -> Asked:
    """Check a request body. Raises RequestError 400 naming the field."""
    query, documents = body.get("query"), body.get("documents")
    if not isinstance(query, str) or not query.strip():
        message = _("query must be a string that is not empty.")
        raise RequestError(400, message, "invalid_type", "query")
    if not isinstance(documents, list) or not all(isinstance(one, str) for one in documents):
        message = _("documents must be a list of strings.")
        raise RequestError(400, message, "invalid_type", "documents")
    check_size(query, documents)
    top_n = body.get("top_n")
    if top_n is not None and (type(top_n) is not int or top_n < 1):
        message = _("top_n must be a whole number from 1.")
        raise RequestError(400, message, "invalid_value", "top_n")
    cleaned = [storable(text)[0] for text in documents]
    return Asked(storable(query)[0], cleaned, top_n, named_model(body))


def check_size(query: str, documents: list[str]) -> None:
    """Raises RequestError 400 for no or too many documents, and for a text that is too long."""
    if not 1 <= len(documents) <= MAX_DOCUMENTS:
        message = _("documents has %(count)d texts; from 1 to %(limit)d are taken at once.")
        counts = {"count": len(documents), "limit": MAX_DOCUMENTS}
        raise RequestError(400, message % counts, "invalid_value", "documents")
    for name, text in [("query", query), *(("documents", text) for text in documents)]:
        if len(text) > MAX_LETTERS:
            message = _("%(field)s has a text of %(have)d characters; at most %(most)d are taken.")
            told = {"field": name, "have": len(text), "most": MAX_LETTERS}
            raise RequestError(400, message % told, "too_long", name)
