"""Talk, questions and one-off requests are no statements; secrets are never shown."""

import pytest

from memories.distillation.rules.secrets import MASK, masked, veiled
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


SECRETS = [
    ("my password is hunter2!", "hunter2!"),
    ("Password: correct-horse", "correct-horse"),
    ("use the token xyz-123-abc now", "xyz-123-abc"),
    ("api_key=abcd1234efgh", "abcd1234efgh"),
    ("the token for the bot is xyz-123-abc", "xyz-123-abc"),
    ("use sk-proj-aaaaBBBB1111cccc2222", "sk-proj-aaaaBBBB1111cccc2222"),
    ("ghp_" + "a1" * 18, "ghp_" + "a1" * 18),
    ("AKIA" + "ABCD1234" * 2, "AKIA" + "ABCD1234" * 2),
    ("postgres://app:s3cr3t@db/x", "s3cr3t"),
    ("Authorization: Bearer abc.def-123456789", "abc.def-123456789"),
    ("数据库密码是 abc12345", "abc12345"),
    ("验证码：839201", "839201"),
]


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_it_finds_and_masks_a_secret(text: str, secret: str) -> None:  # F2
    assert len(veiled(text)) == len(text)
    assert masked(veiled(text)) == text.replace(secret, MASK)


@pytest.mark.parametrize(
    "text",
    [
        "the password is wrong",
        "my token expired",
        "密码错误",
        "the key is in the drawer",
        "see http://a.b/c@d",
        "pinned",
    ],
)
def test_it_takes_no_word_for_a_secret(text: str) -> None:
    assert veiled(text) == text
