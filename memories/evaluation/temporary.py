"""A space to measure in: made, filled, and taken away again."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from celery import current_app

from memories.embedding import indexing
from memories.evaluation.filling import remove
from memories.evaluation.standin import MODEL
from memories.models import Space
from memories.models.ids import new_id
from memories.recall.logbook import settled


@contextmanager
def temporary_space(*, keep: bool, told: Callable[[str], None]) -> Iterator[Space]:
    """Make a space that embeds at the stand-in; take it away at the end, also after Ctrl-C.

    From then on this process tells no worker of what happens.
    """
    current_app.conf.update(broker_url="memory://localhost")
    space = Space.objects.create(slug=f"bench-{new_id()}", name="Bench", embedding_model=MODEL)
    try:
        yield space
    finally:
        settled()  # recalls are written down after their answer
        if keep:
            told(f"kept: {space.slug}")
        else:
            told("removing the space")
            for index in indexing.existing(space.pk):
                while not indexing.drop(index):
                    time.sleep(1)  # a worker makes one of another space
            remove(space)
