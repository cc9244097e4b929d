"""write_each(): a list of statements as a door takes it, each with an answer in its place."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from memories.errors import Invalid, ServiceError
from memories.permissions import Actor
from memories.writing.batch import BATCH, Answer, Said, write_memories
from memories.writing.draft import drafted

MAX_TEXT = 200_000
"""Characters of content in one list: twenty times the longest, what a person waits for at most."""

Statement = Mapping[str, Any] | ServiceError
"""What write_memory() takes of one statement; or why a door could not read it."""


def write_each(*, actor: Actor, statements: Sequence[Statement]) -> list[Answer]:
    """Write up to 100 statements by the rules of write_memory(), in one transaction (B10).

    What one of them is refused for is its answer, and costs the others nothing. Without the
    embedder all are stored and wait. Raises Invalid for a list of no use, and NotAllowed.
    """
    actor.require("write")
    _check(statements)
    said = [_said(statement) for statement in statements]
    readable = [one for one in said if isinstance(one, Said)]
    written = write_memories(actor=actor, said=readable, degrade=True)
    answers = iter([answer for batch in written for answer in batch])
    return [next(answers) if isinstance(one, Said) else one for one in said]


def _check(statements: Sequence[Statement]) -> None:
    """Refuse a list that is empty or too large as a whole: nothing of it is written."""
    if not 1 <= len(statements) <= BATCH:
        raise Invalid(
            _("memories must be a list of 1 to %(most)d objects.") % {"most": BATCH},
            field="memories",
        )
    texts = (one.get("content") for one in statements if isinstance(one, Mapping))
    have = sum(len(text) for text in texts if isinstance(text, str))
    if have > MAX_TEXT:
        raise Invalid(
            _("memories have %(have)d characters of content, at most %(most)d fit: send fewer.")
            % {"have": have, "most": MAX_TEXT},
            field="memories",
        )


def _said(statement: Statement) -> Said | ServiceError:
    if isinstance(statement, ServiceError):
        return statement
    told = dict(statement)
    user_id, key = told.pop("user_id", ""), told.pop("idempotency_key", "")
    try:
        return Said(drafted(**told), user_id, key)
    except ServiceError as error:
        return error
