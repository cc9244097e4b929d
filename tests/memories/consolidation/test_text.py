"""Without a model: every sentence of every source, in order, none twice, joined as one writes."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.consolidation.facts import fault
from memories.consolidation.text import joined, parts
from memories.models import Memory
from tests.memories.consolidation.samples import OTHERS, TOPICS

START = datetime(2026, 5, 1, 9, tzinfo=UTC)
EVERYTHING = (*OTHERS, *(text for topic in TOPICS for text in topic))


def told(*texts: str) -> list[Memory]:
    """Memories written one after another."""
    return [
        Memory(content=text, created_at=START + timedelta(hours=n)) for n, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("texts", "text"),
    [
        (["The train leaves at 10.", "Mira drives."], "The train leaves at 10. Mira drives."),
        (["The train leaves at 10", "Mira drives"], "The train leaves at 10. Mira drives."),
        (["火车十点开。", "由米拉驾驶。"], "火车十点开。由米拉驾驶。"),
        (["火车十点开", "由米拉驾驶"], "火车十点开。由米拉驾驶。"),
        (["docker 部署用 compose", "It needs 2 GB."], "docker 部署用 compose。It needs 2 GB."),
        (["It needs 2 GB", "docker 部署用 compose"], "It needs 2 GB. docker 部署用 compose。"),
        (["See https://acme.cn/x", "Mira drives."], "See https://acme.cn/x\nMira drives."),
        (["Run `make deploy`", "Mira drives."], "Run `make deploy`\nMira drives."),
        (["Steps:\n1. build\n2. ship", "Mira drives."], "Steps:\n1. build\n2. ship\nMira drives."),
    ],
)
def test_it_joins_as_each_script_does(texts: Sequence[str], text: str) -> None:
    assert joined(told(*texts)) == text


def test_it_tells_in_the_order_in_which_it_happened() -> None:
    late, early = told("Then it was sold.", "First it was built.")
    early.happened_at = START - timedelta(days=9)
    assert joined([late, early]) == "First it was built. Then it was sold."


def test_what_is_said_twice_is_told_once() -> None:
    texts = (
        "Mira drives. The train leaves at 10.",
        "the train  leaves at 10",
        "mira drives。",
    )
    assert joined(told(*texts)) == "Mira drives. The train leaves at 10."


@pytest.mark.parametrize(
    "texts",
    [
        ("Set HTTP_PROXY.", "Set http_proxy."),
        ("Backups run.", "Backups run at night."),
        ("Anna reports to Victor.", "Victor reports to Anna."),
        ("The limit is 20.", "The limit is 20 MB."),
        ("Deploys are allowed.", "Deploys are not allowed."),
        ("他喝咖啡。", "他不喝咖啡。"),
    ],
)
def test_what_says_more_or_other_stays(texts: Sequence[str]) -> None:
    assert parts(joined(told(*texts))) == list(texts)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("It runs v1.2 now. Mira drives.", 2),
        ("Ask Dr. Lee. He knows, e.g. Tools.", 2),
        ("一句。两句！三句？“四句。”", 4),
        ("No end", 1),
        ("Really?! Yes.", 2),
        ("a.b.c is a path.", 1),
        ("", 0),
    ],
)
def test_it_knows_where_a_sentence_ends(text: str, number: int) -> None:
    assert len(parts(text)) == number


@given(st.lists(st.sampled_from(EVERYTHING), min_size=1, max_size=8))
@settings(max_examples=80, deadline=None)
def test_every_fact_of_every_source_is_kept(texts: list[str]) -> None:  # E8
    assert fault(joined(told(*texts)), texts) is None


@given(st.lists(st.text(alphabet="ab1 .。!？\n,/不x", min_size=1, max_size=40), max_size=5))
@settings(max_examples=150, deadline=None)
def test_no_character_of_any_word_is_lost(texts: list[str]) -> None:
    merged = joined(told(*texts))
    for sentence in (sentence for text in texts for sentence in parts(text)):
        bare = [sign for sign in sentence.casefold() if sign.isalnum()]
        assert _within(bare, merged.casefold()), (sentence, merged)


def _within(wanted: Sequence[str], text: str) -> bool:
    """Whether these characters stand in the text in this order."""
    rest = iter(text)
    return all(sign in rest for sign in wanted)
