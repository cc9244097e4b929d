"""Any text is judged, quickly, and in the same way however it is typed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.writing.compare import Statement, compare
from memories.writing.compare.parse import parse

from .pairs import E5_SMALL, Pair, load

# The first examples build the lexicon, and time is no property of the rules.
untimed = settings(deadline=None)

ANY_TEXT = st.text(max_size=300)
PAIRS = st.sampled_from([pair for name in ("held_out", "tuning") for pair in load(name)])
SYMMETRIC = ("number", "time", "date", "version", "value", "weekday", "units", "subject", "env")


def kind(old: str, new: str, cosine: float | None) -> str:
    return compare(Statement(new), Statement(old), cosine, E5_SMALL).kind


@untimed
@given(ANY_TEXT, st.sampled_from([None, 0.5, 0.9, 1.0]))
def test_it_never_finds_a_text_against_itself(text: str, cosine: float | None) -> None:
    assert kind(text, text, cosine) == "duplicate"


@untimed
@given(ANY_TEXT, ANY_TEXT)
def test_it_judges_any_two_texts(old: str, new: str) -> None:
    assert kind(old, new, 0.95) in ("conflict", "duplicate", "distinct")


@untimed
@given(PAIRS)
def test_it_does_not_mind_width_spaces_and_ends(pair: Pair) -> None:
    def wide(text: str) -> str:
        digits = str.maketrans("0123456789", "０１２３４５６７８９")
        return "  " + text.translate(digits).replace(" ", "  ") + "\n"

    assert kind(wide(pair.old), wide(pair.new), pair.cosine) == pair.judged().kind


@untimed
@given(PAIRS.filter(lambda pair: pair.kind in SYMMETRIC))
def test_it_sees_a_clash_of_values_from_both_sides(pair: Pair) -> None:
    forth, back = kind(pair.old, pair.new, pair.cosine), kind(pair.new, pair.old, pair.cosine)
    if not parse(pair.old).changed and not parse(pair.new).changed:
        assert (forth == "conflict") == (back == "conflict")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "🙂🙂🙂",
        "\x00",
        "\ud800",
        "1" * 5000,
        "-" * 5000,
        "a." * 3000,
        "从" * 1900,
        "零" * 1900,
        "$" * 1900,
        "not " * 480,
        "三月" * 900,
        "from to " * 240,
        "x" * 10_000,
        "数据库" * 3_400,
    ],
)
def test_it_bears_odd_and_long_texts(text: str) -> None:
    assert kind(text, text + " 8", 0.9) in ("conflict", "duplicate", "distinct")
    assert kind("端口 8080", text, None) == "distinct"


@untimed
@given(st.text(alphabet="不没有无非用改成从到MySQL 8,。", max_size=400))
def test_it_bears_heaps_of_function_words(text: str) -> None:
    assert kind("公司用 MySQL。", text, 0.9) in ("conflict", "duplicate", "distinct")
