"""The embedding service: `/v1/embeddings` and `/v1/models` as OpenAI has them, and `/health`.

It answers from the first moment; until the model is loaded with 503 and the phase it is in. A text
longer than the model reads (512 tokens for the default model) is embedded by its beginning.
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
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import uvicorn
from django.utils.translation import gettext as _
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memories.embedding.batching import Batcher, Encoded, Engine, Load, OverloadedError
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
    """The model's life: loaded in the background, then serving; loaded again later when that
    failed.
    """

    def __init__(self, load: Load, names: frozenset[str], api_key: str) -> None:
        self.batcher = Batcher()
        self.engine: Engine | None = None
        self.phase = "starting"
        self.reason = ""
        self.names = names
        self.api_key = api_key
        self._load = load
        self._thread = threading.Thread(target=self._work, name="embedder", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.batcher.stop()
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

    def knows(self, model: str, engine: Engine) -> bool:
        return model in self.names | {engine.model, engine.model.partition("@")[0]}


def create_app(load: Load, *, names: frozenset[str] = frozenset(), api_key: str = "") -> Starlette:
    """The service around whatever engine `load` returns.

    `names`: what clients may call the model besides the engine's own name. `api_key`: required as a
    bearer token when not empty.
    """
    embedder = Embedder(load, names, api_key)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        embedder.start()
        yield
        embedder.stop()

    app = Starlette(
        routes=[
            Route("/health", health),
            Route("/v1/models", list_models),
            Route("/v1/embeddings", create_embeddings, methods=["POST"]),
        ],
        exception_handlers={RequestError: show_error},
        lifespan=lifespan,
    )
    app.state.embedder = embedder
    return app


async def health(request: Request) -> Response:
    """200 when ready, else 503 with the phase."""
    embedder: Embedder = request.app.state.embedder
    if embedder.engine is None:
        status = "failed" if embedder.phase == "failed" else "loading"
        body = {"status": status, "phase": embedder.phase, "reason": embedder.reason}
        return JSONResponse(body, status_code=503)
    engine = embedder.engine
    return JSONResponse({"status": "ready", "model": engine.model, "dimension": engine.dimension})


async def list_models(request: Request) -> Response:
    embedder: Embedder = request.app.state.embedder
    check_key(request, embedder.api_key)
    entry = {
        "id": embedder.ready().model,
        "object": "model",
        "created": 0,
        "owned_by": "hindsight",
    }
    return JSONResponse({"object": "list", "data": [entry]})


async def create_embeddings(request: Request) -> Response:
    embedder: Embedder = request.app.state.embedder
    check_key(request, embedder.api_key)
    engine = embedder.ready()
    asked = parse(await read_json(request))
    check_model(asked, embedder, engine)
    encoded = await embed(request, embedder.batcher, asked.texts)
    return JSONResponse(rendered(encoded, engine.model, asked.base64))


def check_key(request: Request, api_key: str) -> None:
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if api_key and not hmac.compare_digest(given.encode(), api_key.encode()):
        raise RequestError(401, _("The API key is missing or wrong."), "invalid_api_key")


def check_model(asked: Asked, embedder: Embedder, engine: Engine) -> None:
    if asked.model is not None and not embedder.knows(asked.model, engine):
        message = _("This server embeds with %(ours)s, not with %(theirs)s.")
        names = {"ours": engine.model, "theirs": asked.model}
        raise RequestError(404, message % names, "model_not_found", "model")
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
