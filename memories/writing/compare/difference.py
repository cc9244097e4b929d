"""The differences that are left after alignment, sorted into values, words and scope."""

from dataclasses import dataclass
from functools import cached_property

from memories.writing.compare import gazetteer, units
from memories.writing.compare.align import Alignment, key
from memories.writing.compare.lexicon import grouped
from memories.writing.compare.order import same_order
from memories.writing.compare.parse import Parsed
from memories.writing.compare.tokens import Token

# Where or when a statement holds: another one of these is another statement, not a correction.
SCOPE = frozenset(
    {"env", "position", "branch", "daypart", "season", "kin", "weekdaytype", "ordinal"}
)
# Unless it is what somebody prefers.
WISHED = frozenset({"daypart", "season", "position", "weekdaytype"})
TEMPORAL = frozenset({"date", "time", "weekday"})
# Said in passing: may be missing on one side.
PASSING = frozenset({"season", "daypart", "frequency", "weekdaytype", "version"})
PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "non-")
SOFTWARE = frozenset(grouped(gazetteer.SOFTWARE))
QUANTITIES = frozenset(units.DIMENSIONS)

# Values that are written alike in both languages.
EXACT = QUANTITIES | TEMPORAL | SOFTWARE | {"version", "identifier", "env", "tongue", "colour"}


@dataclass(frozen=True)
class Difference:
    old: Parsed
    new: Parsed
    alignment: Alignment

    def _left(self, *, new: bool) -> list[tuple[int, Token]]:
        parsed, left = (
            (self.new, self.alignment.new_left) if new else (self.old, self.alignment.old_left)
        )
        return [(p, parsed.tokens[p]) for p in left]

    @cached_property
    def scales(self) -> frozenset[str]:
        """Scales that both statements speak of."""
        both = [{t.scale for t in parsed.tokens if t.scale} for parsed in (self.old, self.new)]
        return frozenset(both[0] & both[1])

    @cached_property
    def values(self) -> dict[str, tuple[list[Token], list[Token]]]:
        """Class → differing values (old, new), where both sides have one."""
        sides: list[dict[str, list[Token]]] = [{}, {}]
        for side, found in enumerate(sides):
            for _, token in self._left(new=bool(side)):
                if token.cls:
                    found.setdefault(token.cls, []).append(token)
        return {cls: (sides[0][cls], sides[1][cls]) for cls in sides[0] if cls in sides[1]}

    def _unexplained(self, *, new: bool) -> list[int]:
        classes = set(self.values) | {t.cls for t in self.old.values} & {
            t.cls for t in self.new.values
        }
        opposite = self.old if new else self.new
        said = {key(opposite.tokens[p]) for p in opposite.content}
        result = []
        for position, token in self._left(new=new):
            if (
                key(token) in said and not token.cls and token.kind != "char"
            ):  # said twice on this side
                continue
            if token.cls in self.values or token.cls in PASSING or token.scale in self.scales:
                continue
            if token.scale in ("always", "start") and token.sign > 0:
                continue
            if any(token in pair for pair in self._prefixed):
                continue
            if token.canon in classes:  # "database" beside PostgreSQL
                continue
            result.append(position)
        return result

    @cached_property
    def _extras(self) -> tuple[list[int], list[int]]:
        old, new = self._unexplained(new=False), self._unexplained(new=True)
        if not old or not new:  # "the user" may be left out, but not be another's place
            old = [p for p in old if self.old.tokens[p].canon != "user"]
            new = [p for p in new if self.new.tokens[p].canon != "user"]
        return old, new

    @property
    def old_extra(self) -> list[int]:
        """Positions of old content that nothing explains."""
        return self._extras[0]

    @property
    def new_extra(self) -> list[int]:
        return self._extras[1]

    @cached_property
    def scope_differs(self) -> bool:
        wished = all(any(t.canon == "prefer" for t in p.tokens) for p in (self.old, self.new))
        return any(cls in SCOPE and not (wished and cls in WISHED) for cls in self.values)

    @cached_property
    def groups(self) -> set[str]:
        """Independent kinds of differing values; a correction changes one."""
        names = {"temporal" if cls in TEMPORAL else cls for cls in self.values}
        if names & SOFTWARE:
            names -= {"version"}
        return names - {"daypart"} if "temporal" in names else names

    @cached_property
    def flips(self) -> tuple[int, int, int]:
        """(denials in the old, denials in the new, scales with opposite poles)."""
        return self._denials(new=False), self._denials(new=True), len(self.opposed)

    @cached_property
    def ordered(self) -> bool | None:
        """Whether both state the same order of the same things; None when they state none."""
        return same_order(self.old, self.new)

    @cached_property
    def opposed(self) -> list[tuple[Token, Token]]:
        """Words of one scale that stand at opposite poles in the two statements."""
        found = []
        for scale in sorted(self.scales - ({"before"} if self.ordered is not None else set())):
            poles = []
            for parsed in (self.old, self.new):
                words = [
                    t
                    for t in parsed.tokens
                    if t.scale == scale and "denier" not in t.tags and not t.rejected
                ]
                poles.append(words if len({t.sign for t in words}) == 1 else [])
            if poles[0] and poles[1] and poles[0][0].sign != poles[1][0].sign:
                found.append((poles[0][0], poles[1][0]))
        return found + self._prefixed

    @cached_property
    def _prefixed(self) -> list[tuple[Token, Token]]:
        """ "significant" against "insignificant": a word and the same with a denying prefix."""
        new_words = {token.canon: token for _, token in self._left(new=True)}
        found = []
        for _, old in self._left(new=False):
            bare = {old.canon.removeprefix(prefix) for prefix in PREFIXES} - {old.canon}
            words = bare | {prefix + old.canon for prefix in PREFIXES}
            hits = [word for word in words & new_words.keys() if min(len(word), len(old.canon)) > 3]
            found += [(old, new_words[word]) for word in hits]
        return found

    def _denials(self, *, new: bool) -> int:
        parsed = self.new if new else self.old
        denying = [token for token in parsed.tokens if _denies(token)]
        if not denying:
            return 0
        matched = {pair[1 if new else 0] for pair in self.alignment.matched}
        return sum(self._relevant(parsed, token.clause, matched) for token in denying)

    @staticmethod
    def _relevant(parsed: Parsed, clause: int, matched: set[int]) -> bool:
        content = [p for p in parsed.content if parsed.tokens[p].clause == clause]
        return not content or any(p in matched for p in content)


def _denies(token: Token) -> bool:
    denies = "negation" in token.tags or ("denier" in token.tags and token.sign < 0)
    return denies and not token.rejected
