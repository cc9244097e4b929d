"""Screening on write (F2): what hides, what steers agents, what is a secret. Nothing is altered."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from memories.text.secrets import MASK, VEIL, masked, veiled
from memories.writing.steering import steering

MOST_FOUND = 120  # characters of what was found that are shown
_BEFORE = 40  # characters in front of a secret
# “API key: stored in Vault” tells no secret: an ordinary word is hardly ever one.
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_A-Z]|[-'’])*")

# Shown as nothing, or as a box, and read by a model: controls, zero-width and bidirectional marks,
# fillers, variation selectors, tags, and what only a private font gives a meaning.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ue000-\uf8ff\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_EMOJI = (
    "[#*0-9\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
# Scripts whose letters join: Arabic, Syriac and the Brahmic ones.
_JOINING = "\u0600-\u08ff\u0900-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"
# Where such a character has its use, each alone: what is left after them has none.
_IN_USE = re.compile(
    "|".join(
        (
            "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f",  # Scotland
            f"{_EMOJI}[\ufe0e\ufe0f]?\u20e3?(?:\u200d{_EMOJI}[\ufe0e\ufe0f]?)*",
            "[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff]"
            "[\ufe00-\ufe02\U000e0100-\U000e01ef]",  # a variant of a Han character
            "[\u1800-\u18af][\u180b-\u180f]",
            f"(?<=[{_JOINING}])[\u200c\u200d]",
            "(?<=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])\u200b",  # between words of Thai
            r"(?<=[^\W\d_])\u00ad(?=[^\W\d_])",  # where a word may be divided
            r"\A\ufeff",  # a file began here
        )
    )
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_DIRECTION = re.compile("[\u200e\u200f\u061c\u202a-\u202c\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Why a person should see a text first. `found` shows it, but never a secret itself."""

    code: Literal["hidden", "instruction", "secret"]
    found: str


def screened(text: str) -> Suspicion | None:
    """Return what is suspicious about a text that an agent or a program wrote, if anything is."""
    return hidden(text) or _steering(text) or _secret(text)


def hidden(text: str) -> Suspicion | None:
    """Return which characters hide in a text, such as “U+200B ×3”; None when each has its use."""
    if _HIDDEN.search(text) is None:
        return None
    left = _IN_USE.sub("", text)
    if _RIGHT_TO_LEFT.search(text):
        left = _DIRECTION.sub("", left)
    counts = Counter(_HIDDEN.findall(left))
    if not counts:
        return None
    names = (f"U+{ord(sign):04X}{f' ×{n}' if n > 1 else ''}" for sign, n in counts.most_common(8))
    return Suspicion("hidden", ", ".join(names))


def _steering(text: str) -> Suspicion | None:
    found = steering(text)
    return Suspicion("instruction", masked(found)[:MOST_FOUND]) if found else None


def _secret(text: str) -> Suspicion | None:
    for place in re.finditer(f"{VEIL}+", veiled(text)):
        if _WORD.fullmatch(text, *place.span()) is None:
            shown = masked(text[: place.end()])
            return Suspicion("secret", shown[-_BEFORE - len(MASK) :].strip())
    return None
