"""What was removed for good does not come back out of an old session (B9)."""

import pytest

from memories.distillation import distil
from memories.identity import system_actor
from memories.lifecycle.purging import purge_memory
from memories.models import Agent, Memory
from memories.models.distillation import Candidate
from memories.permissions import Actor
from tests.memories.distillation.conftest import Propose, proposal, session_of
from tests.memories.recall.helpers import jot

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
SAID = "The staging cluster runs in Frankfurt."


def gone(actor: Actor, **said: str) -> None:
    memory = jot(actor, SAID, **said)
    assert purge_memory(actor=system_actor(memory.space_id), memory_id=memory.pk)


def test_an_old_session_does_not_bring_it_back(
    agent: Agent, proposing: Propose, actor: Actor
) -> None:
    gone(actor, user_id="ann")
    proposing(proposal(SAID))
    distil(session_of(agent, ["x"], user_id="ann").pk)
    candidate = Candidate.objects.get()
    assert (candidate.verdict, candidate.reason, candidate.memory) == ("dropped", "tombstone", None)
    assert not Memory.objects.exists()


def test_another_users_session_may_bring_the_same(
    agent: Agent, proposing: Propose, actor: Actor
) -> None:  # D1
    gone(actor, user_id="bob")
    proposing(proposal(SAID))
    distil(session_of(agent, ["x"], user_id="ann").pk)
    assert Candidate.objects.get().verdict == "kept"
