"""Questions in whose judgements better weights are hidden, for tests of how they are found."""

from django.utils import timezone

from memories.models import Memory, Policy, Recall
from memories.permissions import Actor
from tests.memories.evaluation.rounds import asked, judged
from tests.memories.recall.helpers import remember


def two_of(actor: Actor, number: int) -> tuple[Memory, Memory]:
    """The same twice: about nobody and recalled often, and about alice, of the session s-N."""
    text = f"svc-{number} keeps its data in PostgreSQL."
    often = remember(actor, text)
    Memory.objects.filter(pk=often.pk).update(heat=1000.0, last_recalled_at=timezone.now())
    return often, remember(actor, text, user_id="alice", session=f"s-{number}")


def question(actor: Actor, number: int, *, days: float = 0.0) -> Recall:
    """One of alice's that found both, the one that was recalled often first."""
    query, session = f"Where does svc-{number} keep its data?", f"s-{number}"
    alice = actor.acting_for("alice")
    return asked(alice, query, *two_of(actor, number), session=session, days=days)


def questions(actor: Actor, person: Actor, count: int, *, right: bool = True) -> list[Recall]:
    """Put a policy in force that minds use and no session, and judge that the session is right."""
    numbers = {"recall": {"session_bonus": 0.0, "importance_weight": 0.1}}
    Policy.objects.create(space_id=actor.space_id, version=1, numbers=numbers)
    found = [question(actor, number) for number in range(count)]
    judged(person, *[verdict for _n in found for verdict in (not right, right)])
    return found
