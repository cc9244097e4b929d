"""Change the embedding model of a space: fill, switch, go back, finish, as /jobs/embedding/."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _

from memories.errors import ServiceError
from memories.identity import operator_actor
from memories.interrupts import interrupts
from memories.jobs import reembedding
from memories.management.runs import RunCommand, spaces
from memories.models import Space
from memories.models.job import JobRun


class Command(RunCommand):
    help = (
        "Give every memory of a space a vector of MODEL, then switch recall to it if asked to."
        " Ctrl-C leaves the rest to the worker; asking again goes on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("model", nargs="?", metavar="MODEL", help="one of EMBEDDING_MODELS")
        parser.add_argument("--space", help="slug of the space; not needed when there is only one")
        parser.add_argument("--switch", action="store_true", help="use MODEL when all have it")
        parser.add_argument(
            "--finish", action="store_true", help="end the change: keep the model in use only"
        )
        parser.add_argument(
            "--roll-back", action="store_true", help="use the former model again (no MODEL)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        (space,) = spaces(options["space"], all_of_them=False)
        model = options["model"]
        wanted = [bool(model), options["roll_back"]]
        if all(wanted) or not any([*wanted, options["finish"]]):
            raise CommandError(_("Name a MODEL, or ask for --roll-back or --finish."))
        with interrupts() as asked_to_leave, _in_words():
            if model and not self._changed(space, model, options["switch"], asked_to_leave):
                return
            if options["roll_back"]:
                self._switched(space, reembedding.state_of(operator_actor(space.pk)).other)
            if options["finish"]:
                run = reembedding.finish(actor=operator_actor(space.pk))
                self.followed(space, run, asked_to_leave)

    def _changed(self, space: Space, model: str, switch: bool, asked_to_leave: list[int]) -> bool:
        """Fill, then switch if asked to; return whether there is nothing left of that."""
        actor = operator_actor(space.pk)
        if reembedding.state_of(actor).active == model:
            self.stdout.write(_("The space uses this model already."))
            return True
        run = reembedding.begin_change(actor=actor, model=model)
        if self.followed(space, run, asked_to_leave).state != JobRun.State.DONE:
            return False
        if switch:
            self._switched(space, model)
        return True

    def _switched(self, space: Space, model: str) -> None:
        reembedding.switch(actor=operator_actor(space.pk), model=model)
        self.stdout.write(_("Recall compares with “%(model)s” now.") % {"model": model})


@contextmanager
def _in_words() -> Iterator[None]:
    """Say what was refused as a command does."""
    try:
        yield
    except ServiceError as error:
        raise CommandError(error.message) from error
