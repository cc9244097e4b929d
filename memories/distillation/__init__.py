"""Looking back at a session: propose → gate → compare → store, all of it recorded.

Doors: distil(), waiting() and retry().
"""

from memories.distillation.retrying import retry
from memories.distillation.run import distil, waiting

__all__ = ["distil", "retry", "waiting"]
