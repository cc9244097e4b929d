"""What the turns around it make of a statement: given up, confirmed, an answer to a question."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from memories.distillation.rules import talk
from memories.distillation.rules.sentences import Sentence, sentences
from memories.distillation.rules.sorting import is_talk
from memories.models.session import Turn
from memories.text.tokens import tokenize

FARTHEST = 12
"""Turns that a thread is followed back from where it was given up."""


def messages(turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns in which somebody says something."""
    said = (Turn.Role.USER, Turn.Role.ASSISTANT)
    return [turn for turn in turns if turn.type == Turn.Type.MESSAGE and turn.role in said]


def abandoned(said: Sequence[Turn]) -> Mapping[int, int]:
    """Return up to which character the statements of a turn (by number) were given up (F1)."""
    found: dict[int, int] = {}
    for place, turn in enumerate(said):
        if turn.role != Turn.Role.USER:
            continue
        end, own = _given_up(turn.content)
        if not end:
            continue
        found[turn.number] = end
        if not own:
            for earlier in _thread(said, place, turn.content[:end], found):
                found[earlier.number] = len(earlier.content)
    return found


def _given_up(text: str) -> tuple[int, bool]:
    """Return (where the last giving up of a turn ends, whether the turn itself said what)."""
    end, own, before = 0, False, False
    for sentence in sentences(text):
        if talk.GIVEN_UP.search(sentence.text):
            end, own = sentence.end, before
        before |= not is_talk(sentence.text)
    return end, own


def _thread(
    said: Sequence[Turn], place: int, given_up: str, ended: Mapping[int, int]
) -> list[Turn]:
    """Return the turns before `place` on the topic that ends there, the latest first.

    The turn just before belongs to it; an earlier one as long as it shares a word with the later
    ones. A turn that opens a topic is the thread's first, and an ended thread is not entered.
    """
    thread: list[Turn] = []
    topic = set(tokenize(given_up))
    if talk.SHIFT.search(given_up):
        return thread
    spoken = {Turn.Role.USER: 0}
    for turn in reversed(said[max(0, place - FARTHEST) : place]):
        tokens = set(tokenize(turn.content))
        if turn.number in ended or (spoken.get(Turn.Role.USER) and not topic & tokens):
            break
        thread.append(turn)
        topic |= tokens
        if turn.role == Turn.Role.USER:
            spoken[Turn.Role.USER] += 1
            if any(talk.SHIFT.search(sentence.text) for sentence in sentences(turn.content)):
                break
    return thread


def confirmed(said: Sequence[Turn]) -> Mapping[int, int]:
    """Return for each assistant's turn the number of the user's turn that says yes to it."""
    return {
        turn.number: after.number
        for turn, after in pairwise(said)
        if turn.role == Turn.Role.ASSISTANT
        and after.role == Turn.Role.USER
        and talk.YES.search(after.content.strip().replace("’", "'"))
    }


def asked_before(said: Sequence[Turn]) -> Mapping[int, tuple[Turn, Sentence]]:
    """Return for each turn (by number) the question with which somebody else ended just before."""
    found: dict[int, tuple[Turn, Sentence]] = {}
    for turn, after in pairwise(said):
        if (turn.role, turn.speaker) == (after.role, after.speaker):
            continue
        last = None
        for sentence in sentences(turn.content):
            last = last if sentence.attached else sentence
        if (
            last
            and talk.QUESTION.search(last.text)
            and not talk.OFFER.search(last.text.replace("’", "'"))
        ):
            found[after.number] = turn, last
    return found
