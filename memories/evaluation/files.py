"""Evaluation files: JSON lines, read with the line number in every complaint."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from memories import history
from memories.errors import Invalid
from memories.identity import system_actor
from memories.models import Space
from memories.models.ids import new_id
from memories.permissions import Actor
from memories.recall.logbook import settled

_TIMES = ("%b %d, %Y, %H:%M:%S", "%b %d, %Y, %H:%M", "%b %d, %Y")


def rows(path: Path, *required: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSONL file; `required` fields must be texts.

    Raises Invalid naming file and line, OSError when the file cannot be read.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _row(line, required, where={"file": path, "line": number})


def _row(line: str, required: tuple[str, ...], where: dict[str, Any]) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise Invalid(_("%(file)s, line %(line)d is not JSON.") % where) from error
    if not isinstance(row, dict):
        raise Invalid(_("%(file)s, line %(line)d is not an object.") % where)
    for name in required:
        if not isinstance(row.get(name), str):
            raise Invalid(
                _("%(file)s, line %(line)d: “%(field)s” must be a text.")
                % (where | {"field": name})
            )
    return row


def moment(text: str | None) -> datetime | None:
    """Return a time (ISO 8601 or "Jan 15, 2029, 16:15:20", UTC by default), or None."""
    if not text:
        return None
    for notation in _TIMES:
        try:
            return datetime.strptime(text, notation).replace(tzinfo=UTC)
        except ValueError:
            continue
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError as error:
        raise Invalid(_("“%(text)s” is not a time.") % {"text": text}) from error
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


@contextmanager
def scratch_space() -> Iterator[Actor]:
    """Give a space that nobody else sees; it is removed with all in it, whatever happens."""
    space = Space.objects.create(slug=f"scratch-{new_id()}", name="Scratch")
    try:
        yield system_actor(space.pk, "evaluation")
    finally:
        settled()  # recalls are written down after their answer
        with history.erasing("space"):
            space.delete()
