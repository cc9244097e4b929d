"""What a statement is worth later, 0–1, from signs that a person can check."""

import math
import re
from collections.abc import Mapping

from memories.distillation.rules import signs, talk, words
from memories.distillation.rules.sorting import Names, is_talk
from memories.text.tokens import HAN, tokenize

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_CAPITAL = re.compile(r"(?<=[a-z,;:'’] )[A-Z][a-z]\w+")

# How far each sign speaks for keeping: odds, as in a logistic regression. Round numbers set by
# hand, so that one cue is enough for what must be kept (B1); docs/distillation.md has the figures.
WEIGHTS: Mapping[str, float] = {
    "health": 3.0, "remember": 4.0, "constraint": 1.5, "decision": 1.0, "correction": 1.0,
    "preference": 1.0, "identity": 1.5, "relation": 0.6, "possession": 0.5, "habit": 1.0,
    "technical": 1.5, "incident": 0.5, "discovery": 0.7, "plan": 0.4,
    "named": 2.0, "length": 2.0, "time": 1.0, "number": 0.5, "first": 0.3, "past": 0.6,
    "attached": 0.3, "resembles": 1.0,
    "you": -0.4, "general": -0.4, "mood": -0.5, "hedge": -0.8, "dangling": -0.6, "talk": -1.0,
}  # fmt: skip
BIAS = -1.75


def worth_of(signs: Mapping[str, float]) -> float:
    """Return the worth that the signs add up to, 0–1."""
    total = BIAS + sum(WEIGHTS[name] * value for name, value in signs.items())
    return round(1.0 / (1.0 + math.exp(-total)), 4)


def signals(text: str, names: Names) -> dict[str, float]:
    """Return the signs that a statement shows, each 0–1; `resembles` is for the embedder to add."""
    plain = text.replace("’", "'")
    found = {cue.name: 1.0 for cue in words.CUES if cue.pattern.search(plain)}
    tokens = tokenize(plain)
    count = max(len(tokens), 1)
    found |= {
        "named": min(_named(plain, names), 3) / 3,
        "number": float(bool(signs.NUMBER.search(plain))),
        "time": float(bool(signs.TIME.search(plain))),
        "length": min(math.log2(1 + len(set(tokens))) / 5, 1.0),
        "first": float(bool(signs.FIRST.search(plain))),
        "past": float(bool(signs.PAST.search(plain))),
        "you": float(bool(signs.YOU.search(plain))),
        "mood": min(len(signs.MOOD.findall(plain)) / count, 1.0),
        "general": float(bool(signs.GENERAL.search(plain))),
        "hedge": float(bool(talk.HEDGE.search(plain))),
        "dangling": float(bool(signs.POINTS_BACK.search(talk.without_fillers(plain)))),
        "talk": float(is_talk(names.addressed(plain))),
    }
    return {name: round(value, 4) for name, value in found.items() if value}


def _named(text: str, names: Names) -> int:
    """Count what has a name: capitals in a sentence, identifiers, titles, Latin in Chinese."""
    found = {match[0] for form in (signs.ODD, signs.CAMEL) for match in form.finditer(text)}
    if HAN.search(text):
        found |= {word for word in _WORD.findall(text) if word.isascii() and len(word) > 1}
    for match in _CAPITAL.finditer(text):
        if match[0] not in names:
            found.add(match[0])
    return len(found)
