"""Text as it may be stored, and as it must be shown so that nothing hides in it."""

import hashlib
import re
import unicodedata

REPLACEMENT = "�"
# PostgreSQL stores no NUL, UTF-8 has no lone surrogates.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# Format characters, bidirectional controls and tags: shown as nothing, read by a model.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)
# For a reviewer's eyes there is more: what only a private font gives a shape, and variation
# selectors where they vary nothing: after a letter, a space or one another (a keycap aside).
_UNSEEN = re.compile(
    f"{_INVISIBLE.pattern}|[\ue000-\uf8ff\U000f0000-\U0010ffff]"
    r"|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]|(?<![^\w\s])[\ufe03-\ufe0f](?!\u20e3)"
)
_SPACE = re.compile(r"\s+")


def storable(text: str) -> tuple[str, list[str]]:
    """Return (text that can be stored, what was done to it): NFC, NUL and lone surrogates → U+FFFD.

    A pair of surrogates that together are one character becomes that character.
    """
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    fixed = unicodedata.normalize("NFC", _UNSTORABLE.sub(REPLACEMENT, joined)).strip()
    notes = [
        note
        for note, found in (
            ("nul_replaced", "\x00" in text),
            ("surrogate_replaced", REPLACEMENT in joined and REPLACEMENT not in text),
            ("invisible_characters", bool(_INVISIBLE.search(fixed))),
        )
        if found
    ]
    return fixed, notes


def visible(text: str) -> str:
    """Return text with every character that cannot be seen spelt out as ⟦U+200B⟧, for reviewers."""
    return _UNSEEN.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", text)


def unhidden(text: str) -> str:
    """Return text without what cannot be seen: where a person's own version of it begins."""
    return _UNSEEN.sub("", text)


def bare(text: str) -> str:
    """Return text without invisible characters and with single spaces: what its words are."""
    return _SPACE.sub(" ", _INVISIBLE.sub("", text)).strip()


def fingerprint(text: str) -> str:
    """Return the SHA-256 (64 hex digits) by which two texts count as the same (B7)."""
    return hashlib.sha256(bare(text).encode()).hexdigest()
