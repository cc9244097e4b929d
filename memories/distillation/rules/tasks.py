"""Stretches of a session on one task: from what the user asked until the user turns elsewhere."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from memories.distillation.rules import talk
from memories.distillation.rules.commands import command_of
from memories.models.session import Turn
from memories.sessions.echo import without_injected
from memories.text.tokens import HAN, tokenize

# A message of fewer tokens (“try again”, “继续”) follows up; it opens no task.
_FEWEST_TOKENS = 5
_FOLLOWS_UP = re.compile(
    r"\b(?:again|retry|continue|go on|keep|still|instead|fix|error|fail\w*|now|works?)\b"
    r"|[再试改修错换]|继续|接着|还是|失败",
    re.IGNORECASE,
)
_WINDOW = 2000


@dataclass(slots=True)
class Task:
    """`request` is the user's first message of it; `abandoned` says that the user gave it up."""

    request: str = ""
    turns: list[Turn] = field(default_factory=list)
    abandoned: bool = False
    topic: set[str] = field(default_factory=set)


def tasks_of(turns: Sequence[Turn]) -> list[Task]:
    """Split at messages of the user that give up, shift, or share no word with what went before."""
    tasks = [Task()]
    for turn in turns:
        said = said_by_user(turn)
        if said and tasks[-1].turns and _turns_away(said, tasks[-1]):
            tasks[-1].abandoned = _gives_up(said)
            tasks.append(Task())
        task = tasks[-1]
        task.turns.append(turn)
        if said and not task.request and not _gives_up(said):
            task.request = said
        task.topic.update(tokenize(_topical(turn, said)))
    return tasks


def said_by_user(turn: Turn) -> str:
    """Return what the user says in a turn, without recalled memories (B9); "" for other turns."""
    if turn.type != Turn.Type.MESSAGE or turn.role != Turn.Role.USER:
        return ""
    return without_injected(turn.content).strip()


def in_chinese(turns: Sequence[Turn], task: str = "") -> bool:
    """Whether the user writes Chinese: a tenth of the letters, as commands are Latin."""
    said = "".join(said_by_user(turn)[:_WINDOW] for turn in turns) or task
    letters = sum(character.isalpha() for character in said)
    return len(HAN.findall(said)) * 10 > letters


def _turns_away(said: str, task: Task) -> bool:
    if _gives_up(said) or talk.SHIFT.search(said):
        return True
    if _FOLLOWS_UP.search(said[:_WINDOW]):
        return False
    tokens = set(tokenize(said[:_WINDOW]))
    worked = any(turn.type != Turn.Type.MESSAGE for turn in task.turns)
    return worked and len(tokens) >= _FEWEST_TOKENS and not tokens & task.topic


def _gives_up(said: str) -> bool:
    first = said.replace("。", ".").replace("！", ".").split(".")[0].strip()
    return talk.GIVEN_UP.search(first[:200]) is not None


def _topical(turn: Turn, said: str) -> str:
    if turn.type == Turn.Type.TOOL_CALL:
        return command_of(turn)[:_WINDOW]
    return (said or without_injected(turn.content))[:_WINDOW]
