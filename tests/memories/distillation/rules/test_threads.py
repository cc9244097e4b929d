"""What the turns around a statement make of it."""

import pytest

from tests.memories.distillation.rules.said import dropped, kept, proposed

pytestmark = pytest.mark.usefixtures("no_embedder")
FLAT = "I was thinking of moving to Rome next year."
SHANGHAI = "我想去上海旅游，预算三千元。"


@pytest.mark.parametrize(
    "given_up",
    ["Never mind.", "Forget it.", "Actually, let's skip this.", "Scratch that, Rome is too far."],
)
def test_a_topic_that_was_given_up_is_not_kept(given_up: str) -> None:  # F1
    told = dropped(FLAT, ("assistant", "What budget do you have in Rome?"), given_up)
    assert (FLAT, "abandoned") in told


@pytest.mark.parametrize(
    "given_up", ["算了。", "不用了，谢谢", "还是算了吧，上海先不去了。", "当我没说。"]
)
def test_a_chinese_topic_neither(given_up: str) -> None:  # F1
    assert (SHANGHAI, "abandoned") in dropped(SHANGHAI, given_up)


def test_what_came_before_another_topic_stays() -> None:
    first = "My sister Eva works as a vet in Oslo."
    told = kept(first, "By the way, I want to buy a boat in Rome.", "Never mind.")
    assert told == ["Ann's sister Eva works as a vet in Oslo."]


def test_what_shares_no_word_with_the_topic_stays() -> None:
    first = "My sister Eva works as a vet in Oslo."
    told = kept(first, FLAT, ("assistant", "Rome is warm."), "Never mind.")
    assert told == ["Ann's sister Eva works as a vet in Oslo."]


@pytest.mark.parametrize(
    "asked", ["Draft an email to Bob. Never mind.", "帮我写个周报。算了，不用了。"]
)
def test_what_came_before_a_request_that_was_withdrawn_stays(asked: str) -> None:
    first = "My sister Eva works as a vet in Oslo."
    assert kept(first, asked) == ["Ann's sister Eva works as a vet in Oslo."]


def test_what_comes_after_it_stays() -> None:
    told = kept(FLAT, "Never mind. My sister Eva works as a vet in Oslo.")
    assert told == ["Ann's sister Eva works as a vet in Oslo."]


def test_an_allergy_outlives_the_topic() -> None:
    told = kept("I want to book a thai place, I'm allergic to peanuts.", "Never mind.")
    assert len(told) == 1


def test_to_mind_never_is_not_to_give_up() -> None:
    assert len(kept(FLAT, "I never mind the rain in Rome.")) == 2


@pytest.mark.parametrize(
    ("claim", "yes"),
    [
        ("Your API listens on port 8443.", "Yes, that's right."),
        ("你们的数据库是 PostgreSQL 16。", "对的。"),
    ],
)
def test_a_claim_counts_as_the_users_word_once_confirmed(claim: str, yes: str) -> None:
    one = next(one for one in proposed(("assistant", claim), yes) if not one.drop)
    assert claim in one.content
    assert (one.source, tuple(one.turns), one.quote) == ("user_input", (1, 2), claim)
    assert 0.6 <= one.certainty < 1


@pytest.mark.parametrize("told", ["I moved the file to the archive.", "我已经把文件移到归档了。"])
def test_nobody_confirms_what_an_assistant_says_of_itself(told: str) -> None:
    assert (told, "assistant_claim") in dropped(("assistant", told), "Yes.")


@pytest.mark.parametrize("answer", ["No, that's wrong.", "Hm.", "Ok.", "不对。", "好的。"])
def test_a_claim_that_nobody_confirmed_is_turned_away(answer: str) -> None:
    claim = "Your API listens on port 8443."
    one = proposed(("assistant", claim), answer)[0]
    assert (one.drop, one.source) == ("assistant_claim", "llm_reasoning")


@pytest.mark.parametrize(
    ("question", "answer", "content"),
    [
        (
            "Do you live in Paris?",
            "Yes, near the river.",
            "Asked “Do you live in Paris?”, Ann answered: Yes, near the river.",
        ),
        ("Do you eat nuts?", "Yes.", "Asked “Do you eat nuts?”, Ann answered: Yes."),
        (
            "What do you drink?",
            "Green tea.",
            "Asked “What do you drink?”, Ann answered: Green tea.",
        ),
        (
            "你喜欢什么口味？",
            "川菜，越辣越好。",
            "被问到“你喜欢什么口味？”，Ann 回答：川菜，越辣越好。",
        ),
    ],
)
def test_a_short_answer_brings_its_question(question: str, answer: str, content: str) -> None:
    one = next(one for one in proposed(("assistant", question), answer) if not one.drop)
    assert one.content == content
    assert (tuple(one.turns), one.quote) == ((2, 1), answer)
    assert 0.6 <= one.certainty < 1


def test_a_yes_to_an_offer_states_nothing() -> None:
    assert kept(("assistant", "Shall I run the tests?"), "Yes.") == []


def test_nobody_answers_their_own_question() -> None:
    assert kept("Where was it?", "Green hills everywhere.") == ["Ann: Green hills everywhere."]
