"""Tool results as a host might send them."""

from typing import Any

from memories.models.session import Turn


def result(content: str = "", data: Any = None, *, tool: str = "", **fields: Any) -> Turn:
    return Turn(
        type=Turn.Type.TOOL_RESULT,
        role=Turn.Role.TOOL,
        content=content,
        data=data,
        tool=tool,
        **fields,
    )
