"""A query's result: how many rows, which columns, the first of them."""

import re

from memories.sessions.results.given import Given, as_text
from memories.sessions.results.meaning import Reader, Reading, bounded, listed

SQL = re.compile(r"\b(?:sql|query|db|database|postgres\w*|mysql|sqlite\w*|bigquery|psql)\b")
_SHOWN = 2
_COUNTS = ("rowcount", "rowsaffected", "affectedrows", "affected", "count", "rows")
_ROWS_SAID = re.compile(r"\((\d{1,9}) rows?\)")
# As databases name themselves in their messages.
_DB_ERROR = re.compile(
    r"(?:ERROR:\s|SQLSTATE|(?:Operational|Programming|Integrity)Error\b|syntax error (?:at|near)).*"
)


def _read(given: Given) -> Reading | None:
    named = SQL.search(given.tool) is not None
    rows = _rows(given, named)
    if rows is not None:
        return Reading(_summary(given, rows), ok=True)
    return _of_text(given.text[:20_000]) if named and given.data is None else None


def _rows(given: Given, named: bool) -> list[object] | None:
    """Return the rows; an empty list where only their number or their absence is told."""
    found = given.facts.get("rows")
    if found is None and named:
        found = given.data if isinstance(given.data, list) else given.facts.get("data")
    if isinstance(found, list):
        return found
    counted = named and given.number(*_COUNTS) is not None
    return [] if counted or (found is None and "rows" in given.names) else None


def _of_text(text: str) -> Reading | None:
    if failed := _DB_ERROR.search(text):
        return Reading(bounded(text), ok=False, error=failed[0])
    said = _ROWS_SAID.search(text)
    return Reading(bounded(f"{said[1]} rows: {text}"), ok=True) if said else None


def _summary(given: Given, rows: list[object]) -> str:
    total = max(given.number(*_COUNTS) or 0, len(rows))
    columns = _columns(given, rows)
    head = f"{total} row{'' if total == 1 else 's'}" + (
        f" ({listed(columns, 8)})" if columns else ""
    )
    shown = "; ".join(_row(row) for row in rows[:_SHOWN])
    more = f"; … {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    return bounded(f"{head}: {shown}{more}" if shown else head)


def _columns(given: Given, rows: list[object]) -> list[str]:
    named = given.facts.get("columns") or given.facts.get("fields")
    if isinstance(named, list):
        return [as_text(c.get("name", c) if isinstance(c, dict) else c)[:60] for c in named]
    return [key[:60] for key in rows[0]] if rows and isinstance(rows[0], dict) else []


def _row(row: object) -> str:
    if isinstance(row, dict):
        return ", ".join(f"{key[:60]}={as_text(it)[:80]}" for key, it in list(row.items())[:8])
    return as_text(row)[:240]


READER = Reader(shape="sql", rank=30, read=_read)
