"""What a recall costs in statements, and that the long ones are planned once (no N+1)."""

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from memories.permissions import Actor
from memories.recall import recall
from memories.recall.prepared import prepared
from tests.memories.recall.helpers import jot


@pytest.mark.usefixtures("away")
@pytest.mark.parametrize("hits", [1, 20])
def test_it_asks_the_database_five_times(
    actor: Actor, hits: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(hits):
        jot(actor, f"deploy with docker {number}")
    recall(actor=actor, query="docker", log=False)  # the model's name is known for a while
    with django_assert_num_queries(5):  # policy, scope, candidates, names, hits
        result = recall(actor=actor, query="docker", top_k=50, log=False)
    assert len(result.hits) == hits


@pytest.mark.usefixtures("away")
@pytest.mark.parametrize("hits", [1, 20])
def test_it_writes_down_with_seven_more(
    actor: Actor, hits: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(hits):
        jot(actor, f"deploy with docker {number}")
    recall(actor=actor, query="docker")
    # savepoint · spaces, recalls there already, warm, recalls, hits · release
    with django_assert_num_queries(5 + 7):
        recall(actor=actor, query="docker", top_k=50)


@pytest.mark.usefixtures("away")
def test_it_has_its_long_statements_planned_once(actor: Actor) -> None:
    jot(actor, "deploy with docker")
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    connection.connection._prepared.clear()  # psycopg's own list of them
    for query in ("docker", "deploy", "docker deploy"):
        recall(actor=actor, query=query, log=False)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%%string_agg%%'"
        )
        assert cursor.fetchone() == (1,)


@pytest.mark.django_db
def test_it_reads_prepared_values_as_django_does() -> None:
    statement = "SELECT %(at)s::timestamptz, %(n)s::float8, %(id)s::uuid, %(none)s::text"
    given: dict[str, str | float | None] = {
        "at": "2026-06-15 12:00:00.000001+02",
        "n": 0.1,
        "id": "01a22d69-7a52-7573-8465-168d85780731",
        "none": None,
    }
    with connection.cursor() as usual, prepared() as quick:
        usual.execute(statement, given)
        quick.execute(statement, given)
        assert quick.fetchall() == usual.fetchall()
