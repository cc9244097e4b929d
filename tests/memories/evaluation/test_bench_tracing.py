"""Where a recall's time goes: every step is found, and recall is as before afterwards."""

import sys
from contextlib import suppress

import pytest

from memories.evaluation import tracing
from memories.evaluation.tracing import PARTS, arms_alone, traced
from memories.permissions import Actor
from memories.recall import recall
from memories.writing import write_memory


def steps() -> dict[str, object]:
    """Return what recall's modules hold under the names of its steps."""
    return {
        f"{module}.{name}": value
        for module, names in list(sys.modules.items())
        if module.startswith("memories.recall.")
        for name, value in vars(names).items()
        if name in PARTS
    }


@pytest.fixture
def known(embedder: str, actor: Actor) -> Actor:
    write_memory(actor=actor, content="Deploy checkout-2 with Docker on port 28.")
    return actor


def test_it_times_every_part_of_a_recall(known: Actor) -> None:
    with traced() as trace:
        trace.watched(lambda: recall(actor=known, query="How do we deploy checkout-2?"))
    parts = trace.parts()
    assert list(parts) == ["embed", "arms", "names", "rules", "rerank", "hits", "log", "rest"]
    assert all(spread.p50 > 0 for spread in parts.values())
    statements, processor = trace.each()
    assert statements >= 3
    assert processor > 0


def test_it_asks_the_arms_one_by_one(known: Actor) -> None:
    with arms_alone() as took:
        found = recall(actor=known, query="How do we deploy checkout-2?")
    assert {arm: len(times) for arm, times in took.items()} == {"semantic": 1, "keyword": 1}
    [hit] = found.hits
    assert hit.arms["semantic"] > 0
    assert hit.arms["keyword"] > 0


def test_it_leaves_recall_as_it_was() -> None:
    before = steps()
    with suppress(LookupError), traced(), arms_alone():
        assert steps() != before
        raise LookupError
    assert steps() == before


def test_it_counts_a_step_without_the_steps_inside_it() -> None:
    trace = tracing.Trace()
    slow = trace.timing("inner", lambda: sum(range(300_000)))
    trace.watched(trace.timing("outer", slow))
    assert set(trace._recalls[0]) == {"inner", "outer", "rest"}
    assert trace._recalls[0]["outer"] < trace._recalls[0]["inner"]


def test_it_says_that_a_step_has_another_name_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PARTS, "guessed", "guess")
    with pytest.raises(LookupError, match="no step guessed"), traced():
        pass
