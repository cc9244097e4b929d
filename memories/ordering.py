"""Order: what a list is ordered by, so that it can be cut and gone on with at any row."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from typing import Any
from uuid import UUID

from django.db.models import Model, Q

_BETWEEN = "~"


@dataclass(frozen=True, slots=True)
class Order:
    """What rows are ordered by: columns, the last one unique, all of them rising or falling.

    `columns` are (name, what reads its value from an address; a ValueError is a broken cursor).
    """

    columns: tuple[tuple[str, Callable[[str], Any]], ...] = (("pk", UUID),)
    falling: bool = True

    def by(self, *, backwards: bool = False) -> list[str]:
        """Return the arguments of order_by()."""
        sign = "-" if self.falling != backwards else ""
        return [f"{sign}{name}" for name, _read in self.columns]

    def beyond(self, key: Sequence[Any], *, backwards: bool = False) -> Q:
        """Return the condition of the rows that come after the one with this key."""
        side = "lt" if self.falling != backwards else "gt"
        found, equal = Q(), Q()
        for (name, _read), value in zip(self.columns, key, strict=True):
            found |= equal & Q(**{f"{name}__{side}": value})
            equal &= Q(**{name: value})
        return found

    def key(self, row: Model) -> tuple[Any, ...]:
        """Return a row's values of the columns."""
        return tuple(getattr(row, name) for name, _read in self.columns)

    def read(self, text: str | None) -> tuple[Any, ...] | None:
        """Return the key that a cursor tells, None for anything else."""
        parts = (text or "").split(_BETWEEN)
        if len(parts) != len(self.columns):
            return None
        try:
            return tuple(
                read(part) for (_name, read), part in zip(self.columns, parts, strict=True)
            )
        except ValueError:
            return None


def written(key: Sequence[Any]) -> str:
    """Return a row's key as a cursor; Order.read() gives back exactly these values."""
    return _BETWEEN.join(
        value.isoformat() if isinstance(value, datetime) else str(value) for value in key
    )


def number(text: str) -> float:
    """Return a finite number that a cursor tells, or raise ValueError."""
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


def moment(text: str) -> datetime:
    """Return a moment with its zone that a cursor tells, or raise ValueError."""
    value = datetime.fromisoformat(text)
    if value.tzinfo is None:
        raise ValueError(text)
    return value
