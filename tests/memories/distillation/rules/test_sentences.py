"""Sentences in both languages, each at its place, and what is no sentence of anybody."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.distillation.rules.sentences import LONGEST, sentences


def texts(message: str) -> list[str]:
    return [sentence.text for sentence in sentences(message)]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("I like tea. You too? Great!", ["I like tea.", "You too?", "Great!"]),
        ("Dr. Lee came. Mrs. Ray left.", ["Dr. Lee came.", "Mrs. Ray left."]),
        ("It is e.g. blue. Or red.", ["It is e.g. blue.", "Or red."]),
        ("Use v1.2.3 of main.py at 3.5 GHz. Go.", ["Use v1.2.3 of main.py at 3.5 GHz.", "Go."]),
        (
            "See https://a.example/b?c=d.e now. Ok then.",
            ["See https://a.example/b?c=d.e now.", "Ok then."],
        ),
        ("Well... maybe later. Fine.", ["Well... maybe later.", "Fine."]),
        ("We meet at 5 p.m. on Friday. Good.", ["We meet at 5 p.m. on Friday.", "Good."]),
        ("I live in the U.S. It is big.", ["I live in the U.S.", "It is big."]),
        ("J. K. Smith wrote it. Nice.", ["J. K. Smith wrote it.", "Nice."]),
        ('She said "go." Then she left.', ['She said "go."', "Then she left."]),
        ("Love it 😊 We went home.", ["Love it 😊", "We went home."]),
        ("我喜欢茶。你呢？好！", ["我喜欢茶。", "你呢？", "好！"]),
        ("先备份；再迁移。", ["先备份；", "再迁移。"]),
        ("他说：“走吧！”我没去。", ["他说：“走吧！”", "我没去。"]),
        ("docker 部署在 v1.2.3 上。ok. 好", ["docker 部署在 v1.2.3 上。", "ok.", "好"]),
        ("one\ntwo\n\nthree", ["one", "two", "three"]),
        ("1. First\n2) Second\n- Third\n• 第四", ["First", "Second", "Third", "第四"]),
        ("", []),
        ("!!! ... 42", []),
    ],
)
def test_it_ends_a_sentence_where_one_ends(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    "hidden",
    [
        "```python\nx = 1. Then go.\n```",
        "```\nnever closed. At all.",
        "> Somebody else said this. Really.",
        "https://example.org/a/b",
        "2024-05-01 12:00:00 ERROR disk full. Giving up.",
        "Traceback (most recent call last):",
        '  File "a.py", line 3, in run',
        "ValueError: bad value. Try again.",
        "$ rm -rf build. Done",
        '"name": "Ann. Lee",',
        "<hindsight-memories>\n- Ann likes tea.\n</hindsight-memories>",  # B9
        "<hindsight-memories>\n- Ann likes tea.",
        "<log>disk full. Bad.</log>",
    ],
)
def test_it_leaves_out_what_nobody_said(hidden: str) -> None:
    assert texts(f"Before it.\n{hidden}") == ["Before it."]


def test_it_tells_an_attachment_from_a_sentence() -> None:
    found = list(sentences("Look. [photo: a dog. By a lake] 看 [图片：猫]"))
    assert [(one.text, one.attached) for one in found] == [
        ("Look.", False),
        ("[photo: a dog. By a lake]", True),
        ("看", False),
        ("[图片：猫]", True),
    ]


def test_it_splits_a_long_sentence_at_its_commas() -> None:  # B6
    found = texts("one thing and another thing, " * 60)
    assert max(map(len, found)) <= LONGEST
    assert all(text.startswith("one thing") for text in found)


def test_it_takes_no_run_without_gaps_for_a_sentence() -> None:
    assert texts("x" * 5000) == []


@given(st.text(max_size=400))
def test_every_sentence_stands_in_its_message(message: str) -> None:
    end = 0
    for sentence in sentences(message):
        assert message[sentence.start : sentence.end] == sentence.text
        assert sentence.start >= end
        end = sentence.end


@pytest.mark.parametrize(
    "piece",
    ["word ", "a.", "。", "> ", "[photo: ", "```", "< ", "=-", "“", "\n", "1. ", "!", "?!", "... "],
)
def test_it_reads_huge_messages(piece: str) -> None:
    message = piece * (200_000 // len(piece))  # the suite's time limit says when it is not linear
    assert all(len(sentence.text) <= LONGEST for sentence in sentences(message))
