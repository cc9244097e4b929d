"""The embedding service: `/v1/embeddings` and `/v1/models` as OpenAI has them, `/v1/rerank` if a
cross-encoder is named, and `/health`.

It answers from the first moment; until the model is loaded with 503 and the phase it is in. Its
other models are loaded when they are first asked for, and kept; each has a worker thread and takes
its memory. A text longer than the model reads (512 tokens for the default model) is embedded by its
beginning.
"""

from __future__ import annotations

import base64
import socket
import sys
from array import array
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from django.utils.translation import gettext as _
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memories.embedding.batching import Batcher, Encoded, Engine, Load, OverloadedError, Turns
from memories.embedding.reranking_service import LoadScorer, Reranker, rerank
from memories.embedding.serving import (
    RequestError,
    Served,
    awaited,
    check_key,
    named_model,
    read_object,
    show_error,
)
from memories.text.clean import storable

MAX_INPUTS = 2048


@dataclass(frozen=True, slots=True)
class Asked:
    """A request body that was found good."""

    texts: list[str]
    base64: bool
    model: str | None
    dimensions: int | None


class Embedder(Served[Engine]):
    """An embedding model and the texts that wait for it."""

    def __init__(self, load: Load, names: frozenset[str], turns: Turns) -> None:
        self.batcher = Batcher(turns)
        super().__init__(load, self.batcher, names)


class Models:
    """The model that is loaded at the start, and those that are loaded when they are asked for."""

    def __init__(
        self, default: Embedder, others: list[Embedder], reranker: Reranker | None, api_key: str
    ) -> None:
        self.default = default
        self.others = others
        self.reranker = reranker
        self.api_key = api_key

    @property
    def all(self) -> list[Embedder | Reranker]:
        reranker = [self.reranker] if self.reranker else []
        return [self.default, *self.others, *reranker]

    def asked_for(self, model: str | None) -> Embedder:
        """Raises RequestError 404 for a model that is not served here, 503 while nobody knows."""
        for embedder in (self.default, *self.others):
            if model is None or embedder.knows(model):
                embedder.start()
                return embedder
        self.default.ready()
        message = _("This server embeds with %(ours)s, not with %(theirs)s.")
        ours = ", ".join(embedder.called() for embedder in (self.default, *self.others))
        names = {"ours": ours, "theirs": model}
        raise RequestError(404, message % names, "model_not_found", "model")

    def stop(self) -> None:
        for model in self.all:
            model.stop()


def create_app(
    load: Load,
    *,
    names: frozenset[str] = frozenset(),
    others: Mapping[str, Load] | None = None,
    reranker: tuple[str, LoadScorer] | None = None,
    api_key: str = "",
) -> Starlette:
    """The service around whatever engine `load` returns, and the others by their names.

    `names`: what clients may call the model besides the engine's own name. `reranker`: the name of
    a cross-encoder and what loads it. `api_key`: required as a bearer token when not empty.
    """
    turns = Turns()
    rest = [Embedder(each, frozenset({name}), turns) for name, each in (others or {}).items()]
    cross = Reranker(*reranker, turns) if reranker else None
    models = Models(Embedder(load, names, turns), rest, cross, api_key)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        models.default.start()
        yield
        models.stop()

    app = Starlette(
        routes=[
            Route("/health", health),
            Route("/v1/models", list_models),
            Route("/v1/embeddings", create_embeddings, methods=["POST"]),
            Route("/v1/rerank", create_rerank, methods=["POST"]),
        ],
        exception_handlers={RequestError: show_error},
        lifespan=lifespan,
    )
    app.state.models = models
    return app


async def health(request: Request) -> Response:
    """200 when the first model is ready, else 503 with the phase; the others' phases by name."""
    models: Models = request.app.state.models
    embedder = models.default
    body: dict[str, Any]
    if embedder.engine is None:
        status = "failed" if embedder.phase == "failed" else "loading"
        body = {"status": status, "phase": embedder.phase, "reason": embedder.reason}
        return JSONResponse(body, status_code=503)
    engine = embedder.engine
    body = {"status": "ready", "model": engine.model, "dimension": engine.dimension}
    if models.others:
        body["others"] = {other.called(): other.phase for other in models.others}
    if models.reranker:
        body["reranker"] = {models.reranker.called(): models.reranker.phase}
    return JSONResponse(body)


async def list_models(request: Request) -> Response:
    models: Models = request.app.state.models
    check_key(request, models.api_key)
    models.default.ready()
    entries = [
        {"id": model.called(), "object": "model", "created": 0, "owned_by": "hindsight"}
        for model in models.all
    ]
    return JSONResponse({"object": "list", "data": entries})


async def create_embeddings(request: Request) -> Response:
    models: Models = request.app.state.models
    check_key(request, models.api_key)
    models.default.ready()
    asked = parse(await read_object(request))
    embedder = models.asked_for(asked.model)
    engine = embedder.ready()
    check_dimension(asked, engine)
    encoded = await awaited(request, submitted(embedder.batcher, asked.texts))
    return JSONResponse(rendered(encoded, engine.model, asked.base64))


async def create_rerank(request: Request) -> Response:
    models: Models = request.app.state.models
    check_key(request, models.api_key)
    models.default.ready()  # the models' libraries are not made to be imported by two threads
    return await rerank(request, models.reranker)


def check_dimension(asked: Asked, engine: Engine) -> None:
    if asked.dimensions not in (None, engine.dimension):
        message = _("This model has %(dimension)d dimensions.") % {"dimension": engine.dimension}
        raise RequestError(400, message, "invalid_value", "dimensions")


def parse(body: dict[str, Any]) -> Asked:
    """Check a request body. Raises RequestError 400 naming the field."""
    form = body.get("encoding_format") or "float"
    if form not in ("float", "base64"):
        message = _("encoding_format must be float or base64.")
        raise RequestError(400, message, "invalid_value", "encoding_format")
    dimensions = body.get("dimensions")
    if dimensions is not None and not isinstance(dimensions, int):
        raise RequestError(400, _("dimensions must be a number."), "invalid_type", "dimensions")
    texts, model = parse_input(body.get("input")), named_model(body)
    return Asked(texts, form == "base64", model, dimensions)


def parse_input(value: Any) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        message = _("input must be a string or a list of strings.")
        raise RequestError(400, message, "invalid_type", "input")
    if not texts:
        raise RequestError(400, _("input must not be empty."), "invalid_value", "input")
    if len(texts) > MAX_INPUTS:
        message = _("input has %(count)d texts; at most %(limit)d are taken at once.")
        counts = {"count": len(texts), "limit": MAX_INPUTS}
        raise RequestError(400, message % counts, "too_many_inputs", "input")
    return [storable(text)[0] for text in texts]


def submitted(batcher: Batcher, texts: list[str]) -> Future[Encoded]:
    """Queue the texts. Raises RequestError 503 when too many wait already."""
    try:
        return batcher.submit(texts)
    except OverloadedError as error:
        message = _("Too many texts are waiting. Try again later.")
        raise RequestError(503, message, "overloaded") from error


def rendered(encoded: Encoded, model: str, as_base64: bool) -> dict[str, Any]:
    data = [
        {"object": "embedding", "index": i, "embedding": to_base64(v) if as_base64 else v}
        for i, v in enumerate(encoded.vectors)
    ]
    total = sum(encoded.tokens)
    usage = {"prompt_tokens": total, "total_tokens": total}
    return {"object": "list", "model": model, "data": data, "usage": usage}


def to_base64(vector: list[float]) -> str:
    """Little-endian float32, as OpenAI packs them."""
    packed = array("f", vector)
    if sys.byteorder == "big":
        packed.byteswap()
    return base64.b64encode(packed.tobytes()).decode()


def listen(host: str, port: int) -> socket.socket:
    """A bound socket; port 0 takes a free one. Raises OSError, or OverflowError for a bad port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family)
    # asyncio does this only for sockets that name their protocol; answers would wait for it.
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except (OSError, OverflowError):
        bound.close()
        raise
    return bound


def serve(app: Starlette, bound: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM."""
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[bound])
