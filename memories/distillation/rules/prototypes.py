"""How much a statement resembles what is worth keeping, by labelled prototypes and the embedder."""

import json
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from operator import mul
from pathlib import Path
from typing import NamedTuple

from memories.embedding.client import EmbedderDown, embed

FILE = Path(__file__).parents[2] / "data" / "worth.jsonl"
NEAREST = 5
"""Prototypes of each class whose mean similarity counts: one alone may be near by chance."""
BATCH = 100
"""Texts whose vectors are held at once (B10)."""

Vector = Sequence[float]


class Prototype(NamedTuple):
    text: str
    keep: bool


class Labelled(NamedTuple):
    """Prototypes as vectors of one model, and how far apart its two classes lie."""

    kept: Sequence[Vector]
    left: Sequence[Vector]
    spread: float


@cache
def prototypes() -> tuple[Prototype, ...]:
    """Return statements worth keeping and others; written for this project, in both languages."""
    rows = map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
    return tuple(Prototype(row["text"], row["keep"]) for row in rows)


def resemblances(texts: Sequence[str]) -> Iterator[float]:
    """Yield for each text −1 (like what is left) … 1 (like what is kept); 0 without an embedder.

    The unit is how clearly the prototypes themselves fall into their classes, so that it means the
    same for every embedding model.
    """
    for start in range(0, len(texts), BATCH):
        batch = texts[start : start + BATCH]
        try:
            answer = embed(batch)
            labelled = _labelled(answer.model)
        except EmbedderDown:
            yield from [0.0] * len(batch)
            continue
        for vector in answer.vectors:
            margin = _nearest(vector, labelled.kept) - _nearest(vector, labelled.left)
            yield max(-1.0, min(1.0, margin / labelled.spread))


@lru_cache(maxsize=2)
def _labelled(model: str) -> Labelled:
    """Embed the prototypes with the model that answers now; kept while it is `model`."""
    vectors = embed([prototype.text for prototype in prototypes()]).vectors
    pairs = list(zip(vectors, prototypes(), strict=True))
    kept = [vector for vector, prototype in pairs if prototype.keep]
    left = [vector for vector, prototype in pairs if not prototype.keep]
    # Each prototype is nearest to itself: one more is taken, and that one left out.
    gaps = [
        (
            _nearest(vector, kept, besides=prototype.keep)
            - _nearest(vector, left, besides=not prototype.keep)
        )
        * (1 if prototype.keep else -1)
        for vector, prototype in pairs
    ]
    return Labelled(kept, left, max(sum(gaps) / len(gaps), 1e-3))


def _nearest(vector: Vector, others: Sequence[Vector], *, besides: bool = False) -> float:
    cosines = sorted((sum(map(mul, vector, other)) for other in others), reverse=True)
    nearest: list[float] = cosines[besides : besides + NEAREST]
    return sum(nearest) / len(nearest)
