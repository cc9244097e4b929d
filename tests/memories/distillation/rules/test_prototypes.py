"""Likeness to labelled statements, with the real embedder and without one."""

import pytest

from memories.distillation.rules.prototypes import prototypes, resemblances


def test_it_knows_enough_of_both_classes_in_both_languages() -> None:
    texts = [one.text for one in prototypes()]
    assert len(texts) == len(set(texts))
    for han in (True, False):
        for keep in (True, False):
            assert (
                sum(one.keep is keep and (not one.text.isascii()) is han for one in prototypes())
                > 50
            )


@pytest.mark.usefixtures("no_embedder")
def test_it_says_nothing_without_an_embedder() -> None:
    assert list(resemblances(["a", "b"])) == [0.0, 0.0]
    assert list(resemblances([])) == []


@pytest.mark.usefixtures("embedder")
def test_it_tells_the_classes_apart() -> None:
    worth = [
        "My cousin moved to Oslo in May.",
        "我表弟五月搬到了奥斯陆。",
        "The API listens on port 9000.",
    ]
    not_worth = ["So nice of you to say that!", "你说得太好了！", "How was your day?"]
    found = list(resemblances([*worth, *not_worth]))
    assert min(found[:3]) > max(found[3:])
    assert all(-1 <= value <= 1 for value in found)


@pytest.mark.usefixtures("embedder")
def test_it_takes_more_texts_than_a_batch() -> None:  # B10
    assert len(list(resemblances([f"Text {number}" for number in range(101)]))) == 101
