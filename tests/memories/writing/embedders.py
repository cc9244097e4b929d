"""An embedding server that knows words only, for tests of many writes: no model's time."""

import json
import threading
import zlib
from typing import Any

DIMENSION = 384


def statement(number: int) -> str:
    """A statement that has nothing in common with the one of any other number."""
    return f"thing{number} {number * 7919:x}q{number}"


class ByWords:
    """A vector for each text; texts without a common word are not alike.

    `asked` holds the requests. From the request number `held_from` on it waits until `gate` is set;
    it refuses texts with the word `refused`.
    """

    def __init__(self, *, held_from: int = 1_000_000, refused: str = "") -> None:
        self.asked: list[list[str]] = []
        self.held_from = held_from
        self.refused = refused
        self.gate = threading.Event()

    def __call__(self, body: dict[str, Any]) -> tuple[int, bytes]:
        texts = [str(text) for text in body["input"]]
        self.asked.append(texts)
        if len(self.asked) > self.held_from:
            assert self.gate.wait(60)
        if self.refused and any(self.refused in text for text in texts):
            return 500, b'{"error": {"message": "A bad text."}}'
        data = [{"index": i, "embedding": _vector(text)} for i, text in enumerate(texts)]
        return 200, json.dumps({"model": "words@1", "data": data}).encode()


def _vector(text: str) -> list[float]:
    vector = [0.0] * DIMENSION
    for word in text.lower().removeprefix("query: ").split():
        vector[zlib.crc32(word.encode()) % DIMENSION] += 1.0
    return vector
