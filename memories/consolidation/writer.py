"""Who writes the text of a merge: the LLM where it can be trusted with it, else the sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memories.consolidation.facts import Fault
from memories.consolidation.llm import written
from memories.consolidation.text import joined
from memories.llm import LlmDown, LlmRefused, available
from memories.models.memory import Memory
from memories.policies import ConsolidatingPolicy

LEAST_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class MergedText:
    """A merged text; `evidence` says who wrote it and, if it was not the LLM, why not."""

    content: str
    evidence: Mapping[str, str]


def merged_text(
    memories: Sequence[Memory], policy: ConsolidatingPolicy, *, seconds: float
) -> MergedText:
    """Return one text for these memories. It may ask the LLM for up to `seconds`; never fails.

    The evidence has `writer` ("llm" or "sentences") and, after the LLM, `why` not ("down",
    "refused", "time", or what its text lost or added, see facts.py) with `what` shows it.
    """
    if not wants_llm(policy):
        return _sentences(memories)
    if seconds < LEAST_SECONDS:
        return _sentences(memories, Fault("time", ""))
    try:
        found = written(memories, seconds=seconds)
    except LlmRefused:
        found = Fault("refused", "")
    except LlmDown as down:
        found = Fault("down", str(down))
    return (
        _sentences(memories, found)
        if isinstance(found, Fault)
        else MergedText(found, {"writer": "llm"})
    )


def wants_llm(policy: ConsolidatingPolicy) -> bool:
    """Whether the LLM writes, if it can."""
    return policy.writer == "auto" and available()


def _sentences(memories: Sequence[Memory], fault: Fault | None = None) -> MergedText:
    evidence = {"writer": "sentences"}
    if fault is not None:
        evidence |= {"why": fault.code, "what": fault.what[:200]}
    return MergedText(joined(memories), evidence)
