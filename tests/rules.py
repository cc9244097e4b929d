"""Rules and what they decide on: plain helpers for tests."""

from typing import Any

from django.db import transaction

from memories import history
from memories.models import Flag
from memories.permissions import Actor
from memories.writing import write_memory
from review.models import Rule
from review.rule_changes import RuleText, create_rule


def text(**says: Any) -> RuleText:
    """What a rule says: keep the new one in every conflict, unless told otherwise."""
    return RuleText(**{"name": "newer wins", "kind": "conflict", "choice": "keep_new"} | says)


def ruled(admin: Actor, **says: Any) -> Rule:
    return create_rule(actor=admin, text=text(**says))


def unsaved(flag: Flag, **says: Any) -> Rule:
    fields = {"name": "r", "kind": "conflict", "choice": "keep_new", "space_id": flag.space_id}
    return Rule(**fields | says)


def quarantined(actor: Actor) -> Flag:
    """A flag on a memory that is withheld from agents."""
    memory = write_memory(actor=actor, content="The gateway listens on port 80.").memory
    assert memory is not None
    with transaction.atomic():
        history.change(memory, actor=actor, verb="quarantined", withheld=True, status="pending")
        fields = {"space_id": memory.space_id, "memory": memory, "memory_version": memory.version}
        opened = Flag(kind=Flag.Kind.QUARANTINE, reason="instruction", **fields)
        return history.open_flag(opened, actor=actor, verb="quarantined")
