"""How far a share that was counted can be trusted."""

from math import sqrt


def wilson(hits: int, count: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's interval of a share: (0, 1) when nothing was counted."""
    if not count:
        return 0.0, 1.0
    share, spread = hits / count, z * z / count
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)
