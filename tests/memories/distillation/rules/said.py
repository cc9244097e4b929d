"""Turns as a host records them, unsaved, and what the rules make of them."""

from datetime import UTC, datetime, timedelta

from memories.distillation.proposal import Proposal, Scene
from memories.distillation.rules import statements
from memories.models import Turn

MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
ANN = "Ann"


def said(*told: tuple[str, str] | str) -> list[Turn]:
    """Return turns of (“assistant”, “user” or a name, text); a text alone is Ann's."""
    pairs = [(ANN, one) if isinstance(one, str) else one for one in told]
    return [
        Turn(
            number=number,
            role="assistant" if who == "assistant" else "user",
            speaker="" if who in {"assistant", "user"} else who,
            content=content,
            happened_at=MONDAY + timedelta(seconds=number),
        )
        for number, (who, content) in enumerate(pairs, 1)
    ]


def proposed(*told: tuple[str, str] | str, user_id: str = "u-1") -> list[Proposal]:
    return statements(said(*told), Scene(agent="helper", user_id=user_id))


def kept(*told: tuple[str, str] | str) -> list[str]:
    """Return the contents that no rule turned away."""
    return [one.content for one in proposed(*told) if not one.drop]


def dropped(*told: tuple[str, str] | str) -> list[tuple[str, str]]:
    """Return (content, code) of what a rule turned away."""
    return [(one.content, one.drop) for one in proposed(*told) if one.drop]
