"""The callers of tests/memories/api, and a conflict that waits for a person."""

from collections.abc import Callable

import pytest

from memories.models import Flag, Memory
from tests.memories.api.client import Caller
from tests.memories.api.conftest import _fresh_counts, curator, mate, outsider, owner

__all__ = ["_fresh_counts", "curator", "mate", "outsider", "owner"]


@pytest.fixture
def conflict(owner: Caller) -> Callable[..., Flag]:
    """Return a function that writes two memories and opens a conflict between them."""

    def build(new: str = "the port is 443", old: str = "lunch is at noon", **said: str) -> Flag:
        first, second = owner.write(old, **said), owner.write(new, **said)
        flag: Flag = Flag.objects.create(
            space=Memory.objects.get(pk=first["id"]).space,
            kind=Flag.Kind.CONFLICT,
            memory_id=second["id"],
            counterpart_id=first["id"],
            memory_version=1,
            counterpart_version=1,
            reason="another_value",
            scores={"cosine": 0.9},
            evidence={"detail": "443 / noon"},
        )
        return flag

    return build


@pytest.fixture
def flag(conflict: Callable[..., Flag]) -> Flag:
    return conflict()
