"""Import a file of memories by the rules of any write; run again, it goes on where it was."""

import time
from collections import Counter, deque
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from memories.embedding.client import EmbedderDown
from memories.errors import ServiceError
from memories.identity import agent_actor
from memories.interrupts import interrupts
from memories.management.lines import Line, lines
from memories.management.runs import spaces
from memories.models import Agent, Space
from memories.permissions import Actor
from memories.policies import policy_for
from memories.writing import Said, write_memories
from memories.writing.batch import Answer, refusal

SHOWN = 20
"""Lines that cannot be used and are named one by one."""
QUIET = 1000
"""Rows between two lines of progress in a log."""
INTERRUPTED = 130
"""The exit code of what Ctrl-C ended."""


class Command(BaseCommand):
    help = (
        "Import a JSONL file of memories: one object a line, with the fields of POST /memories. "
        "Everything is judged as any write is. Interrupted, the same command goes on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--space", help="slug of the space; not needed when there is only one")
        parser.add_argument(
            "--agent", required=True, help="who writes them; made when it does not exist"
        )
        parser.add_argument("--user-id", default="", help="the end user, where a line names none")
        parser.add_argument("--check", action="store_true", help="read the file and write nothing")
        parser.add_argument(
            "--skip-bad", action="store_true", help="leave out the lines that cannot be used"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        (space,) = spaces(options["space"], all_of_them=False)
        agent = Agent.objects.filter(space=space, name=options["agent"]).first()
        actor = agent_actor(agent or Agent(space=space, name=options["agent"]))
        _version, policy = policy_for(space.pk)
        refused = partial(refusal, actor=actor, policy=policy.writing)
        given = partial(lines, options["file"], options["user_id"], refused)
        try:
            total = self._checked(given(), skip_bad=options["skip_bad"])
        except OSError as error:
            raise CommandError(
                _("%(file)s cannot be read: %(reason)s")
                % {"file": options["file"], "reason": error.strerror or error}
            ) from error
        if options["check"]:
            self.stdout.write(_("%(count)d memories can be imported.") % {"count": total})
            return
        if agent is None:
            actor = agent_actor(_agent(space, options["agent"]))
        _Import(self, actor, total).run(given())

    def _checked(self, given: Iterator[Line], *, skip_bad: bool) -> int:
        """Return how many lines can be used; raise CommandError unless that is all of them."""
        good = bad = 0
        for line in given:
            good, bad = good + (line.said is not None), bad + (line.said is None)
            if line.said is None and bad <= SHOWN:
                self.say(line.number, line.reason)
        if bad > SHOWN:
            self.stderr.write(_("… and %(count)d lines more.") % {"count": bad - SHOWN})
        if bad and not skip_bad:
            raise CommandError(
                _(
                    "%(bad)d of %(all)d lines cannot be used, so nothing was written. Correct "
                    "them, or leave them out with --skip-bad."
                )
                % {"bad": bad, "all": good + bad}
            )
        return good

    def say(self, number: int, reason: str) -> None:
        self.stderr.write(_("line %(number)d: %(reason)s") % {"number": number, "reason": reason})


class _Import:
    """One run over a file that was checked: what became of its rows, and how fast."""

    def __init__(self, command: Command, actor: Actor, total: int) -> None:
        self._command, self._actor, self._total = command, actor, total
        self._numbers: deque[int] = deque()
        self._outcomes: Counter[str] = Counter()
        self._done = self._again = 0
        self._began = time.monotonic()

    def run(self, given: Iterator[Line]) -> None:
        """Write everything; raises CommandError, saying how far it is, when it has to stop."""
        with interrupts() as asked_to_leave:
            try:
                for answers in write_memories(actor=self._actor, said=self._said(given)):
                    self._count(answers)
                    if asked_to_leave:
                        break
            except EmbedderDown as error:
                self._overwrite("")
                raise CommandError(f"{error} {self._to_be_continued()}") from error
        self._overwrite("")
        self._summary()
        if self._done < self._total:
            raise CommandError(self._to_be_continued(), returncode=INTERRUPTED)

    def _said(self, given: Iterator[Line]) -> Iterator[Said]:
        for line in given:
            if line.said is not None:
                self._numbers.append(line.number)
                yield line.said

    def _count(self, answers: list[Answer]) -> None:
        for answer in answers:
            number = self._numbers.popleft()
            if isinstance(answer, ServiceError):
                self._outcomes["refused"] += 1
                self._command.say(number, answer.message)
            else:
                self._outcomes[answer.outcome] += 1
                self._again += answer.again
        before, self._done = self._done, self._done + len(answers)
        if self._command.stdout.isatty():
            self._overwrite(self._progress())
        elif before // QUIET < self._done // QUIET:
            self._command.stdout.write(self._progress())

    def _progress(self) -> str:
        told = {"done": self._done, "total": self._total, "rate": round(self._rate(), 1)}
        line = _("%(done)d of %(total)d rows, %(rate)s a second") % told
        if not self._rate():
            return line
        left = round((self._total - self._done) / self._rate())
        return f"{line}, " + _("%(time)s left") % {"time": f"{left // 60}:{left % 60:02}"}

    def _rate(self) -> float:
        """Rows a second that were written, not found to be there already."""
        return (self._done - self._again) / max(time.monotonic() - self._began, 0.001)

    def _overwrite(self, line: str) -> None:
        if self._command.stdout.isatty():
            self._command.stdout.write(f"\r\033[K{line}", ending="")
            self._command.stdout.flush()

    def _summary(self) -> None:
        counted = [f"{outcome} {count}" for outcome, count in sorted(self._outcomes.items())]
        told = {"done": self._done, "seconds": round(time.monotonic() - self._began, 1)}
        parts = [_("%(done)d rows in %(seconds)s s") % told, *counted]
        if self._again:
            parts.append(_("%(count)d of them in an earlier run") % {"count": self._again})
        self._command.stdout.write(" · ".join(parts))

    def _to_be_continued(self) -> str:
        told = {"done": self._done, "total": self._total}
        return _("%(done)d of %(total)d rows are in: the same command goes on from there.") % told


def _agent(space: Space, name: str) -> Agent:
    agent, _made = Agent.objects.get_or_create(space=space, name=name)
    return agent
