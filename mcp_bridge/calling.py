"""What all tools share: a call as whoever the key says, and an answer that clients can show."""

import time
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent

from mcp_bridge.auth import Identity
from mcp_bridge.database import ANSWER, run
from mcp_bridge.fitting import Payload, rendered, shortened
from memories.errors import ServiceError, Stale
from memories.permissions import Actor


class Calling:
    """The base of tools; `identity` says who is calling."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity

    async def _call(self, work: Callable[[Actor], Payload], *, changing: bool = False) -> Payload:
        """Do the work as the caller; a refusal becomes the tool's error."""
        started = time.monotonic()
        try:
            actor = await self._identity()
            left = ANSWER - (time.monotonic() - started)
            return await run(lambda: work(actor), changing=changing, seconds=left)
        except ServiceError as error:
            raise ToolError(_refusal(error)) from error


def stated(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that were not left out."""
    return {name: value for name, value in arguments.items() if value is not None}


def answer(result: Payload) -> CallToolResult:
    """Text and structured content say the same, each completely: clients show one or the other."""
    text = TextContent(type="text", text=rendered(result))
    return CallToolResult(content=[text], structured_content=result)


def joined(*notes: str) -> str:
    """Return the notes that say something as one text."""
    return " ".join(note for note in notes if note)


def partly(memories: list[Payload]) -> str:
    """Return how to see the rest of texts that are shown in part, if there are any."""
    if not any("left" in memory for memory in memories):
        return ""
    return _("Texts with `left` are shown in part: get_memory shows the whole text.")


def _refusal(error: ServiceError) -> str:
    """Return the sentence of a refusal; for a stale version also what the memory says now."""
    if not isinstance(error, Stale) or "content" not in error.details:
        return error.message
    now = shortened(
        {"content": error.details["content"], "reflection": "", "metadata": {}}, most=2_000
    )
    said = _("Current version: %(version)d. Current content: %(content)s") % {
        "version": error.details["version"],
        "content": now["content"],
    }
    return "\n".join(filter(None, (error.message, said, partly([now]))))
