"""Which version said this (E1)."""

from hypothesis import given
from hypothesis import strategies as st

from memories.text.blame import Blamed, blame
from memories.text.diff import sentences

# Few sentences, so that they come, go, move and repeat.
SENTENCES = st.sampled_from(["It rains. ", "It snows! ", "下雨了。", "为什么？", "Port 3.5", "a\n"])
TEXTS = st.lists(SENTENCES, max_size=6).map("".join)
HISTORIES = st.lists(TEXTS, min_size=1, max_size=7)


def test_it_names_the_version_that_brought_a_sentence() -> None:
    texts = ["We use Redis.", "We use Redis. It listens on 6379.", "We use Redis. It is old."]
    assert blame(texts) == [Blamed("We use Redis. ", 0), Blamed("It is old.", 2)]


def test_it_splits_chinese_text() -> None:
    texts = ["缓存用Redis。", "缓存用Redis。端口是6379。"]
    assert blame(texts) == [Blamed("缓存用Redis。", 0), Blamed("端口是6379。", 1)]


def test_it_takes_what_only_moved_as_there_all_along() -> None:
    assert [one.since for one in blame(["下雨了。为什么？", "为什么？下雨了。"])] == [0, 0]


def test_it_starts_anew_where_a_sentence_had_gone() -> None:
    assert blame(["It rains.", "It snows.", "It rains."]) == [Blamed("It rains.", 2)]


def test_it_counts_what_is_said_twice_for_itself() -> None:
    assert [one.since for one in blame(["是。", "是。是。"])] == [0, 1]


def test_it_has_nothing_to_say_of_no_version() -> None:
    assert blame([]) == []


@given(HISTORIES)
def test_it_gives_the_newest_text_back(texts: list[str]) -> None:
    assert "".join(one.text for one in blame(texts)) == texts[-1]


@given(HISTORIES)
def test_it_names_a_place_from_which_on_every_text_has_it(texts: list[str]) -> None:
    for one in blame(texts):
        bare = one.text.strip()
        for text in texts[one.since :]:
            assert bare in [sentence.strip() for sentence in sentences(text)]


@given(HISTORIES)
def test_it_names_the_first_such_place(texts: list[str]) -> None:
    found = blame(texts)
    for bare in {one.text.strip() for one in found}:
        places = [one.since for one in found if one.text.strip() == bare]
        counts = [[s.strip() for s in sentences(text)].count(bare) for text in texts]
        for turn, place in enumerate(places):
            assert place == 0 or counts[place - 1] <= turn


@given(HISTORIES)
def test_it_is_not_moved_by_a_version_that_says_the_same(texts: list[str]) -> None:
    assert blame([*texts, texts[-1]]) == blame(texts)
