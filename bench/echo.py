"""A system that only compares words: an example of an adapter, and what tests drive."""

from collections import defaultdict
from collections.abc import Sequence


class Echo:
    """Finds what shares most words with the question."""

    def setup(self) -> None:
        self._told: dict[str, list[tuple[str, set[str]]]] = defaultdict(list)

    def write(self, texts: Sequence[str], user_id: str) -> Sequence[str]:
        known = self._told[user_id]
        ids = [f"{user_id}/{len(known) + place}" for place in range(len(texts))]
        known.extend((name, set(text.split())) for name, text in zip(ids, texts, strict=True))
        return ids

    def search(self, query: str, user_id: str, k: int) -> Sequence[str]:
        asked = set(query.split())
        alike = sorted(self._told[user_id], key=lambda told: -len(told[1] & asked))
        return [name for name, words in alike[:k] if words & asked]

    def close(self) -> None:
        self._told.clear()
