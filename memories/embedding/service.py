"""The embedding service: `/v1/embeddings` and `/v1/models` as OpenAI has them, and `/health`.

It answers from the first moment; until the model is loaded with 503 and the phase it is in. Its
other models are loaded when they are first asked for, and kept; each has a worker thread and takes
its memory. A text longer than the model reads (512 tokens for the default model) is embedded by its
beginning.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import socket
import sys
import threading
from array import array
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import uvicorn
from django.utils.translation import gettext as _
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memories.embedding.batching import Batcher, Encoded, Engine, Load, OverloadedError, Turns
from memories.embedding.weights import WeightsError, say
from memories.text.clean import storable

MAX_INPUTS = 2048
MAX_BODY_BYTES = 32 * 1024 * 1024
RETRY_SECONDS = 30.0
LEAVE_SECONDS = 0.5
"""How often a waiting request looks whether its client is still there."""


class RequestError(Exception):
    """Becomes an answer in OpenAI's error shape."""

    def __init__(self, status: int, message: str, code: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param


@dataclass(frozen=True, slots=True)
class Asked:
    """A request body that was found good."""

    texts: list[str]
    base64: bool
    model: str | None
    dimensions: int | None


class Embedder:
    """One model's life: loaded in the background, then serving; loaded again later when that
    failed.
    """

    def __init__(self, load: Load, names: frozenset[str], turns: Turns) -> None:
        self.batcher = Batcher(turns)
        self.engine: Engine | None = None
        self.phase = "not asked for"
        self.reason = ""
        self.names = names
        self._load = load
        self._thread = threading.Thread(target=self._work, name="embedder", daemon=True)

    def start(self) -> None:
        """Begin to load; once begun, nothing."""
        if self._thread.ident is None:
            self._enter("starting")
            self._thread.start()

    def stop(self) -> None:
        self.batcher.stop()
        if self._thread.ident is not None:
            self._thread.join(timeout=5)

    def _work(self) -> None:
        while not (engine := self._try_load()):
            if not self.batcher.pause(RETRY_SECONDS):
                return
        self.engine = engine
        self._enter("ready")
        self.batcher.run(engine)

    def _try_load(self) -> Engine | None:
        try:
            return self._load(self._enter)
        except Exception as error:  # a hub that is away now may be back later; say why meanwhile
            known = isinstance(error, WeightsError)
            self.reason = str(error) if known else f"{type(error).__name__}: {error}"
            self._enter("failed")
            say(_("The embedding model did not load: %(reason)s") % {"reason": self.reason})
            return None

    def _enter(self, phase: str) -> None:
        self.phase = phase

    def ready(self) -> Engine:
        """The engine. Raises RequestError 503 with the phase."""
        if self.engine is None:
            message = _("The embedding model is not ready: %(phase)s. %(reason)s")
            raise RequestError(
                503,
                (message % {"phase": self.phase, "reason": self.reason}).strip(),
                "model_not_ready",
            )
        return self.engine

    def knows(self, model: str) -> bool:
        """Whether this is what a client means by `model`."""
        if self.engine is None:
            return model in self.names
        return model in self.names | {self.engine.model, self.engine.model.partition("@")[0]}

    def called(self) -> str:
        """The engine's own name, or before it is loaded one by which it can be asked for."""
        return self.engine.model if self.engine else min(self.names, default="")


class Models:
    """The model that is loaded at the start, and those that are loaded when they are asked for."""

    def __init__(self, default: Embedder, others: list[Embedder], api_key: str) -> None:
        self.default = default
        self.others = others
        self.api_key = api_key

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
        for embedder in (self.default, *self.others):
            embedder.stop()


def create_app(
    load: Load,
    *,
    names: frozenset[str] = frozenset(),
    others: Mapping[str, Load] | None = None,
    api_key: str = "",
) -> Starlette:
    """The service around whatever engine `load` returns, and the others by their names.

    `names`: what clients may call the model besides the engine's own name. `api_key`: required as a
    bearer token when not empty.
    """
    turns = Turns()
    rest = [Embedder(each, frozenset({name}), turns) for name, each in (others or {}).items()]
    models = Models(Embedder(load, names, turns), rest, api_key)

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
    return JSONResponse(body)


async def list_models(request: Request) -> Response:
    models: Models = request.app.state.models
    check_key(request, models.api_key)
    models.default.ready()
    entries = [
        {"id": embedder.called(), "object": "model", "created": 0, "owned_by": "hindsight"}
        for embedder in (models.default, *models.others)
    ]
    return JSONResponse({"object": "list", "data": entries})


async def create_embeddings(request: Request) -> Response:
    models: Models = request.app.state.models
    check_key(request, models.api_key)
    models.default.ready()
    asked = parse(await read_json(request))
    embedder = models.asked_for(asked.model)
    engine = embedder.ready()
    check_dimension(asked, engine)
    encoded = await embed(request, embedder.batcher, asked.texts)
    return JSONResponse(rendered(encoded, engine.model, asked.base64))


def check_key(request: Request, api_key: str) -> None:
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if api_key and not hmac.compare_digest(given.encode(), api_key.encode()):
        raise RequestError(401, _("The API key is missing or wrong."), "invalid_api_key")


def check_dimension(asked: Asked, engine: Engine) -> None:
    if asked.dimensions not in (None, engine.dimension):
        message = _("This model has %(dimension)d dimensions.") % {"dimension": engine.dimension}
        raise RequestError(400, message, "invalid_value", "dimensions")


async def read_json(request: Request) -> Any:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY_BYTES:
            raise RequestError(413, _("The request is larger than 32 MB."), "too_large")
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RequestError(400, _("The body is not JSON."), "invalid_json") from error


def parse(body: Any) -> Asked:
    """Check a request body. Raises RequestError 400 naming the field."""
    if not isinstance(body, dict):
        raise RequestError(400, _("The body must be a JSON object."), "invalid_type")
    form = body.get("encoding_format") or "float"
    if form not in ("float", "base64"):
        message = _("encoding_format must be float or base64.")
        raise RequestError(400, message, "invalid_value", "encoding_format")
    model = body.get("model")
    if model is not None and not isinstance(model, str):
        raise RequestError(400, _("model must be a string."), "invalid_type", "model")
    dimensions = body.get("dimensions")
    if dimensions is not None and not isinstance(dimensions, int):
        raise RequestError(400, _("dimensions must be a number."), "invalid_type", "dimensions")
    return Asked(parse_input(body.get("input")), form == "base64", model or None, dimensions)


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


async def embed(request: Request, batcher: Batcher, texts: list[str]) -> Encoded:
    """Wait for the vectors; give the work up when the client has left."""
    try:
        future = asyncio.wrap_future(batcher.submit(texts))
    except OverloadedError as error:
        message = _("Too many texts are waiting. Try again later.")
        raise RequestError(503, message, "overloaded") from error
    while not (await asyncio.wait({future}, timeout=LEAVE_SECONDS))[0]:
        if await request.is_disconnected():
            future.cancel()
            raise RequestError(499, _("The client has left."), "client_left")
    return future.result()


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


async def show_error(_request: Request, error: Exception) -> Response:
    error = cast("RequestError", error)
    kind = "server_error" if error.status >= 500 else "invalid_request_error"
    body = {"message": str(error), "type": kind, "param": error.param, "code": error.code}
    return JSONResponse({"error": body}, status_code=error.status)


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
