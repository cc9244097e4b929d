"""The rules distiller: always there, no model needed but the embedder, and that may be away."""

from collections.abc import Sequence

from memories.distillation.proposal import Proposal, Scene
from memories.distillation.rules.procedures import procedures
from memories.distillation.rules.statements import statements
from memories.models.session import Turn

__all__ = ["procedures", "propose", "statements"]


def propose(turns: Sequence[Turn], scene: Scene) -> list[Proposal]:
    """Return what rules find worth considering in the turns, also what they turn away and why."""
    return [*statements(turns, scene), *procedures(turns, scene)]
