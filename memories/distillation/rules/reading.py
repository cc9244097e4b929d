"""A turn as statements: sentences that belong together, and those turned away with their reason."""

from dataclasses import dataclass, replace

from memories.distillation.rules import signs, talk, words
from memories.distillation.rules.sentences import Sentence, hides, sentences
from memories.distillation.rules.sorting import GREETING, Names, code_of
from memories.text.secrets import masked, veiled
from memories.text.tokens import HAN

SECRET = "secret"  # noqa: S105  # the code of a reason
AIM = 200
"""Characters that a memory aims at (B6)."""
SHORT, FRAGMENT = 9, 4
"""Words of an answer that needs its question, with and without a “yes” or the like in front."""
_ALONE = tuple(
    cue.pattern
    for cue in words.CUES
    if cue.name in {"health", "remember", "decision", "correction", "constraint"}
)


@dataclass(frozen=True, slots=True)
class Statement:
    """Sentences of one turn, next to each other; `drop` is why they are none, "" if they are."""

    sentences: tuple[Sentence, ...]
    drop: str = ""

    @property
    def start(self) -> int:
        return self.sentences[0].start

    @property
    def end(self) -> int:
        return self.sentences[-1].end

    @property
    def parts(self) -> list[str]:
        return [sentence.text for sentence in self.sentences]

    @property
    def said(self) -> list[str]:
        """Return what was said, without what is said of attachments."""
        return [sentence.text for sentence in self.sentences if not sentence.attached]

    @property
    def length(self) -> int:
        return sum(len(sentence.text) + 1 for sentence in self.sentences)


def read(message: str, names: Names, *, answers: bool = False) -> list[Statement]:
    """Return the statements of a message in order; `answers` when it follows somebody's question.

    Sentences stay together over talk between them, never over what must not be quoted.
    """
    done: list[Statement] = []
    shown = veiled(message)
    waiting: dict[bool, Statement] = {}
    for number, sentence in enumerate(sentences(message)):
        drop = "" if sentence.attached else code_of(sentence.text, names)
        if shown[sentence.start : sentence.end] != sentence.text:
            drop = SECRET
        if answers and number == 0 and drop == GREETING and talk.ANSWER.search(sentence.text):
            drop = ""
        before = waiting.pop(bool(drop), None)
        one = Statement((sentence,), drop)
        if before is not None and _together(message, before, one):
            one = replace(before, sentences=(*before.sentences, sentence))
        elif before is not None:
            done.append(before)
        if drop == SECRET and (open_one := waiting.pop(False, None)):
            done.append(open_one)
        waiting[bool(drop)] = one
    return sorted([*done, *waiting.values()], key=lambda statement: statement.start)


def is_answer(sentence: str) -> bool:
    """Whether a sentence is an answer that says little without its question."""
    if HAN.search(sentence):
        return len(sentence) <= FRAGMENT * 3 or (
            len(sentence) <= SHORT * 4 and bool(talk.ANSWER.search(sentence))
        )
    count = len(sentence.split())
    return count <= FRAGMENT or (count <= SHORT and bool(talk.ANSWER.search(sentence)))


def _together(message: str, before: Statement, after: Statement) -> bool:
    between = message[before.end : after.start]
    if before.drop != after.drop or before.length + after.length > AIM or hides(between):
        return False
    if before.drop:
        return not between.strip()
    if after.sentences[0].attached:
        return True
    return "\n" not in between and not _own_idea(before, after.sentences[0].text)


def _own_idea(before: Statement, sentence: str) -> bool:
    """Whether either side is a rule, a decision or the like, which is a memory of its own."""
    if signs.POINTS_BACK.search(sentence):
        return False
    return any(cue.search(text) for cue in _ALONE for text in (sentence, before.parts[-1]))


def without_secrets(message: str, statement: Statement) -> str:
    return masked(veiled(message)[statement.start : statement.end])


def quoted(message: str, statement: Statement) -> str:
    return message[statement.start : statement.end]
