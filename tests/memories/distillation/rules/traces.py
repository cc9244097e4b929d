"""Traces of tool use, told step by step, as unsaved turns."""

from datetime import UTC, datetime, timedelta
from typing import Any

from memories.distillation.proposal import Scene
from memories.models.session import Turn

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
SCENE = Scene(agent="coder", user_id="anna")
MISSING = "ModuleNotFoundError: No module named 'foo'"


class Trace:
    """Collects turns numbered from 1, a minute apart."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    def add(self, **fields: Any) -> "Trace":
        number = len(self.turns) + 1
        when = START + timedelta(minutes=number)
        self.turns.append(Turn(number=number, happened_at=when, **fields))
        return self

    def user(self, content: str) -> "Trace":
        return self.add(type=Turn.Type.MESSAGE, role=Turn.Role.USER, content=content)

    def says(self, content: str) -> "Trace":
        return self.add(type=Turn.Type.MESSAGE, role=Turn.Role.ASSISTANT, content=content)

    def call(self, tool: str, data: Any = None, **fields: Any) -> "Trace":
        role = Turn.Role.ASSISTANT
        return self.add(type=Turn.Type.TOOL_CALL, role=role, tool=tool, data=data, **fields)

    def result(self, content: str = "", *, data: Any = None, **fields: Any) -> "Trace":
        role = Turn.Role.TOOL
        return self.add(type=Turn.Type.TOOL_RESULT, role=role, content=content, data=data, **fields)

    def runs(self, command: str, code: int = 0, out: str = "") -> "Trace":
        """Call a shell and tell its exit code and output."""
        return self.call("bash", {"command": command}).result(
            data={"exit_code": code, "stdout": out}
        )

    def uses(self, tool: str, ok: bool | None, error: str = "", **arguments: Any) -> "Trace":
        """Call a tool and tell its outcome by the host's word."""
        return self.call(tool, arguments).result(error or "done", ok=ok, error=error)


def fixed_import(ask: str = "Please make the tests pass") -> Trace:
    trace = Trace().user(ask).runs("pytest -x", 1, MISSING)
    return trace.runs("pip install foo").runs("pytest -x", 0, "3 passed in 0.10s")
