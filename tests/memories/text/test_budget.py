"""How many tokens a text is taken to have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.text.budget import tokens


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("The billing service uses PostgreSQL.", 7, 12),  # 7 with GPT-4's tokeniser
        ("用户喜欢深色主题", 8, 8),
        ("👩‍🔬", 3, 8),
    ],
)
def test_it_is_near_and_rather_too_many(text: str, least: int, most: int) -> None:
    assert least <= tokens(text) <= most


@given(parts=st.lists(st.text()))
def test_it_is_never_less_for_the_parts_than_for_the_whole(parts: list[str]) -> None:
    assert tokens("".join(parts)) <= sum(map(tokens, parts))
