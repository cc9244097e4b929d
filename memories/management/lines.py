"""A file of memories, one JSON object a line: what each line says, or why it cannot be used."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from memories.errors import Invalid, ServiceError
from memories.inputs import MAX_NAME, short_text
from memories.models.memory import LIVE
from memories.payloads import MemoryPayload
from memories.writing import Said
from memories.writing.draft import drafted
from memories.writing.receipts import request_hash

# What a line may say, as POST /memories takes it.
_TEXTS = ("content", "kind", "subject", "reflection", "source", "visibility", "session", "user_id")
_TYPES: dict[str, tuple[type, ...]] = dict.fromkeys(_TEXTS, (str,)) | {
    "tags": (list,),
    "metadata": (dict,),
    "confidence": (int, float),
    "happened_at": (str,),
}
# What a listing says besides: it is Hindsight's own to say, anew.
_LISTED = MemoryPayload.__annotations__.keys() - _TYPES.keys()


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is not empty; `said` is None where it cannot be used, and `reason` says why."""

    number: int
    said: Said | None
    reason: str = ""


def lines(
    path: Path, user_id: str, refusal: Callable[[Said], ServiceError | None]
) -> Iterator[Line]:
    """Yield the lines of a file; `user_id` is for those that name none. Raises OSError.

    A line for which there is a `refusal` cannot be used either. The key of a line is made of what
    it says, and of how often the file has said so before: an import that is run again, also of a
    file that has grown or changed, knows what it wrote.
    """
    said_before: Counter[str] = Counter()
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            if not raw.strip():
                continue
            try:
                said = _keyed(_said(_object(raw), user_id), said_before)
            except ServiceError as error:
                yield Line(number, None, error.message)
                continue
            refused = refusal(said)
            yield Line(number, None if refused else said, refused.message if refused else "")


def _keyed(said: Said, said_before: Counter[str]) -> Said:
    request = request_hash(said.draft, said.user_id)
    said_before[request] += 1
    return Said(said.draft, said.user_id, f"import {request} {said_before[request]}")


def _object(raw: bytes) -> dict[str, Any]:
    try:
        found = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise Invalid(_("this is not JSON in UTF-8.")) from error
    if not isinstance(found, dict):
        raise Invalid(_("this is not a JSON object."))
    return {name: value for name, value in found.items() if value is not None}


def _said(found: dict[str, Any], user_id: str) -> Said:
    unknown = sorted(found.keys() - _TYPES.keys() - _LISTED)
    if unknown:
        raise Invalid(
            _("“%(field)s” is no field of a memory; known are: %(known)s.")
            % {"field": unknown[0], "known": ", ".join(sorted(_TYPES))}
        )
    if found.get("status", LIVE[0]) not in LIVE:
        raise Invalid(_("it is not in use any more (“status”): leave it out."))
    told = {name: _typed(name, found[name]) for name in _TYPES if name in found}
    about = short_text(told.pop("user_id", ""), "user_id", MAX_NAME)
    return Said(drafted(**{"content": ""} | told), about or user_id)


def _typed(name: str, value: Any) -> Any:
    if not isinstance(value, _TYPES[name]) or isinstance(value, bool):
        raise Invalid(_("“%(field)s” has the wrong type.") % {"field": name})
    if name != "happened_at":
        return value
    try:
        return datetime.fromisoformat(str(value))
    except ValueError as error:
        raise Invalid(_("“%(text)s” is not a time in ISO 8601.") % {"text": value}) from error
