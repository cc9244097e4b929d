"""What a tool's structured result means (B8): one small reader a shape, found by themselves."""

from memories.sessions.results.meaning import ToolMeaning
from memories.sessions.results.registry import meaning_of

__all__ = ["ToolMeaning", "meaning_of"]
