"""Where the time of a recall goes: its steps are timed from outside while this module watches.

The product has no line for it, so that nobody pays when nobody looks. The steps are found by their
names, in whichever module of memories.recall they are.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial, wraps
from importlib import import_module
from pkgutil import iter_modules
from time import perf_counter, process_time
from types import ModuleType
from typing import Any

from django.db import connection

import memories.recall as package
from memories.evaluation.timing import Spread, since

Step = Callable[..., Any]
PARTS = {
    "embed_question": "embed",
    "propose": "arms",
    "followed": "names",
    "ranked": "rules",
    "led": "rules",
    "reranked": "rerank",
    "read": "hits",
    "scored": "hits",
    "logged": "log",
}
"""The functions that are timed, and what the time of each is called."""
ARMS = "propose"
REST = "rest"


class Trace:
    """What each recall took, in milliseconds, as a whole and by part, and what it asked for."""

    def __init__(self) -> None:
        self.statements = 0
        self.processor_ms = 0.0
        self._recalls: list[Mapping[str, float]] = []
        self._inner: list[float] = []
        self._now: dict[str, float] = defaultdict(float)

    def watched(self, work: Callable[[], object]) -> None:
        """Do one recall and note what its parts took; what no part took is the rest."""
        self._now = defaultdict(float)
        began, used = perf_counter(), process_time()
        with connection.execute_wrapper(self._counted):
            work()
        took, self.processor_ms = since(began), self.processor_ms + (process_time() - used) * 1000
        self._recalls.append({**self._now, REST: took - sum(self._now.values())})

    def timing(self, part: str, step: Step) -> Step:
        """Return a step that is timed without the steps inside it."""

        @wraps(step)
        def timed(*args: Any, **given: Any) -> Any:
            self._inner.append(0.0)
            began = perf_counter()
            try:
                return step(*args, **given)
            finally:
                took = since(began)
                self._now[part] += took - self._inner.pop()
                if self._inner:
                    self._inner[-1] += took

        return timed

    def parts(self) -> dict[str, Spread]:
        """Return what each part took that there was, in the order of PARTS."""
        there = set().union(*self._recalls)
        names = [name for name in dict.fromkeys([*PARTS.values(), REST]) if name in there]
        return {name: Spread.of([one.get(name, 0.0) for one in self._recalls]) for name in names}

    def each(self) -> tuple[float, float]:
        """Return how many statements one recall sends, and its milliseconds of processor here."""
        return self.statements / len(self._recalls), self.processor_ms / len(self._recalls)

    def _counted(self, execute: Callable[..., Any], *args: Any) -> Any:
        self.statements += 1
        return execute(*args)


@contextmanager
def traced() -> Iterator[Trace]:
    """Time the steps of every recall in this process; one at a time, in one thread."""
    trace = Trace()
    with ExitStack() as stack:
        for name, part in PARTS.items():
            stack.enter_context(_instead(name, partial(trace.timing, part)))
        yield trace


@contextmanager
def arms_alone() -> Iterator[dict[str, list[float]]]:
    """Let every recall ask its arms twice more: by meaning alone and by words alone, in ms.

    Both read the scope, which the arms' one statement does once: together they take longer.
    """
    took: dict[str, list[float]] = {"semantic": [], "keyword": []}

    def each(propose: Step) -> Step:
        def proposed(scope: Any, question: Any, **given: Any) -> Any:
            wordless = replace(question, terms=())
            began = perf_counter()
            propose(scope, wordless, **given)
            took["semantic"].append(since(began))
            began = perf_counter()
            propose(scope, question, **given | {"vector": None})
            took["keyword"].append(since(began))
            return propose(scope, question, **given)

        return proposed

    with _instead(ARMS, each):
        yield took


@contextmanager
def _instead(name: str, change: Callable[[Step], Step]) -> Iterator[None]:
    """Put another step in the place of one, wherever recall's modules know it by that name."""
    known = [module for module in _modules() if callable(vars(module).get(name))]
    if not known:
        raise LookupError(f"recall has no step {name}: tracing.PARTS names what it is called now")
    usual: Sequence[tuple[ModuleType, Step]] = [(one, vars(one)[name]) for one in known]
    for module, step in usual:
        setattr(module, name, change(step))
    try:
        yield
    finally:
        for module, step in usual:
            setattr(module, name, step)


def _modules() -> list[ModuleType]:
    names = [found.name for found in iter_modules(package.__path__)]
    return [import_module(f"{package.__name__}.{name}") for name in names]
