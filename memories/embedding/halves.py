"""Vectors as the database keeps them: in half precision (pgvector's halfvec)."""

import struct
from collections.abc import Sequence
from functools import lru_cache


def halves(vector: Sequence[float]) -> tuple[float, ...]:
    """Return a vector's numbers rounded as they are stored. Raises OverflowError above 65,504."""
    form = f"{len(vector)}e"
    return struct.unpack(form, struct.pack(form, *vector))


def written(vector: Sequence[float]) -> str:
    """Return the text of a halfvec; that of a question is asked for several times in a row."""
    return _written(tuple(vector))


@lru_cache(maxsize=16)
def _written(vector: tuple[float, ...]) -> str:
    # Five digits tell two halves apart, and are written sooner than all of them.
    return f"[{','.join(['%.5g'] * len(vector))}]" % halves(vector)
