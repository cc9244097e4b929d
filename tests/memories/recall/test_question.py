"""A query taken apart."""

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
