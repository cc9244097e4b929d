"""Answers fit into a model's context, and say what they leave out."""

from typing import Any

import pytest

from mcp_bridge.fitting import (
    MOST_TOKENS,
    USUAL_TOKENS,
    fit,
    page,
    rendered,
    shortened,
    tokens,
)
from memories import history
from memories.models import Memory
from memories.permissions import Actor
from tests.mcp_bridge.sessions import Session, structured, text_of


def memory(**fields: Any) -> dict[str, Any]:
    return {"id": "1", "content": "Short.", "reflection": "", "metadata": {}} | fields


def test_it_leaves_short_memories_alone() -> None:
    given = [memory(), memory(content="Also short.")]
    assert fit(given, USUAL_TOKENS) == given


def test_it_says_how_much_it_leaves_out() -> None:
    shown = shortened(memory(content="x" * 700, reflection="y" * 501), 500)
    assert (len(shown["content"]), len(shown["reflection"])) == (500, 500)
    assert shown["left"] == {"content": 200, "reflection": 1}


def test_it_never_shows_half_of_some_metadata() -> None:
    shown = shortened(memory(metadata={"log": "z" * 600}), 500)
    assert shown["metadata"] == {}
    assert shown["left"] == {"metadata": 610}


def test_it_shortens_before_it_drops() -> None:
    shown = fit([memory(content="长" * 2_000) for _ in range(5)], USUAL_TOKENS)
    assert len(shown) == 5
    assert all(one["left"]["content"] > 0 for one in shown)


def test_it_drops_the_last_when_shortening_is_not_enough() -> None:
    many = [memory(id=str(number), content="长" * 2_000) for number in range(50)]
    shown = fit(many, USUAL_TOKENS)
    assert [one["id"] for one in shown] == [str(number) for number in range(len(shown))]
    assert 0 < len(shown) < 50


def test_it_shows_at_least_the_first() -> None:
    assert len(fit([memory(tags=["长" * 60] * 60)], 1_000)) == 1


def test_it_counts_chinese_as_dearer_than_english() -> None:
    assert tokens("部署") == 2
    assert tokens("deploy") == 2


def test_it_pages_through_the_whole_content() -> None:
    text = "“\n长" * 3_333
    shown, offset = "", 0
    while "content" in (one := page(memory(content=text), offset)).get("left", {}):
        shown += one["content"]
        offset += len(one["content"])
        assert tokens(rendered(one)) <= MOST_TOKENS
    assert shown + one["content"] == text


def test_it_says_that_metadata_did_not_fit() -> None:
    one = page(memory(content="长" * 9_000, metadata={"log": "长" * 7_900}), 0)
    assert one["left"]["metadata"] > 7_900
    assert one["content"]


# --- Through the tools ----------------------------------------------------------------------------
@pytest.fixture
def long_texts(inner: Session, actor: Actor) -> list[Memory]:
    """Thirty memories of the greatest length in Chinese, found by their words."""
    memories = [
        Memory(
            space_id=actor.space_id,
            agent_id=actor.id,
            content=f"部署记录 {number}: " + "部署失败。" * 1_990,
            confidence=1.0,
        )
        for number in range(30)
    ]
    for memory in memories:
        history.index(memory)
    history.create(memories, actor=actor)
    return memories


def test_it_keeps_a_search_under_3000_tokens(inner: Session, long_texts: list[Memory]) -> None:
    result = inner.call("search_memory", query="部署失败")
    assert tokens(text_of(result)) <= USUAL_TOKENS
    found = structured(result)
    assert found["hits"]
    assert "get_memory shows the whole text" in found["note"]


def test_it_keeps_the_widest_search_under_10000_tokens(
    inner: Session, long_texts: list[Memory]
) -> None:
    result = inner.call("search_memory", query="部署失败", top_k=50)
    assert tokens(text_of(result)) <= MOST_TOKENS
    found = structured(result)
    assert found["has_more"] is True
    assert found["left_out"] == 30 - len(found["hits"])
    assert "did not fit" in found["note"]


def test_it_keeps_one_memory_under_10000_tokens(inner: Session, long_texts: list[Memory]) -> None:
    result = inner.call("get_memory", memory_id=str(long_texts[0].pk))
    assert tokens(text_of(result)) <= MOST_TOKENS
