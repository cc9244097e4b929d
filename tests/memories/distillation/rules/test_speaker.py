"""The first person becomes the speaker where that is certain; else the words stay as they are."""

import pytest

from memories.distillation.rules.speaker import speaker_of, spoken


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I like tea.", "Ann likes tea."),
        ("I’m a nurse.", "Ann is a nurse."),
        ("I am not a doctor.", "Ann is not a doctor."),
        ("I've been to Rome.", "Ann has been to Rome."),
        ("I have a dog.", "Ann has a dog."),
        ("I'd like to move.", "Ann would like to move."),
        ("I'd been there before.", "Ann had been there before."),
        ("I'll come on Monday.", "Ann will come on Monday."),
        ("I don't eat meat.", "Ann doesn't eat meat."),
        ("I haven't seen it.", "Ann hasn't seen it."),
        ("I didn't go.", "Ann didn't go."),
        ("I can't swim.", "Ann can't swim."),
        ("I really love hiking.", "Ann really loves hiking."),
        ("I also never watch TV.", "Ann also never watches TV."),
        ("I study law.", "Ann studies law."),
        ("I went home.", "Ann went home."),
        ("I painted it myself.", "Ann painted it themself."),
        ("I love my job.", "Ann loves their job."),
        ("I was tired when I left.", "Ann was tired when Ann left."),
        ("My dog is called Rex.", "Ann's dog is called Rex."),
        ("Yesterday, I went home.", "Yesterday, Ann went home."),
    ],
)
def test_it_puts_a_certain_sentence_into_the_third_person(sentence: str, expected: str) -> None:
    assert spoken([sentence], speaker_of("Ann")) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "We use pnpm, not npm.",
        "I told you about it.",
        'I said "I love it".',
        "When I was ten, my mom died.",  # whose mom is certain, but not who comes first
        "I like tea and drink it daily.",  # “drinks”
        "I hurt my knee.",  # today or then?
        "I met my friends and they like me.",  # who are they?
        "I grok it.",
        "Me and my brother left.",
        "Our team meets on Monday.",
        "The server listens on 8443.",
    ],
)
def test_it_keeps_the_words_of_any_other(sentence: str) -> None:
    assert spoken([sentence], speaker_of("Ann")) == f"Ann: {sentence}"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("我喜欢茶。", "Ann 喜欢茶。"),
        ("昨天我去了医院。", "昨天 Ann 去了医院。"),
        ("我妈是医生，我很爱她。", "Ann 的妈是医生，Ann 很爱她。"),
        ("我的生日是五月。", "Ann 的生日是五月。"),
        ("我们用 Go。", "Ann：我们用 Go。"),
        ("我告诉过你。", "Ann：我告诉过你。"),
        ("他说“我不去”。", "Ann：他说“我不去”。"),
        ("服务部署在上海。", "Ann：服务部署在上海。"),
        ("I prefer 用中文写注释。", "Ann：I prefer 用中文写注释。"),
    ],
)
def test_it_does_the_same_in_chinese(sentence: str, expected: str) -> None:
    assert spoken([sentence], speaker_of("Ann")) == expected


@pytest.mark.parametrize("name", ["", "user", "User", "human"])
def test_a_speaker_without_a_name_is_the_user(name: str) -> None:
    assert spoken(["I like tea."], speaker_of(name)) == "The user likes tea."
    assert spoken(["Today, I left."], speaker_of(name)) == "Today, the user left."
    assert spoken(["我喜欢茶。"], speaker_of(name)) == "用户喜欢茶。"
    assert (
        spoken(["The server listens on 8443."], speaker_of(name)) == "The server listens on 8443."
    )


def test_a_chinese_name_stands_without_spaces() -> None:
    assert spoken(["我喜欢茶。"], speaker_of("李雷")) == "李雷喜欢茶。"


def test_one_uncertain_sentence_keeps_the_words_of_all() -> None:
    text = spoken(["I like tea.", "I hurt my knee."], speaker_of("Ann"))
    assert text == "Ann: I like tea. I hurt my knee."
