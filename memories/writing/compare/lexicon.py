"""One dictionary of surface forms, built once from the word lists of this package."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from memories.writing.compare import antonyms, concepts, gazetteer

# Ordinary English words that name software only when written with a capital.
CAPITAL_ONLY = frozenset(
    [
        "express",
        "edge",
        "opera",
        "signal",
        "teams",
        "cursor",
        "nano",
        "spring",
        "square",
        "notion",
        "linear",
        "drone",
        "arc",
        "swift",
        "dart",
        "chef",
        "puppet",
        "bamboo",
        "parcel",
        "jest",
        "rest",
        "bun",
        "uv",
        "gin",
        "salt",
        "spanner",
        "aurora",
        "bottle",
        "brave",
        "chrome",
        "docker",
        "teams",
        "slack",
        "zoom",
        "sketch",
        "phoenix",
        "oracle",
        "aurora",
        "varnish",
        "vault",
        "solid",
        "argo",
        "rails",
        "ember",
        "apache",
        "caddy",
        "eclipse",
        "sublime",
        "atom",
        "sentry",
        "conda",
        "poetry",
        "cargo",
        "make",
        "biome",
        "prettier",
        "bootstrap",
        "gold",
        "silver",
        "orange",
        "navy",
        "turkey",
        "china",
        "rust",
        "ruby",
        "julia",
        "kimi",
        "claude",
        "gemini",
        "llama",
        "nomad",
        "swarm",
        "perl",
        "valencia",
        "florence",
        "nice",
        "orlando",
        "sofia",
        "mistral",
        "dragonfly",
        "pulsar",
        "envoy",
        "mesos",
        "lima",
        "porto",
        "cognito",
    ]
)


@dataclass(frozen=True, slots=True)
class Entry:
    """What a surface form means: its concept, class, scale with sign, and tags."""

    canon: str
    cls: str = ""
    scale: str = ""
    sign: int = 1
    tags: frozenset[str] = frozenset()


def stem(word: str) -> str:
    """A crude English stem: enough for plural, -ed and -ing to meet."""
    if len(word) < 4 or not word.isascii():
        return word
    for suffix in ("ing", "ied", "ies", "ed", "es", "s"):
        if (
            word.endswith(suffix)
            and len(word) - len(suffix) >= 3
            and not word.endswith(("ss", "us", "is"))
        ):
            word = word[: -len(suffix)] + ("y" if suffix in ("ied", "ies") else "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def _records(text: str) -> Iterator[str]:
    """Lines of a word list; an indented line continues the one before."""
    record = ""
    for line in text.splitlines():
        if line.startswith(" "):
            record += line
        elif line:
            if record:
                yield record
            record = line
    if record:
        yield record


def words(text: str) -> Iterator[str]:
    for word in text.replace("|", " ").split():
        yield word.replace("_", " ")


def grouped(text: str) -> dict[str, list[str]]:
    """``head: word word | 词`` lines as a mapping."""
    result: dict[str, list[str]] = {}
    head = ""
    for record in _records(text):
        name, colon, rest = record.partition(": ")
        head, body = (name.replace("_", " "), rest) if colon else (head, record)
        result.setdefault(head, []).extend(words(body))
    return result


class Builder:
    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}

    def add(self, surface: str, *, tag: str = "", **fields: object) -> None:
        entry = self.entries.get(surface) or Entry(canon=stem(surface))
        if tag:
            entry = replace(entry, tags=entry.tags | {tag})
        self.entries[surface] = replace(entry, **fields)  # type: ignore[arg-type]

    def tag(self, surfaces: Iterable[str], tag: str) -> None:
        for surface in surfaces:
            self.add(surface, tag=tag)

    def spread(self, tags: Iterable[str]) -> None:
        """A tag of a concept holds for all its words."""
        for surface, entry in list(self.entries.items()):
            concept = self.entries.get(entry.canon)
            for tag in tags:
                if concept and tag in concept.tags:
                    self.add(surface, tag=tag)

    def scales(self, text: str, tag: str) -> None:
        for record in _records(text):
            poles = [list(words(pole)) for pole in record.split(" / ")]
            scale = poles[0][0]
            for sign, pole in zip((1, -1), poles, strict=True):
                for surface in pole:
                    known = self.entries.get(surface)
                    if known and known.scale:
                        continue
                    canon = known.canon if known and known.canon != stem(surface) else scale
                    self.add(surface, tag=tag, canon=canon, scale=scale, sign=sign)

    def gazetteer(self, text: str) -> None:
        for cls, values in grouped(text).items():
            for value in values:
                canon, *aliases = value.split("=")
                for surface in (canon, *aliases):
                    self.add(surface, canon=canon, cls=cls)


@lru_cache(maxsize=1)
def lexicon() -> dict[str, Entry]:
    """Every known surface form, lower case, with spaces between its words."""
    builder = Builder()
    for concept, surfaces in grouped(concepts.SYNONYMS).items():
        for surface in surfaces:
            if surface not in builder.entries:
                builder.add(surface, canon=concept)
    builder.scales(antonyms.DENIERS, "denier")
    builder.scales(antonyms.SCALES, "scale")
    for text, tag in (
        (concepts.FUNCTION, "function"),
        (concepts.INSTEAD, "function"),
        (concepts.CHANGE, "change"),
        (concepts.IRREALIS, "irrealis"),
        (concepts.ADDITIVE, "additive"),
        (concepts.NEGATION, "negation"),
        (concepts.AFFIRMATIVE, "affirmative"),
        (concepts.GENERAL, "general"),
        (concepts.MANY_VALUED, "many"),
        (concepts.SCHEDULED, "scheduled"),
        (concepts.PAST, "past"),
        (concepts.EVENTS, "past"),
        (concepts.FORMER, "former"),
        (concepts.COMPOUNDS, "compound"),
    ):
        builder.tag(words(text), tag)
    builder.spread(("many", "scheduled", "general"))
    builder.gazetteer(gazetteer.SOFTWARE)
    builder.gazetteer(gazetteer.WORLD)
    return builder.entries


@lru_cache(maxsize=1)
def stems() -> dict[str, Entry]:
    """Single English words by their stem, for inflected forms that are not listed."""
    result: dict[str, Entry] = {}
    for surface, entry in lexicon().items():
        closed = entry.tags & {"negation", "function", "irrealis", "additive", "affirmative"}
        if surface.isascii() and " " not in surface and not entry.cls and not closed:
            result.setdefault(stem(surface), entry)
    return result


@lru_cache(maxsize=1)
def phrase_openers() -> frozenset[str]:
    """The first words of all known phrases of more than one word."""
    return frozenset(surface.partition(" ")[0] for surface in lexicon() if " " in surface)


@lru_cache(maxsize=1)
def longest_chinese() -> int:
    return max(len(surface) for surface in lexicon() if not surface.isascii())


@lru_cache(maxsize=1)
def single_valued() -> dict[str, frozenset[str]]:
    """Relation → classes of values it can hold only one of (``*`` any)."""
    result: dict[str, set[str]] = {}
    for accepts, relations in grouped(concepts.SINGLE_VALUED).items():
        for relation in relations:
            for name in (relation, stem(relation)):
                result.setdefault(name, set()).add(accepts)
    return {relation: frozenset(classes) for relation, classes in result.items()}
