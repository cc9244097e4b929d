"""Which content of two statements is the same, and what is left over on each side."""

from dataclasses import dataclass
from difflib import SequenceMatcher

from memories.writing.compare.parse import Parsed
from memories.writing.compare.quantities import same_quantity
from memories.writing.compare.tokens import Token


@dataclass(frozen=True, slots=True)
class Alignment:
    """Positions are indexes into ``tokens`` of each statement."""

    matched: tuple[tuple[int, int], ...]
    old_left: tuple[int, ...]
    new_left: tuple[int, ...]
    shared: float  # content in common; a lone Chinese character weighs half a word
    overlap: float  # shared over the smaller statement, 0-1
    jaccard: float  # shared over all, 0-1


# Near enough to match, though the relations differ.
_NEAR = {"prefer": "like"}


def key(token: Token) -> str:
    """What a token is matched by: its scale whatever the pole, else its concept."""
    name = token.scale if token.scale and "denier" not in token.tags else token.canon
    return _NEAR.get(name, name)


def weight(token: Token) -> float:
    """A lone Chinese character is about half a word."""
    return 0.5 if token.kind == "char" else 1.0


def _isolated(parsed: Parsed, position: int) -> bool:
    tokens = parsed.tokens
    around = [tokens[p] for p in (position - 1, position + 1) if 0 <= p < len(tokens)]
    return not any(token.kind == "char" for token in around)


class _Aligner:
    def __init__(self, old: Parsed, new: Parsed) -> None:
        self.old, self.new = old, new
        self.matched: list[tuple[int, int]] = []
        self.old_left = list(old.content)
        self.new_left = list(new.content)

    def _match(self, pairs: list[tuple[int, int]]) -> None:
        self.matched += pairs
        done_old, done_new = {a for a, _ in pairs}, {b for _, b in pairs}
        self.old_left = [p for p in self.old_left if p not in done_old]
        self.new_left = [p for p in self.new_left if p not in done_new]

    def in_order(self) -> None:
        """Longest common blocks; a lone character inside different words does not count."""
        old_keys = [key(self.old.tokens[p]) for p in self.old_left]
        new_keys = [key(self.new.tokens[p]) for p in self.new_left]
        pairs = []
        for block in SequenceMatcher(
            None, old_keys, new_keys, autojunk=False
        ).get_matching_blocks():
            for offset in range(block.size):
                a, b = self.old_left[block.a + offset], self.new_left[block.b + offset]
                lone = block.size == 1 and self.old.tokens[a].kind == "char"
                if not lone or _isolated(self.old, a) or _isolated(self.new, b):
                    pairs.append((a, b))
        self._match(pairs)

    def anywhere(self) -> None:
        """The same words in another order; characters only two by two."""
        where: dict[str, list[int]] = {}
        for b in self.new_left:
            token = self.new.tokens[b]
            for name in {key(token), token.canon}:
                where.setdefault(name, []).append(b)
        pairs = []
        for a in self.old_left:
            token = self.old.tokens[a]
            spots = where.get(key(token)) or where.get(token.canon)
            if spots and (token.kind != "char" or _isolated(self.old, a)):
                pairs.append((a, spots[0]))
                for others in where.values():
                    if spots and others is not spots and pairs[-1][1] in others:
                        others.remove(pairs[-1][1])
                spots.pop(0)
        self._match(pairs)
        self._bigrams()

    def _bigrams(self) -> None:
        where = {
            (self.new.tokens[b].canon, self.new.tokens[c].canon): (b, c)
            for b, c in zip(self.new_left, self.new_left[1:], strict=False)
            if c == b + 1
        }
        pairs: dict[int, int] = {}
        for a, c in zip(self.old_left, self.old_left[1:], strict=False):
            spot = where.get((self.old.tokens[a].canon, self.old.tokens[c].canon))
            if c == a + 1 and spot:
                pairs.update({a: spot[0], c: spot[1]})
        unique = {b: a for a, b in pairs.items()}
        self._match([(a, b) for b, a in unique.items()])

    def quantities(self) -> None:
        """``31 March`` and ``2027-03-31`` can be one date, ``1 year`` and ``365 days`` one time."""
        pairs = []
        free = [b for b in self.new_left if self.new.tokens[b].kind in ("date", "duration")]
        for a in self.old_left:
            old = self.old.tokens[a]
            for b in list(free):
                new = self.new.tokens[b]
                if old.kind == new.kind and same_quantity(old.canon, new.canon):
                    pairs.append((a, b))
                    free.remove(b)
                    break
        self._match(pairs)


def align(old: Parsed, new: Parsed) -> Alignment:
    """Match content in order, then anywhere, then quantities that can be one."""
    aligner = _Aligner(old, new)
    aligner.in_order()
    aligner.anywhere()
    aligner.quantities()
    shared = sum(weight(old.tokens[a]) for a, _ in aligner.matched)
    old_all = sum(weight(old.tokens[p]) for p in old.content)
    new_all = sum(weight(new.tokens[p]) for p in new.content)
    return Alignment(
        matched=tuple(sorted(aligner.matched)),
        old_left=tuple(aligner.old_left),
        new_left=tuple(aligner.new_left),
        shared=shared,
        overlap=shared / max(min(old_all, new_all), 1.0),
        jaccard=shared / max(old_all + new_all - shared, 1.0),
    )
