"""How near two statements have to be, in the terms of the model that compared them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Cosines of one embedding model, 0-1.

    Below ``conflict_gate`` only explicit corrections conflict; from ``duplicate``
    (``cross_duplicate`` between languages) two statements may be one.
    """

    conflict_gate: float
    duplicate: float
    cross_duplicate: float
