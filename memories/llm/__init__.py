"""Any OpenAI-compatible LLM, if one is configured (I3).

Doors: available(), and ask(), which returns a validated answer or raises LlmDown.
"""

from memories.llm.client import ask, available
from memories.llm.errors import LlmDown, LlmRefused

__all__ = ["LlmDown", "LlmRefused", "ask", "available"]
