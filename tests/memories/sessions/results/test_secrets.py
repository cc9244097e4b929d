"""What looks like a secret never reaches a summary."""

import pytest

from memories.sessions.results import meaning_of
from memories.text.secrets import masked
from tests.memories.sessions.results.results import result

SECRETS = [
    ("curl -H 'Authorization: Bearer abcdef123456' x", "curl -H 'Authorization: Bearer •••' x"),
    ("mysql --password hunter2 db", "mysql --password ••• db"),
    ("PGPASSWORD=hunter2 psql", "PGPASSWORD=••• psql"),
    ('{"api_key": "k-1", "n": 2}', '{"api_key": •••, "n": 2}'),
    ("git clone https://me:pw1@host/x", "git clone https://me:•••@host/x"),
    ("use sk-proj-abc123def456ghi", "use •••"),
    ("key AKIAIOSFODNN7EXAMPLE here", "key ••• here"),
    ("数据库密码是 s3cret，别外传", "数据库密码是 •••，别外传"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----", "•••"),
    ("token=eyJhbGciOiJI.eyJzdWIiOiIx.abc", "token=•••"),
]


@pytest.mark.parametrize(("text", "hidden"), SECRETS)
def test_it_masks_secrets(text: str, hidden: str) -> None:
    assert masked(text) == hidden
    assert meaning_of(result(text)).summary == " ".join(hidden.split())


@pytest.mark.parametrize(
    "text",
    ["max_tokens=100", "SyntaxError: Unexpected token < in JSON", "pip install sk-learn", "密码学"],
)
def test_it_leaves_the_rest_alone(text: str) -> None:
    assert masked(text) == text


def test_it_leaves_no_part_of_a_secret_where_a_text_is_cut() -> None:
    secret = "sk-" + "a1" * 20
    for filler in range(385, 405):
        text = "x " * (filler // 2) + secret
        assert "sk-" not in meaning_of(result(text)).summary
