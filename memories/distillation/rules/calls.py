"""Calls with their results, and success that was claimed while the last call had failed (F1)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memories.distillation.rules.commands import command_of, edits, families_of, looks
from memories.distillation.rules.tasks import tasks_of
from memories.models.session import Turn
from memories.sessions.results import ToolMeaning, meaning_of

# Calls without an answer that a later result may still belong to.
_WAITING = 256
_TESTS = re.compile(r"\b(?:\w*tests?|pytest|jest|vitest|unittest|tox)\b")
_CLAIM = re.compile(
    r"\b(?:it|this|that|everything|all|now|tests?|build|the \w+) (?:now |all |should |is |are )*"
    r"(?:works?|working|fixed|pass(?:es|ed|ing)?|succeed(?:s|ed)|succeeded|resolved|solved|done)\b"
    r"|\b(?:i|we)(?:'ve| have)? (?:\w+ly |now )?(?:fixed|resolved|solved|completed|finished)\b"
    r"|\bsuccess(?:ful(?:ly)?)?\b"
    r"|\b(?:works now|problem solved|fixed(?: it| now)?[.!]|all (?:green|set))"
    r"|(?:已经?|都|全部|终于|现在)\S{0,6}(?:修好|修复|解决|成功|完成|通过|搞定|正常|可以用|能用|好了)"
    r"|(?:修好|修复|解决|搞定|完成|通过|成功)了|运行正常|测试通过",
    re.IGNORECASE,
)
_NOT_CLAIMED = re.compile(
    r"\b(?:not|n't|never|no longer works|un\w*success\w*|if|once|when|until|after|to be|will|try)\b"
    r"|n['’]t\b|[没未]|不[能行成通对]|还是不|如果|等\S{0,8}(?:之?后|再)|失败|[吗么]$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？\n]?")


@dataclass(frozen=True, slots=True)
class Call:
    """One call and its result, either of which may be missing; `ok` is None where nothing tells."""

    call: Turn | None
    result: Turn | None
    ok: bool | None
    meaning: ToolMeaning | None

    @property
    def asked(self) -> Turn:
        """The turn that names tool and arguments as well as they are known."""
        turn = self.call or self.result
        if turn is None:
            raise ValueError("A call has at least one of its two turns.")
        return turn

    @property
    def told(self) -> Turn:
        """The turn that tells the outcome."""
        return self.result or self.asked

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of its turns, that of the result first: that is what is quoted."""
        return tuple(turn.number for turn in (self.result, self.call) if turn is not None)

    @property
    def error(self) -> str:
        return self.meaning.error if self.meaning and self.ok is False else ""

    @property
    def command(self) -> str:
        return command_of(self.asked) if self.call else self.asked.tool.strip()

    @property
    def families(self) -> frozenset[str]:
        return families_of(self.asked) if self.call else frozenset((self.command,))

    @property
    def looks(self) -> bool:
        return looks(self.asked)

    @property
    def verifies(self) -> frozenset[str]:
        """Its families if it runs something that can fail for what was done before."""
        return frozenset() if self.looks or edits(self.asked) else self.families


def paired(turns: Sequence[Turn]) -> list[Call]:
    """Pair calls and results: by call_id, else by order and tool; in the order of the calls."""
    waiting: dict[int, Turn] = {}
    answers: dict[int, Turn] = {}
    opened: dict[int, Turn] = {}
    for place, turn in enumerate(turns):
        if turn.type == Turn.Type.TOOL_CALL:
            opened[place] = waiting[place] = turn
            if len(waiting) > _WAITING:
                del waiting[next(iter(waiting))]
        elif turn.type == Turn.Type.TOOL_RESULT:
            mine = _call_of(turn, waiting.items())
            answers[place if mine is None else mine] = turn
            if mine is not None:
                del waiting[mine]
    return [_call(opened.get(at), answers.get(at)) for at in sorted(opened.keys() | answers.keys())]


def claimed_success(turns: Sequence[Turn]) -> set[int]:
    """Return the numbers of the assistant's turns that claim success after a call that failed (F1).

    The failure counts until a relevant call succeeds: for a test another test, else the same tool
    or anything else that runs; looking at a file or writing one proves nothing.
    """
    found: set[int] = set()
    calls = {max(call.numbers): call for call in paired(turns)}
    for task in tasks_of(turns):
        failed: Call | None = None
        for turn in task.turns:
            call = calls.get(turn.number)
            if call is not None:
                failed = _standing(failed, call)
            elif failed is not None and claims_success(turn):
                found.add(turn.number)
    return found


def claims_success(turn: Turn) -> bool:
    """Whether an assistant's turn says that something worked, in a sentence that denies nothing."""
    if turn.type != Turn.Type.MESSAGE or turn.role != Turn.Role.ASSISTANT:
        return False
    return any(
        _CLAIM.search(sentence) and not _NOT_CLAIMED.search(sentence) and "?" not in sentence
        for sentence in _SENTENCE.findall(turn.content[:20_000])
        if not sentence.endswith("？")
    )


def is_test(call: Call) -> bool:
    shape = call.meaning.shape if call.meaning else ""
    return shape == "test_run" or any(_TESTS.search(family) for family in call.families)


def _standing(failed: Call | None, call: Call) -> Call | None:
    """Return the failure that stands after a call."""
    if call.ok is False:
        return call
    if failed is None or call.ok is None:
        return failed
    if failed.families & call.families:
        return None
    proves = is_test(call) if is_test(failed) else bool(call.verifies)
    return None if proves else failed


def _call_of(result: Turn, waiting: Iterable[tuple[int, Turn]]) -> int | None:
    calls = list(waiting)
    if result.call_id:
        named = [place for place, call in calls if call.call_id == result.call_id]
        if named:
            return named[-1]
    return next((place for place, call in calls if _may_answer(result, call)), None)


def _may_answer(result: Turn, call: Turn) -> bool:
    other_id = bool(result.call_id and call.call_id)
    return not other_id and (not result.tool or not call.tool or result.tool == call.tool)


def _call(call: Turn | None, result: Turn | None) -> Call:
    if result is None:
        failed = call is not None and (call.ok is False or bool(call.error.strip()))
        # The data of a call are its arguments: only what the host says of it tells an outcome.
        bare = Turn(ok=False if failed else call.ok, error=call.error) if call else Turn()
        meaning = meaning_of(bare)
        return Call(call, None, meaning.ok, meaning)
    meaning = meaning_of(result, tool=call.tool if call else "")
    return Call(call, result, meaning.ok, meaning)
