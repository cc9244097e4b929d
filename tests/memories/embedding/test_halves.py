"""What is compared is what is stored: the database rounds a vector as halves() does."""

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories.embedding.halves import halves, written

VECTORS = st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=8)


@pytest.mark.django_db
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(VECTORS)
def test_the_database_reads_what_was_written(vector: list[float]) -> None:
    digits = f"[{','.join(map(repr, vector))}]"
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::halfvec = %s::halfvec", [written(vector), digits])
        assert cursor.fetchone() == (True,)


@given(VECTORS)
def test_halves_stay_as_they_are(vector: list[float]) -> None:
    assert halves(halves(vector)) == halves(vector)
