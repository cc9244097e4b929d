"""A large owner whose indexes are made by the job, in small: what counts as large is 100."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories import history, jobs
from memories.embedding import indexing
from memories.evaluation import corpus
from memories.evaluation.vectors import vector
from memories.jobs.kinds import index_large
from memories.models import Memory
from memories.models.job import JobRun
from memories.permissions import Actor
from memories.reading import Filters
from memories.recall import nearest
from memories.recall.arms import Proposed, propose
from memories.recall.question import asked
from memories.recall.recall import scope_of
from tests.memories.recall.helpers import NOW

MODEL, USER, MANY = "m", "user-0", 100
BY_INDEX = "around AS MATERIALIZED"


@contextmanager
def in_small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What counts as large is small here; the embedder need not say what it calls its model."""
    monkeypatch.setattr(nearest, "LARGE", MANY)
    monkeypatch.setattr(nearest, "SHARE", 1 / 4)
    monkeypatch.setattr(indexing, "MANY", MANY)
    monkeypatch.setattr(index_large, "identity", lambda _name: MODEL)
    indexing.forget()
    yield
    for name in indexing.existing():
        assert indexing.drop(name)


def told(actor: Actor, texts: Sequence[str], user_id: str = USER, **fields: Any) -> list[Memory]:
    """Put memories with the vectors of the made-up corpus in their place, as fast as can be."""
    memories = [
        Memory(
            space_id=actor.space_id,
            agent_id=actor.id,
            user_id=user_id,
            content=text,
            session=f"session-{place // 20}",
            confidence=1.0,
            embedding=vector(text),
            embedding_model=MODEL,
            **fields,
        )
        for place, text in enumerate(texts)
    ]
    for memory in memories:
        history.index(memory)
    return Memory.objects.bulk_create(memories, batch_size=1000)


def texts_of(owner: int, count: int) -> list[str]:
    """Return different texts of the made-up corpus; those of an odd owner are Chinese."""
    return list(dict.fromkeys(made.content for made in corpus.owned(owner, count, NOW)))


def indexed(admin: Actor) -> dict[str, int]:
    """Let the job run to its end; return what it did."""
    run = jobs.start(actor=admin, job="index_large")
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert run.state == JobRun.State.DONE
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memories_memory")
    counts: dict[str, int] = run.counts
    return counts


def proposed(
    actor: Actor,
    query: str,
    *,
    exact: bool = False,
    limit: int = 20,
    near: str = "",
    **filters: Any,
) -> tuple[Proposed, bool]:
    """Return what is proposed to an agent on behalf of USER, and whether by the indexes."""
    question = asked(query, NOW)
    scope = scope_of(actor.acting_for(USER), Filters(**filters))
    with CaptureQueriesContext(connection) as queries:
        found = propose(
            scope,
            question,
            vector=vector(near or question.meant),
            model=MODEL,
            limit=limit,
            recent=5,
            space=None if exact else actor.space_id,
        )
    return found, any(BY_INDEX in str(query["sql"]) for query in queries)
