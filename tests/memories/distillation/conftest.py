"""Ended sessions with turns, and a distiller that proposes what a test says."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.utils import timezone

from memories.distillation import rules
from memories.distillation.proposal import Proposal, Scene
from memories.models import Agent, Session, Turn

Propose = Callable[..., None]


@pytest.fixture
def ended(agent: Agent) -> Session:
    """A session of three turns that waits to be distilled."""
    return session_of(agent, ["I moved to Berlin.", "Noted.", "I never eat fish."])


def session_of(agent: Agent, said: Sequence[str], key: str = "s-1", **fields: Any) -> Session:
    """Return an ended session in which user and assistant take turns."""
    now = timezone.now()
    session: Session = Session.objects.create(
        space=agent.space,
        agent=agent,
        key=key,
        turn_count=len(said),
        started_at=now,
        last_turn_at=now,
        touched_at=now,
        ended_at=now,
        ended_by="host",
        **fields,
    )
    Turn.objects.bulk_create(
        Turn(
            session=session,
            space=agent.space,
            user_id=session.user_id,
            number=number,
            role=("assistant", "user")[number % 2],
            content=content,
            happened_at=now,
        )
        for number, content in enumerate(said, 1)
    )
    return session


def proposal(content: str, *turns: int, **fields: Any) -> Proposal:
    """Return a proposal that passes the gate unless `fields` say otherwise."""
    good: dict[str, Any] = {
        "owner": "team",
        "question": "where do they live?",
        "value": "where to send things",
        "source": "user_input",
        "worth": 0.9,
    }
    return Proposal(content=content, turns=turns or (1,), quote=content, **good | fields)


@pytest.fixture
def proposing(monkeypatch: pytest.MonkeyPatch) -> Propose:
    """Make the rules distiller propose exactly these."""

    def set_to(*proposals: Proposal) -> None:
        def propose(turns: Sequence[Turn], scene: Scene) -> list[Proposal]:
            return list(proposals)

        monkeypatch.setattr(rules, "propose", propose)

    return set_to
