"""What an adapter is: the four things that a memory system has to do to be measured."""

from collections.abc import Sequence
from importlib import import_module
from typing import Protocol


class Unusable(Exception):
    """An adapter or a file cannot be used; the text says what to do."""


class System(Protocol):
    """Any memory that keeps texts of users and finds them again."""

    def setup(self) -> None:
        """Be ready, with nothing stored of the users to come."""

    def write(self, texts: Sequence[str], user_id: str) -> Sequence[str]:
        """Keep texts of one user; return the system's id of each, when a search can find them."""

    def search(self, query: str, user_id: str, k: int) -> Sequence[str]:
        """Return the ids of at most `k` memories, best first; called by many threads at once."""

    def close(self) -> None:
        """Let go of what setup() took."""


def system(named: str) -> System:
    """Return a new system of MODULE:CLASS. Raises Unusable."""
    module, _colon, name = named.partition(":")
    try:
        made: System = getattr(import_module(module), name)()
    except (ImportError, AttributeError, ValueError) as error:
        raise Unusable(
            f"{named} is no adapter ({error}): write MODULE:CLASS, as in bench.echo:Echo."
        ) from error
    return made
