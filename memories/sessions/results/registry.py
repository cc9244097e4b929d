"""All readers, found by looking: a new shape is one new file in readers/ that has a READER."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from memories.models.session import Turn
from memories.sessions.results import readers
from memories.sessions.results.given import Given, given_of
from memories.sessions.results.meaning import Reader, Reading, ToolMeaning, one_line, telling_lines
from memories.sessions.results.outcome import UNKNOWN, Verdict, by_fields, by_text


def meaning_of(turn: Turn, tool: str = "") -> ToolMeaning:
    """Return what a tool result means; any JSON and any text gives an answer.

    What the host says in `turn.ok` is believed; else any structured sign of failure; success needs
    a structured sign of its own. `tool` is the call's tool where the result does not name it.
    """
    given = given_of(turn, tool)
    shape, reading = _read(given)
    ok, error = _outcome(turn, given, reading)
    return ToolMeaning(ok=ok, summary=reading.summary, error=error, shape=shape)


@cache
def all_readers() -> Sequence[Reader]:
    """Return the readers of readers/, the most specific shape first."""
    modules = (
        import_module(f"{readers.__name__}.{m.name}") for m in iter_modules(readers.__path__)
    )
    return sorted((module.READER for module in modules), key=lambda reader: reader.rank)


def _read(given: Given) -> tuple[str, Reading]:
    readings = ((reader.shape, reader.read(given)) for reader in all_readers())
    found = ((shape, reading) for shape, reading in readings if reading is not None)
    return next(found, ("text", Reading("")))


def _outcome(turn: Turn, given: Given, reading: Reading) -> tuple[bool | None, str]:
    text = given.text or given.words("result", "output", "text")
    verdicts = [
        _by_host(turn.error),
        (reading.ok, reading.error),
        by_fields(given.facts),
        by_text(text),
    ]
    told = [ok for ok, _ in verdicts if ok is not None]
    ok = turn.ok if turn.ok is not None else (all(told) if told else None)
    return ok, _reason(verdicts, text) if ok is False else ""


def _by_host(error: str) -> Verdict:
    """An error that the host names is a failure; of a traceback its last line says why."""
    return (False, by_text(error)[1] or error) if error.strip() else UNKNOWN


def _reason(verdicts: Sequence[Verdict], text: str) -> str:
    """Return the first words that say why; a failed call without any: its last telling line."""
    said = next((why for ok, why in verdicts if ok is False and why.strip()), "")
    return one_line(said or next(reversed(telling_lines(text)), ""))
