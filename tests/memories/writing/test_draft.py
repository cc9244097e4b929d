"""Unusable input is named, with what to do about it; nothing is silently cut (B6)."""

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.errors import Invalid
from memories.writing.draft import MAX_CONTENT, drafted


@pytest.mark.parametrize("content", ["", "   ", "\n\t", "\u200b\u200b", "\ufeff"])
def test_it_refuses_a_text_that_says_nothing(content: str) -> None:
    with pytest.raises(Invalid, match="content is empty"):
        drafted(content=content)


def test_it_takes_the_longest_text_and_refuses_one_more_character() -> None:  # B6
    assert len(drafted(content="长" * MAX_CONTENT).content) == MAX_CONTENT
    with pytest.raises(Invalid, match="10001 characters, at most 10000"):
        drafted(content="长" * (MAX_CONTENT + 1))


def test_it_replaces_what_cannot_be_stored_and_says_so() -> None:
    draft = drafted(content="a\x00b\ud800c")
    assert draft.content == "a�b�c"
    assert draft.notes == ("nul_replaced", "surrogate_replaced")


def test_it_joins_a_pair_of_surrogates() -> None:
    draft = drafted(content="\ud83d\ude00 ok")
    assert (draft.content, draft.notes) == ("😀 ok", ())


def test_it_notes_invisible_characters_but_keeps_them() -> None:
    draft = drafted(content="pay\u200bpal")
    assert (draft.content, draft.notes) == ("pay\u200bpal", ("invisible_characters",))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "opinion"),
        ("source", "rumour"),
        ("visibility", "public"),
        ("subject", "s" * 201),
        ("reflection", "r" * 2001),
        ("tags", ["t" * 61]),
        ("tags", "not-a-list"),
        ("tags", [str(n) for n in range(21)]),
        ("metadata", {"a": float("nan")}),
        ("metadata", {"a": "x" * 8001}),
        ("metadata", ["list"]),
        ("confidence", 1.01),
        ("confidence", -0.1),
        ("confidence", float("nan")),
        ("subject", 5),
    ],
)
def test_it_names_the_field_that_is_wrong(field: str, value: Any) -> None:
    with pytest.raises(Invalid) as refusal:
        drafted(content="Tea.", **{field: value})
    assert refusal.value.field == field


def test_it_cleans_tags_and_metadata() -> None:
    draft = drafted(content="Tea.", tags=["a", " a ", "", "b\x00"], metadata={"k": "v\x00"})
    assert draft.tags == ("a", "b�")
    assert draft.metadata == {"k": "v�"}


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_whatever_is_accepted_can_be_stored(content: str) -> None:
    try:
        draft = drafted(content=content)
    except Invalid:
        return
    assert "\x00" not in draft.content
    draft.content.encode()


def test_it_leaves_a_backslash_in_metadata_alone() -> None:
    assert drafted(content="Tea.", metadata={"k": "\\u0000"}).metadata == {"k": "\\u0000"}


@pytest.mark.parametrize("year", [1, 999, 9999])
def test_it_refuses_a_time_that_cannot_be_meant(year: int) -> None:
    with pytest.raises(Invalid, match="happened_at"):
        drafted(content="Tea.", happened_at=datetime(year, 12, 31))  # noqa: DTZ001
