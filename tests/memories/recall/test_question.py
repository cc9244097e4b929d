"""A query taken apart."""

import pytest

from memories.recall.question import asked, spoken
from tests.memories.recall.helpers import NOW


def test_it_embeds_and_searches_a_plain_question_as_it_is() -> None:
    question = asked("  Where is docker? ", NOW)
    assert (question.text, question.meant) == ("Where is docker?", "Where is docker?")
    assert question.terms == ("docker",)


def test_it_reads_a_dialogue_by_what_is_said_and_embeds_the_users_part() -> None:
    words, meant = spoken("Ann: hello\nAssistant: who is there\nAnn: me")
    assert words.split() == ["hello", "who", "is", "there", "me"]
    assert meant == "hello\nme"


def test_it_reads_a_chinese_dialogue() -> None:
    assert spoken("小明：你好\n助手：什么事？\n小明：部署")[1] == "你好\n部署"


def test_it_embeds_no_quotation_marks_around_what_is_said() -> None:
    said = (
        'Bart: "I won “Macbeth” tickets!"\nAssistant: "Great."\nBart: “去看吗？”\nBart: “It” is on.'
    )
    assert spoken(said)[1] == "I won “Macbeth” tickets!\n去看吗？\n“It” is on."


def test_it_leaves_other_lines_with_colons_alone() -> None:
    for text in (
        "HTTP: 80\nHTTPS: 443",
        "error: no such file",
        "a: 1",
        "one\ntwo\nthree\nx: y\nx: z",
    ):
        assert spoken(text) == (text, text)


def test_it_names_the_times_of_the_question() -> None:
    assert len(asked("what happened in May 2023?", NOW).times) == 1


def test_it_searches_a_talk_without_the_pairs_that_are_grammar() -> None:
    talk = asked("小明：我们的部署\n助手：是吗？\n小明：部署了", NOW)
    assert talk.terms == ("部署",)


def test_it_searches_a_short_question_by_every_pair() -> None:
    assert asked("部署了吗", NOW).terms == ("部署", "署了", "了吗")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "妈妈的电话是多少？另外，论坛在哪里举办？",
            ["妈妈的电话是多少？", "另外，论坛在哪里举办？"],
        ),
        (
            "Where does Bob live? Who feeds the cat? I leave tomorrow.",
            ["Where does Bob live?", "Who feeds the cat? I leave tomorrow."],
        ),
        # Too short to be asked alone.
        (
            "Really? Where does Bob live? Where is the cat fed?",
            ["Really? Where does Bob live?", "Where is the cat fed?"],
        ),
    ],
)
def test_it_takes_the_questions_of_a_text_apart(text: str, parts: list[str]) -> None:
    assert [part.meant for part in asked(text, NOW).parts] == parts


@pytest.mark.parametrize(
    "text",
    [
        "Where does Bob live?",
        "Does /find?name=Bob answer with JSON?",
        "真的吗？妈妈的电话是多少？",
        "Where does Bob live? " * 4,
        "Ann: Where does Bob live?\nAssistant: Hm?\nAnn: Where is the cat fed?",
    ],
)
def test_it_leaves_one_question_many_and_a_talk_whole(text: str) -> None:
    assert asked(text, NOW).parts == ()
