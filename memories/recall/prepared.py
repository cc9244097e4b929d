"""A cursor whose statements the server plans once for each connection, not for each question.

Recall's statements are long, and take about as much to plan as to carry out for a small owner. And
one plan for all owners is the better one, too: given the values, the planner takes an owner of a
few thousand memories for one whose rows it should look for all over the space.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from django.db import connection
from psycopg import Cursor
from psycopg.pq import Format

if TYPE_CHECKING:
    from django.db.backends.utils import CursorWrapper


@contextmanager
def prepared() -> "Iterator[CursorWrapper]":
    """Yield a cursor that prepares what it executes; the same text again needs no planning.

    Django's own cursors write the values into the text and never prepare. From which time on, and
    whether at all, says DATABASES' `prepare_threshold`; psycopg keeps the 100 texts used last.
    """
    with connection.cursor() as cursor:
        if not connection.queries_logged:  # of a prepared statement the log would not know the text
            bound = Cursor(cursor.connection)
            bound.format = Format.BINARY  # Moments and numbers take a third of the time to read.
            cursor.cursor = bound
        yield cursor
