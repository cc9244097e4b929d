"""Words of the keyword arm (C1)."""

import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.text.tokens import (
    CODE,
    MAX_TOKEN,
    code,
    codes,
    tokenize,
    tsquery_literal,
    tsvector_literal,
)


def test_it_stems_english_and_drops_stop_words() -> None:
    assert tokenize("They were deploying the deployments") == ["deploy", "deploy"]


def test_it_makes_bigrams_of_chinese_and_keeps_english_beside_it() -> None:
    assert tokenize("用docker 部署服务") == ["用", "docker", "部署", "署服", "服务"]


@pytest.mark.parametrize(
    "identifier",
    [
        "HTTP_PROXY",
        "user.name@x.org",
        "k8s-prod-01",
        "v1.2.3",
        "getUserName",
        "10.0.0.1:8080",
        "C++",
    ],
)
def test_it_keeps_identifiers_whole(identifier: str) -> None:
    assert identifier.lower() in tokenize(f"set {identifier}, then go")


def test_it_also_finds_the_parts_of_an_identifier() -> None:
    assert {"http", "proxi"} <= set(tokenize("HTTP_PROXY"))
    assert {"user", "name"} <= set(tokenize("getUserName"))


def test_it_reads_an_apostrophe_as_grammar() -> None:
    assert tokenize("Anna's dogs don’t bark") == ["anna", "dog", "don", "bark"]


def test_it_takes_full_width_forms_as_plain_ones() -> None:
    assert tokenize("ＡＢＣ１２") == ["abc12"]


def test_it_reads_other_scripts_as_words() -> None:
    assert tokenize("Привет café") == ["привет", "café"]


def test_it_bounds_a_token() -> None:
    assert [len(token) for token in tokenize("x" * 5_000)] == [MAX_TOKEN]


@pytest.mark.django_db
@settings(max_examples=60, deadline=None)
@given(
    tokens=st.lists(
        st.text(
            st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
            min_size=1,
            max_size=8,
        ),
        min_size=1,
        max_size=20,
    )
)
def test_its_literals_mean_what_they_say_to_postgresql(tokens: list[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tsvector_to_array(%s::tsvector), %s::tsvector @@ %s::tsquery",
            [tsvector_literal(tokens), tsvector_literal(tokens), tsquery_literal(tokens[:1])],
        )
        lexemes, matches = cursor.fetchone()
    assert set(lexemes) == set(tokens)
    assert matches


def test_each_token_has_a_code_where_it_stands() -> None:
    assert codes([]) == b""
    assert codes(["docker", "部署", "docker"]) == b"".join(
        code(token).to_bytes(CODE, "big") for token in ("docker", "部署", "docker")
    )
    assert len({code(token) for token in ("docker", "dockers", "部署", "署部", "")}) == 5
