"""What the doors of the embedder process share: the life of a model, requests and their errors."""

from __future__ import annotations

import asyncio
import hmac
import json
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Generic, Protocol, TypeVar, cast

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from memories.embedding.weights import WeightsError, say

MAX_BODY_BYTES = 32 * 1024 * 1024
RETRY_SECONDS = 30.0
"""After a model did not load, until it is tried again."""


class RequestError(Exception):
    """Becomes an answer in OpenAI's error shape."""

    def __init__(self, status: int, message: str, code: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param


class Loaded(Protocol):
    """A loaded model, whatever it computes."""

    model: str


EngineT = TypeVar("EngineT", bound=Loaded)
Used = TypeVar("Used", contravariant=True)
Result = TypeVar("Result")


class Queue(Protocol[Used]):
    """What waits for a model, and the loop in which its thread works that off."""

    def run(self, engine: Used) -> None: ...

    def pause(self, seconds: float) -> bool: ...

    def stop(self) -> None: ...


class Served(Generic[EngineT]):
    """One model's life: loaded in the background, then serving; loaded again later when that
    failed.

    `load` is given a function that takes the name of each phase.
    """

    not_loaded: Promise = gettext_lazy("The embedding model did not load: %(reason)s")
    not_ready: Promise = gettext_lazy("The embedding model is not ready: %(phase)s. %(reason)s")

    def __init__(
        self,
        load: Callable[[Callable[[str], None]], EngineT],
        queue: Queue[EngineT],
        names: frozenset[str],
    ) -> None:
        self.engine: EngineT | None = None
        self.phase = "not asked for"
        self.reason = ""
        self.names = names
        self._load = load
        self._queue = queue
        self._thread = threading.Thread(target=self._work, name="model", daemon=True)

    def start(self) -> None:
        """Begin to load; once begun, nothing."""
        if self._thread.ident is None:
            self._enter("starting")
            self._thread.start()

    def stop(self) -> None:
        self._queue.stop()
        if self._thread.ident is not None:
            self._thread.join(timeout=5)

    def ready(self) -> EngineT:
        """The engine. Raises RequestError 503 with the phase."""
        if self.engine is None:
            told = {"phase": self.phase, "reason": self.reason}
            message = (str(self.not_ready) % told).strip()
            raise RequestError(503, message, "model_not_ready")
        return self.engine

    def knows(self, model: str) -> bool:
        """Whether this is what a client means by `model`."""
        if self.engine is None:
            return model in self.names
        return model in self.names | {self.engine.model, self.engine.model.partition("@")[0]}

    def called(self) -> str:
        """The engine's own name, or before it is loaded one by which it can be asked for."""
        return self.engine.model if self.engine else min(self.names, default="")

    def _work(self) -> None:
        while not (engine := self._try_load()):
            if not self._queue.pause(RETRY_SECONDS):
                return
        self.engine = engine
        self._enter("ready")
        self._queue.run(engine)

    def _try_load(self) -> EngineT | None:
        try:
            return self._load(self._enter)
        except Exception as error:  # a hub that is away now may be back later; say why meanwhile
            known = isinstance(error, WeightsError)
            self.reason = str(error) if known else f"{type(error).__name__}: {error}"
            self._enter("failed")
            say(str(self.not_loaded) % {"reason": self.reason})
            return None

    def _enter(self, phase: str) -> None:
        self.phase = phase


def check_key(request: Request, api_key: str) -> None:
    """Raises RequestError 401 unless the request has the service's key, if there is one."""
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if api_key and not hmac.compare_digest(given.encode(), api_key.encode()):
        raise RequestError(401, _("The API key is missing or wrong."), "invalid_api_key")


async def read_object(request: Request) -> dict[str, Any]:
    """The request's body. Raises RequestError for one that is too large or no JSON object."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY_BYTES:
            raise RequestError(413, _("The request is larger than 32 MB."), "too_large")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RequestError(400, _("The body is not JSON."), "invalid_json") from error
    if not isinstance(found, dict):
        raise RequestError(400, _("The body must be a JSON object."), "invalid_type")
    return found


def named_model(body: dict[str, Any]) -> str | None:
    """The model that a body asks for, None for whichever is there. Raises RequestError."""
    model = body.get("model")
    if model is not None and not isinstance(model, str):
        raise RequestError(400, _("model must be a string."), "invalid_type", "model")
    return model or None


async def awaited(request: Request, work: Future[Result]) -> Result:
    """Wait for what was queued; give it up as soon as the client has left."""
    result = asyncio.wrap_future(work)
    gone = asyncio.ensure_future(left(request))
    either: set[asyncio.Future[Any]] = {result, gone}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
    if not result.done():
        result.cancel()
        raise RequestError(499, _("The client has left."), "client_left")
    return result.result()


async def left(request: Request) -> None:
    """Return when the client of a request whose body has been read has hung up."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def show_error(_request: Request, error: Exception) -> Response:
    error = cast("RequestError", error)
    kind = "server_error" if error.status >= 500 else "invalid_request_error"
    body = {"message": str(error), "type": kind, "param": error.param, "code": error.code}
    return JSONResponse({"error": body}, status_code=error.status)
