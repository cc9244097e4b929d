"""What changed between two texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.text.diff import MAX_EDITS, Piece, sentences, word_diff, words

TEXT = st.text(alphabet=st.sampled_from("ab 部署用。.\n\u200b<&1"), max_size=80)


def side(pieces: list[Piece], name: str) -> str:
    return "".join(piece.text for piece in pieces if piece.side in ("both", name))


@given(old=TEXT, new=TEXT)
def test_it_keeps_both_texts_whole(old: str, new: str) -> None:
    pieces = word_diff(old, new)
    assert (side(pieces, "old"), side(pieces, "new")) == (old, new)


@given(text=st.text(max_size=200))
def test_it_splits_without_loss(text: str) -> None:
    assert "".join(words(text)) == text
    assert "".join(sentences(text)) == text


@given(text=TEXT)
def test_it_finds_no_change_in_an_equal_text(text: str) -> None:
    assert all(piece.side == "both" for piece in word_diff(text, text))


def test_it_compares_latin_by_word() -> None:
    assert word_diff("uses MySQL now", "uses PostgreSQL now") == [
        Piece("both", "uses "),
        Piece("old", "MySQL"),
        Piece("new", "PostgreSQL"),
        Piece("both", " now"),
    ]


def test_it_compares_chinese_by_character() -> None:
    assert word_diff("部署脚本支持回滚", "部署脚本不支持回滚") == [
        Piece("both", "部署脚本"),
        Piece("new", "不"),
        Piece("both", "支持回滚"),
    ]


def test_it_reads_neighbouring_changes_as_one() -> None:
    changed = list(word_diff("on MySQL 8 here", "on Redis 7 here"))
    assert [piece.text for piece in changed] == ["on ", "MySQL 8", "Redis 7", " here"]


@pytest.mark.parametrize("unit", ["字", "word "])
def test_it_still_matches_sentences_of_texts_that_are_far_apart(unit: str) -> None:
    old = f"First. {unit * MAX_EDITS} Last."
    new = f"First. {'other ' * MAX_EDITS * 2}. Last."
    pieces = word_diff(old, new)
    assert pieces[0] == Piece("both", "First. ")
    assert (side(pieces, "old"), side(pieces, "new")) == (old, new)


def test_it_marks_all_of_what_shares_nothing() -> None:
    old, new = "甲" * 5000, "乙" * 5000
    assert word_diff(old, new) == [Piece("old", old), Piece("new", new)]
