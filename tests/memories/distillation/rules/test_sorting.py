"""Talk, questions and one-off requests are no statements."""

import pytest

from memories.distillation.rules.sorting import Names, code_of

NAMES = Names(["Ann Lee", "Bob", "李雷"])


@pytest.mark.parametrize(
    "sentence",
    [
        "Hi!",
        "Hey Bob!",
        "Good morning, Ann.",
        "Thanks a lot!",
        "Thank you so much, Bob.",
        "You're welcome.",
        "Wow, that's amazing!",
        "That sounds like a lot of fun!",
        "Congrats, Ann!",
        "I'm so proud of you.",
        "Sounds great!",
        "I totally agree.",
        "Ok.",
        "Yes, exactly.",
        "See you tomorrow!",
        "Let me know how it goes.",
        "Bob!",
        "你好！",
        "李雷，早上好！",
        "谢谢你的帮助！",
        "太棒了！",
        "好的。",
        "没问题。",
        "听起来很有意思！",
        "很高兴认识你！",
        "祝你一切顺利！",
        "嗯嗯",
    ],
)
def test_it_turns_away_talk(sentence: str) -> None:  # B1
    assert code_of(sentence, NAMES) == "greeting"


@pytest.mark.parametrize(
    "sentence",
    [
        "How are you?",
        "Where do you live, Bob?",
        "Any plans?",
        "你住在哪里？",
        "你吃了吗",
        "要不要一起去",
        "Is it so, huh?",
    ],
)
def test_it_turns_away_questions(sentence: str) -> None:
    assert code_of(sentence, NAMES) == "question"


@pytest.mark.parametrize(
    "sentence",
    [
        "Translate this into French.",
        "Please fix the typo in line two.",
        "Now run the tests again.",
        "Show me the log.",
        "I'd like you to write a poem.",
        "The build is red again, please have a look.",
        "订单服务的测试又失败了，帮我看看。",
        "帮我把这句话翻译成英文。",
        "请总结一下这篇文章。",
        "再跑一遍测试。",
        "把第二行改成大写。",
    ],
)
def test_it_turns_away_what_is_asked_for_once(sentence: str) -> None:  # B1
    assert code_of(sentence, NAMES) == "one_off"


@pytest.mark.parametrize(
    "piece", ["嗯", "哈", "太好了", "好", "yes ", "so ", "haha ", "!", "don't "]
)
def test_it_reads_what_only_looks_like_talk(piece: str) -> None:
    assert code_of(piece * (400 // len(piece)) + "§", NAMES) in {"", "greeting"}


@pytest.mark.parametrize(
    "sentence",
    [
        "I like tea.",
        "Thanks to my sister I found a flat in Lisbon after a year of searching for one.",
        "I started my own shop, pretty cool, huh?",
        "Please always answer in German.",
        "Remember that I don't eat meat.",
        "Never push to main.",
        "Good tests found the bug in the parser.",
        "我喜欢茶。",
        "请每次都用英文提交。",
        "记住我不吃肉。",
        "好的方案是用 Redis 做缓存，并且每天清理一次。",
        "谢谢大家，我们的服务昨天已经迁移到阿里云的上海机房了。",
    ],
)
def test_it_takes_the_rest_for_statements(sentence: str) -> None:
    assert code_of(sentence, NAMES) == ""
