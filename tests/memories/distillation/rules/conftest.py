"""The rules with their embedder away: cues alone, which is what most tests are about."""

from collections.abc import Sequence
from typing import NoReturn

import pytest

from memories.distillation.rules import prototypes
from memories.embedding.client import EmbedderDown


@pytest.fixture
def no_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    def down(_texts: Sequence[str]) -> NoReturn:
        raise EmbedderDown("away")

    monkeypatch.setattr(prototypes, "embed", down)
