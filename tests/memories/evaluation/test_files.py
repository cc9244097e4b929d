"""The space that an evaluation works in, and leaves nothing of."""

import pytest

from memories.evaluation.files import scratch_space
from memories.models import Memory, Recall, Space
from memories.recall import recall
from tests.memories.recall.helpers import jot


@pytest.mark.django_db(transaction=True)
def test_it_leaves_nothing_though_recalls_are_written_down_after_their_answer() -> None:
    with scratch_space() as actor:
        jot(actor, "docker needs a proxy")
        for _n in range(5):
            assert recall(actor=actor, query="docker proxy").hits
    assert not Space.objects.filter(slug__startswith="scratch-").exists()
    assert not Memory.objects.exists()
    assert not Recall.objects.exists()
