"""Names, folded for comparison: what is written differently and means one thing has one key."""

import re
import unicodedata
from collections.abc import Iterator

MAX_KEY = 120
"""Characters; as many as the database keeps of a name."""
MAX_KEYS = 400
"""Keys looked up for one text: a long one has said what it is about by then."""
LONGEST_RUN, LONGEST_HAN = 4, 8
"""Words of a name in a text, and characters of a Chinese one."""

_JOINTS = re.compile(r"[\s\-_‐‑–·・]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_WORDS = re.compile(rf"[{_HAN}]+|[^\W{_HAN}]+(?:[._@/:'’&\-+#][^\W{_HAN}]+)*[+#]*")
_IS_HAN = re.compile(f"[{_HAN}]")


def folded(name: str) -> str:
    """Return the key of a name, "" for one that is only punctuation.

    Case, width, spaces, hyphens, a possessive and a plural s do not count: “Docker-Composes” and
    “docker compose” are one.
    """
    plain = unicodedata.normalize("NFKC", name).casefold().strip(' \t\r\n.,;:!?"“”()[]')
    key = _JOINTS.sub("", _POSSESSIVE.sub("", plain))
    plural = len(key) > 3 and key.endswith("s") and key[-2].isalpha() and key.isascii()
    if plural and not key.endswith(("ss", "us", "is")):
        key = key[:-1]
    return key[:MAX_KEY]


def keys_in(text: str) -> list[str]:
    """Return the keys of all that may be a name in a text, at most MAX_KEYS, in its order.

    Up to four words in a row, up to eight Chinese characters: for looking names up, not for finding
    new ones.
    """
    found: dict[str, None] = {}
    runs = _WORDS.findall(unicodedata.normalize("NFKC", text))
    for place, run in enumerate(runs):
        for name in _han(run) if _IS_HAN.match(run) else _latin(runs, place):
            found.setdefault(folded(name))
        if len(found) >= MAX_KEYS:
            break
    found.pop("", None)
    return list(found)[:MAX_KEYS]


def _latin(runs: list[str], place: int) -> Iterator[str]:
    """Yield the words from `place` on, and those followed by a few Chinese characters: QQ音乐."""
    for end in range(place + 1, min(place + LONGEST_RUN, len(runs)) + 1):
        if _IS_HAN.match(runs[end - 1]):
            yield from (
                " ".join(runs[place : end - 1]) + runs[end - 1][:size]
                for size in range(1, min(LONGEST_RUN, len(runs[end - 1])) + 1)
            )
            return
        yield " ".join(runs[place:end])


def _han(run: str) -> Iterator[str]:
    for first in range(len(run)):
        for size in range(2, min(LONGEST_HAN, len(run) - first) + 1):
            yield run[first : first + size]
