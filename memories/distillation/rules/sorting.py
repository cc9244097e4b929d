"""What a sentence is, before its worth is asked: talk, a question, a request."""

import re
from collections.abc import Iterable

from memories.distillation.rules import talk, words
from memories.distillation.rules.speaker import speaker_of

GREETING, QUESTION, ONE_OFF = "greeting", "question", "one_off"
MOST_TALK = 9
"""Words of a sentence that may be turned away as mere talk, by how it begins."""
_SPACE = re.compile(r"\s+")
_LASTING = tuple(cue.pattern for cue in words.CUES if cue.name in words.LASTING)
_CALLS = (
    "[Ww]ow|[Hh]ey|[Hh]i|[Hh]ello|[Tt]hanks|[Yy]eah|[Yy]ep|[Oo]h|[Cc]ongrats|[Mm]an|[Ww]ell|[Ss]ure"
    "|[Ss]orry|[Nn]ice one|[Cc]ool|[Aa]wesome"
)
_EDGES = " \t,.!~，。！～—–-"


class Names:
    """The names of those who speak in a session, by which they address each other."""

    def __init__(self, speakers: Iterable[str]) -> None:
        full = {speaker_of(speaker).name for speaker in set(speakers)} - {""}
        parts = {part for name in full for part in [name, *name.split()]}
        self._parts = frozenset(part.casefold() for part in parts)
        short = {part[:size] for part in parts if part.isascii() for size in range(3, len(part))}
        known = "|".join(map(re.escape, sorted(parts | short, key=len, reverse=True)))
        self._called = re.compile(
            rf"^(?:{known})(?=\s*[,，.!！?？~]|$)[,，]?"
            rf"|(?P<before>[,，!！]\s*|\b(?:{_CALLS})\s+)(?:{known})(?=[\s,，.!！?？~]|$)[,，]?"
            if known
            else r"(?P<before>)(?!)"
        )

    def addressed(self, sentence: str) -> str:
        """Return the sentence without the names that it is addressed to."""
        bare = self._called.sub(lambda match: match["before"] or "", sentence)
        return _SPACE.sub(" ", bare).strip(" ,，")

    def __contains__(self, word: str) -> bool:
        return word.casefold() in self._parts


def code_of(sentence: str, names: Names) -> str:
    """Return why a sentence is no statement at all, "" for one that is."""
    plain = names.addressed(sentence.replace("’", "'"))
    if _asks(plain):
        return QUESTION
    standing = bool(talk.STANDING.search(plain)) or any(cue.search(plain) for cue in _LASTING)
    if not standing and talk.ONE_OFF.search(plain):
        return ONE_OFF
    if not standing and ((is_talk(plain) and _brief(plain)) or not plain.strip(_EDGES)):
        return GREETING
    return ""


def is_talk(sentence: str) -> bool:
    """Whether a sentence begins as greetings, thanks and praise do; a long one may say more."""
    return bool(talk.GREETING.search(sentence))


def _brief(sentence: str) -> bool:
    return len(sentence.split()) <= MOST_TALK and len(sentence) <= 6 * MOST_TALK


def _asks(sentence: str) -> bool:
    """A question, unless it states something and only asks for a nod."""
    if talk.TAG.search(sentence):
        return bool(talk.ASKING.search(sentence))
    return bool(talk.QUESTION.search(sentence))
