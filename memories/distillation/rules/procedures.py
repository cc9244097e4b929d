"""What tool calls teach: failure and fix as lesson, what worked as procedure (B1, B8, F1).

Only outcomes that structured results tell are believed; what anybody says about them never is. The
figures for worth and certainty are judgement, not measurement: a lesson and a procedure that were
seen to work pass the gate, one failure alone does not, a failure met again and again just does.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memories.distillation.proposal import Proposal, Scene
from memories.distillation.rules import phrases
from memories.distillation.rules.attempts import Attempt, attempts_of
from memories.distillation.rules.calls import Call, claimed_success, paired
from memories.distillation.rules.commands import has_shell
from memories.distillation.rules.quotes import quote_from
from memories.distillation.rules.tasks import Task, in_chinese, said_by_user, tasks_of
from memories.models.memory import Kind, Source
from memories.models.session import Turn
from memories.text.secrets import masked

__all__ = ["claimed_success", "procedures"]

LESSON_WORTH, PROCEDURE_WORTH = 0.75, 0.7
INCIDENT_WORTH, REPEATED_WORTH = 0.3, 0.55
REPEATED = 3
"""Failures of one thing from which on it is worth remembering that it fails."""
FEWEST_STEPS, MOST_STEPS = 2, 8
# The host says that the task succeeded, but no result tells that its last step did.
_UNSEEN = 0.85
_COMPLAINS = re.compile(
    r"\b(?:still (?:fail|broken|not|doesn|the same|wrong)"
    r"|(?:does|did|do)(?: not|n['’]t) work"
    r"|(?:not|n['’]t) working|that(?:'s| is) (?:wrong|not right)|(?:same|another) error)"
    r"|还是(?:不|没|报错|失败)|没有?(?:用(?!户)|效果|修好|解决)|不(?:行|对|起作用|工作)|又(?:报错|失败)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Work:
    """One task with its calls, what came after it, and how to speak of it."""

    task: Task
    calls: Sequence[Call]
    later: Sequence[Call]
    name: str
    succeeded: bool
    scene: Scene
    zh: bool

    @property
    def owner(self) -> str:
        return self.scene.user_id or self.scene.agent


def procedures(turns: Sequence[Turn], scene: Scene) -> list[Proposal]:
    """Return lessons, procedures and incidents of the session's calls, in their order.

    Of each the first of `turns` is the result that is quoted; see quotes.said_in() for what a turn
    without content is quoted from.
    """
    found: list[Proposal] = []
    for work in _works(turns, scene):
        found += [proposal for it in attempts_of(work.calls) if (proposal := _learnt(it, work))]
        found += _procedure(work)
    return found


def _works(turns: Sequence[Turn], scene: Scene) -> Iterator[_Work]:
    """Yield the tasks that have calls; what the host says of the session counts for the last."""
    calls = paired(turns)
    zh = in_chinese(turns, scene.task)
    spans = [(task, _within(task, calls)) for task in tasks_of(turns)]
    spans = [(task, own) for task, own in spans if own]
    for place, (task, own) in enumerate(spans):
        last = place == len(spans) - 1
        asked = scene.task if scene.task and len(spans) == 1 else task.request or scene.task
        yield _Work(
            task=task,
            calls=own,
            later=[call for _, others in spans[place + 1 :] for call in others],
            name=phrases.short(" ".join(masked(asked).split()), 120),
            succeeded=last and scene.outcome == "success" and not task.abandoned,
            scene=scene,
            zh=zh,
        )


def _within(task: Task, calls: Sequence[Call]) -> list[Call]:
    numbers = {turn.number for turn in task.turns}
    return [call for call in calls if call.asked.number in numbers]


def _learnt(attempt: Attempt, work: _Work) -> Proposal | None:
    """Return a lesson where something got past the failure, an incident where nothing did."""
    if not attempt.last.command:
        return None
    if attempt.fixed is not None:
        return _lesson(attempt, attempt.fixed, work)
    later = any(call.ok and call.command == attempt.last.command for call in work.later)
    return None if later else _incident(attempt, work)


def _lesson(attempt: Attempt, fixed: Call, work: _Work) -> Proposal | None:
    """Return what was changed or done; a mere repetition that succeeded teaches nothing."""
    failed = attempt.last
    used = [call for call in attempt.between if call.command not in ("", failed.command)]
    steps = list(dict.fromkeys(call.command for call in used))
    if not steps and not attempt.changed:
        return None
    worked = fixed.command if attempt.changed else ""
    numbers = [number for call in (failed, *used, fixed) for number in call.numbers]
    return Proposal(
        content=phrases.lesson(failed.command, failed.error, steps, worked, zh=work.zh),
        turns=tuple(dict.fromkeys(numbers)),
        quote=quote_from(failed.told, failed.error),
        kind=Kind.LESSON,
        subject=phrases.short(" ".join(sorted(failed.families)), 80),
        owner=work.owner,
        question=phrases.how_to_fix(failed.command, failed.error, zh=work.zh),
        value=phrases.worth_of_lesson(zh=work.zh),
        source=Source.TOOL_RESULT,
        worth=LESSON_WORTH,
        happened_at=fixed.told.happened_at,
        signals={"failures": len(attempt.failures), "steps": len(steps)},
    )


def _incident(attempt: Attempt, work: _Work) -> Proposal:
    failed, times = attempt.last, len(attempt.failures)
    return Proposal(
        content=phrases.incident(failed.command, failed.error, times, zh=work.zh),
        turns=tuple(number for call in reversed(attempt.failures) for number in call.numbers),
        quote=quote_from(failed.told, failed.error),
        kind=Kind.INCIDENT,
        subject=phrases.short(" ".join(sorted(failed.families)), 80),
        owner=work.owner,
        question=phrases.how_to_fix(failed.command, failed.error, zh=work.zh),
        value=phrases.worth_of_incident(zh=work.zh),
        source=Source.TOOL_RESULT,
        worth=REPEATED_WORTH if times >= REPEATED else INCIDENT_WORTH,
        happened_at=failed.told.happened_at,
        signals={"failures": times},
    )


def _procedure(work: _Work) -> list[Proposal]:
    """Return the steps that worked as a procedure, or none where they did not lead to success."""
    steps = _steps(work)
    if len(steps) < FEWEST_STEPS or not _worked(work, steps):
        return []
    shown = steps[-MOST_STEPS:]
    last = shown[-1]
    commands = [step.command for step in shown]
    left_out = len(steps) - len(shown)
    given_up = work.task.abandoned or work.scene.outcome == "abandoned"
    return [
        Proposal(
            content=phrases.procedure(work.name, commands, left_out, zh=work.zh),
            turns=tuple(number for step in reversed(shown) for number in step.numbers),
            quote=quote_from(last.told),
            kind=Kind.PROCEDURE,
            owner=work.owner,
            question=phrases.how_to_do(work.name, last.command, zh=work.zh),
            value=phrases.worth_of_procedure(zh=work.zh),
            source=Source.TOOL_RESULT,
            certainty=1.0 if last.ok else _UNSEEN,
            worth=PROCEDURE_WORTH,
            happened_at=last.told.happened_at,
            drop="abandoned" if given_up else "",
            signals={"steps": len(steps), "outcome": float(work.succeeded)},
        )
    ]


def _steps(work: _Work) -> list[Call]:
    """Return the distinct calls that worked and still did when last tried, up to the last action.

    Looking around in a shell is no step; looking something up with a tool is one, but where only
    that was done, or there are too many steps, it is not.
    """
    newest: dict[str, Call] = {}
    for call in work.calls:
        if call.ok is not None or (work.succeeded and call.result is not None):
            newest.pop(call.command, None)
            newest[call.command] = call
    steps = [call for call in newest.values() if call.ok is not False and call.command]
    steps = [call for call in steps if not (call.looks and has_shell(call.asked))]
    while steps and steps[-1].looks:
        steps.pop()
    return [step for step in steps if not step.looks] if len(steps) > MOST_STEPS else steps


def _worked(work: _Work, steps: Sequence[Call]) -> bool:
    """Whether the steps led to success: seen in the last result, or told by the host.

    A result that failed outweighs the host's word for the session.
    """
    if work.scene.outcome == "failure" or _failed_later(work, steps[-1]):
        return False
    known = [call.ok for call in work.calls if call.ok is not None and not call.looks]
    if known and not known[-1]:
        return False
    return work.succeeded or (bool(steps[-1].ok) and not _complained(work, steps[-1]))


def _failed_later(work: _Work, last: Call) -> bool:
    again = [call.ok for call in work.later if call.command == last.command and call.ok is not None]
    return bool(again) and not again[-1]


def _complained(work: _Work, last: Call) -> bool:
    after = (turn for turn in work.task.turns if turn.number > max(last.numbers))
    return any(_COMPLAINS.search(said_by_user(turn)) for turn in after)
