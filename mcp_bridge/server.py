"""The MCP server: the tools on the official SDK, served over stdio or streamable HTTP."""

import inspect
import re
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from mcp.server import MCPServer
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import AnyHttpUrl, ValidationError
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_bridge.auth import Identity, Keys, KeyVerifier, bearer
from mcp_bridge.care_tools import CareTools
from mcp_bridge.schemas import published
from mcp_bridge.session_tools import SessionTools
from mcp_bridge.tools import MemoryTools

NAME = "hindsight"  # clients prefix tool names with it, and some cut after 15 characters
INSTRUCTIONS = """\
Hindsight is the long-term memory of this team and its agents. Search it before a task and whenever
the user refers to something earlier; write to it when you learn something that will matter in a
later session: preferences, facts, constraints, decisions, what worked and what failed. One idea a
memory, with its source; several at once with write_memories. Pass the same user_id in every call
that concerns one end user. People review the memories: what is disputed waits for their decision.
When a recalled memory helped, or turns out wrong or outdated, say so with give_feedback. If nobody
does it for you, record each turn with record_turns and end the session when the task is done: what
is worth keeping of it is then kept by itself.
"""


class Server(MCPServer[Any]):
    """The SDK's server with errors that a model can act on."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; every failure is one sentence without the SDK's prefix."""
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError as error:
            # The SDK logs the traceback of what caused it and sends only this sentence.
            sentence = _("Something went wrong on the server; it was logged. Try again later.")
            raise UnexpectedToolError(sentence) from error.__cause__
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(_misread(error.__cause__)) from error.__cause__
            raise ToolError(str(error.__cause__ or error)) from error.__cause__


def make_server(identity: Identity, verifier: KeyVerifier | None = None) -> Server:
    """Return the server; `verifier` checks the keys of HTTP requests."""
    # The SDK wants an issuer, although our keys come from no OAuth server.
    issuer = AnyHttpUrl(f"http://127.0.0.1:{settings.MCP_PORT}")
    auth = AuthSettings(issuer_url=issuer, resource_server_url=None) if verifier else None
    return Server(
        NAME,
        title="Hindsight",
        instructions=INSTRUCTIONS,
        version="0.1.0",
        tools=list(tools(identity)),
        auth=auth,
        token_verifier=verifier,
    )


def tools(identity: Identity) -> Iterable[Tool]:
    """Return the tools with schemas that every provider accepts."""
    own, care, sessions = MemoryTools(identity), CareTools(identity), SessionTools(identity)
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    adds = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
    removes = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)
    hints: list[tuple[Callable[..., Any], ToolAnnotations]] = [
        (own.write_memory, adds),
        (own.write_memories, adds),
        (own.search_memory, reads),
        (own.get_memory, reads),
        (own.update_memory, adds),
        (own.delete_memory, removes),
        (own.give_feedback, adds),
        (care.memory_update_status, removes),
        (care.memory_audit, reads),
        (care.consolidate, adds),
        (sessions.record_turns, adds),
        (sessions.recall_context, reads),
        (sessions.end_session, adds),
        (sessions.distillation_status, reads),
    ]
    for function, annotations in hints:
        made = Tool.from_function(
            function, description=inspect.getdoc(function), annotations=annotations
        )
        made.parameters = published(made.parameters)
        made.fn_metadata.output_schema = published(made.fn_metadata.output_schema or {})
        yield made


def http_app() -> ASGIApp:
    """Return the HTTP application: /mcp for clients with a key, /health for everyone."""
    keys = Keys()
    server = make_server(bearer(keys), KeyVerifier(keys))
    server.custom_route("/health", methods=["GET"])(health)
    app = server.streamable_http_app(
        # No sessions: nothing is lost when this process is replaced.
        stateless_http=True,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=settings.MCP_ALLOWED_HOSTS,
            allowed_origins=settings.MCP_ALLOWED_ORIGINS,
        ),
    )
    _both_spellings(app)
    return CORSMiddleware(
        NoBatches(app),
        allow_origin_regex=_origins(settings.MCP_ALLOWED_ORIGINS),
        allow_methods=["GET", "POST"],
        allow_headers=["*"],
        expose_headers=["Mcp-Session-Id", "Mcp-Protocol-Version", "WWW-Authenticate"],
    )


async def health(request: Request) -> JSONResponse:
    """This process serves. Its database may be away for a while: the tools wait and say so."""
    return JSONResponse({"status": "ok", "server": NAME})


class NoBatches:
    """Refuse JSON-RPC batches, which the protocol dropped, with a sentence instead of a puzzle."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        waiting = deque([await receive()])
        # The body may come in pieces, and begin with nothing but white space.
        while not waiting[-1].get("body", b"").strip() and waiting[-1].get("more_body"):
            waiting.append(await receive())
        if waiting[-1].get("body", b"").lstrip()[:1] == b"[":
            await _batch_refusal()(scope, receive, send)
            return

        async def replay() -> Any:
            return waiting.popleft() if waiting else await receive()

        await self._app(scope, replay, send)


def _batch_refusal() -> JSONResponse:
    sentence = _("Batches are not supported: send one JSON-RPC message a request.")
    error = {"code": -32600, "message": sentence}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status_code=400)


def _misread(error: ValidationError) -> str:
    """Return which arguments could not be read, by name, and what they must be."""
    said = []
    for found in error.errors(include_url=False, include_input=False, include_context=False):
        field = ".".join(str(part) for part in found["loc"])
        sentence = _("is required.") if found["type"] == "missing" else found["msg"]
        # A complaint about a part of a list goes on with its place: turns[3].role
        said.append(f"{field}{'' if sentence.startswith('[') else ' '}{sentence}")
    return " ".join(said)


def _both_spellings(app: Starlette) -> None:
    """Serve /mcp/ like /mcp, since a redirect makes some clients drop the key or the body.

    Without sessions there is nothing to listen to or to end: GET and DELETE get a 405 at once,
    where the SDK would keep an empty stream open for each client.
    """
    [endpoint] = [at.endpoint for at in app.routes if isinstance(at, Route) and at.path == "/mcp"]
    others = [at for at in app.routes if getattr(at, "path", "") != "/mcp"]
    served = [Route(path, endpoint=endpoint, methods=["POST"]) for path in ("/mcp", "/mcp/")]
    app.router.routes = [*served, *others]


def _origins(allowed: list[str]) -> str:
    """Return the SDK's origin patterns (“http://localhost:*”) as one regular expression."""
    return "|".join(re.escape(origin).replace(r":\*", r"(:\d+)?") for origin in allowed)
