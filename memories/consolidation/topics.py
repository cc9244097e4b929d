"""Whether two memories of one owner share more than a tone: a subject, a name, rare words."""

import re
from collections import Counter
from collections.abc import Iterable

from memories.models.memory import Memory
from memories.text.tokens import tokenize

SAMPLE = 500
"""Of an owner's newest memories the words are counted, to know which are rare there."""
RARE_SHARE, RARE_NUMBER = 0.03, 8
"""A word is rare in at most this share of them; in so many it may be in any case, as a topic is."""
ENOUGH = 2.0
"""One rare word may be chance; two, or one identifier, are a topic."""
_IDENTIFIER = re.compile(r"[\d._@/:+#-]")


class Topics:
    """What is rare among an owner's memories."""

    def __init__(self, texts: Iterable[str]) -> None:
        counts: Counter[str] = Counter()
        number = 0
        for text in texts:
            counts.update(set(tokenize(text)))
            number += 1
        most = max(RARE_NUMBER, number * RARE_SHARE)
        self._common = {word for word, count in counts.items() if count > most}
        self._words: dict[str, frozenset[str]] = {}

    def share(self, one: Memory, other: Memory) -> bool:
        """Whether both have one subject, or enough rare words in common."""
        if one.subject and one.subject.casefold() == other.subject.casefold():
            return True
        shared = self._rare(one) & self._rare(other)
        return sum(2.0 if _IDENTIFIER.search(word) else 1.0 for word in shared) >= ENOUGH

    def _rare(self, memory: Memory) -> frozenset[str]:
        text = f"{memory.content} {memory.subject}"
        if text not in self._words:
            self._words[text] = frozenset(tokenize(text)) - self._common
        return self._words[text]
