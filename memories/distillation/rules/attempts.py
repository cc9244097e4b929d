"""Failures of one thing that was tried, and the success that ended them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from memories.distillation.rules.calls import Call
from memories.distillation.rules.commands import has_shell

# Arguments of one tool that are less alike are another matter: another file, another question.
_ALIKE = 0.5


@dataclass(slots=True)
class Attempt:
    """Failed calls of one family in order; `fixed` is the success after them, if there was one.

    `between` holds what was done after the last failure and did not fail itself.
    """

    failures: list[Call]
    fixed: Call | None = None
    between: Sequence[Call] = ()
    since: int = field(default=0, repr=False)

    @property
    def last(self) -> Call:
        return self.failures[-1]

    @property
    def changed(self) -> bool:
        return self.fixed is not None and self.fixed.command != self.last.command


def attempts_of(calls: Iterable[Call]) -> list[Attempt]:
    """Return the attempts that began with a failure, within the calls of one task."""
    found: list[Attempt] = []
    tried: dict[str, Attempt] = {}
    done: list[Call] = []
    for call in calls:
        attempt = _same(call, tried)
        if call.ok is False:
            if attempt is None:
                attempt = Attempt([])
                found.append(attempt)
            attempt.failures.append(call)
            attempt.since = len(done)
            tried.update(dict.fromkeys(call.families, attempt))
        elif call.ok and attempt is not None:
            attempt.fixed, attempt.between = call, done[attempt.since :]
            tried = {name: other for name, other in tried.items() if other is not attempt}
        if call.ok is not False and not call.looks:
            done.append(call)
    return found


def _same(call: Call, tried: dict[str, Attempt]) -> Attempt | None:
    attempts = (tried[name] for name in sorted(call.families) if name in tried)
    return next((attempt for attempt in attempts if _alike(call, attempt.last)), None)


def _alike(call: Call, failed: Call) -> bool:
    """A command line is the same thing by its programme; a tool also needs like arguments."""
    if has_shell(call.asked) or call.command == failed.command:
        return True
    one, other = (each.command.removeprefix(each.asked.tool)[:300] for each in (call, failed))
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE
