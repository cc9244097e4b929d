"""What a reviewer sees of characters that cannot be seen (G2)."""

import pytest

from memories.text.clean import visible


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("pay\u200bload", "pay⟦U+200B⟧load"),
        ("a\u202eb", "a⟦U+202E⟧b"),
        ("a\U000e0041b", "a⟦U+E0041⟧b"),
        ("a\ue001b\U000f0002", "a⟦U+E001⟧b⟦U+F0002⟧"),
        ("a\ufe0fb", "a⟦U+FE0F⟧b"),
        ("😀\ufe01\ufe0f\ufe0e", "😀\ufe01⟦U+FE0F⟧⟦U+FE0E⟧"),
        ("\ufe0fa", "⟦U+FE0F⟧a"),
    ],
)
def test_it_spells_out_what_hides(text: str, seen: str) -> None:
    assert visible(text) == seen


@pytest.mark.parametrize("text", ["❤️ thanks", "1️⃣ first", "葛\ufe00城", "👩🏽", "plain, 中文"])
def test_it_leaves_alone_what_has_its_use(text: str) -> None:
    assert visible(text) == text
