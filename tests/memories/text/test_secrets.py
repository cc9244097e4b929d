"""Secrets are found by their shape or their name, and nothing else is (F2)."""

import pytest

from memories.text.secrets import MASK, masked, names_secret, veiled

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
        "the password was changed last week.",
        "the token is short-lived",
        "--- PASS: TestSub (0.00s)",
        "my token expired",
        "密码错误",
        "the key is in the drawer",
        "see http://a.b/c@d",
        "pinned",
    ],
)
def test_it_takes_no_word_for_a_secret(text: str) -> None:
    assert veiled(text) == text


def test_it_knows_names_of_secrets() -> None:
    assert names_secret("dbPassword")
    assert names_secret("Authorization")
    assert not names_secret("max_tokens")
