"""The real model in the real service: what its vectors are good for. The `embedder` fixture starts
it once.
"""

import base64
import struct
from collections.abc import Iterator

import httpx
import pytest

from memories.embedding.client import EmbedderClient
from memories.embedding.profiles import E5_SMALL

MODEL = "intfloat/multilingual-e5-small"


@pytest.fixture(scope="module")
def client(embedder: str) -> Iterator[EmbedderClient]:
    made = EmbedderClient(embedder, api_key="", model=MODEL)
    yield made
    made.close()


def cosine(client: EmbedderClient, one: str, other: str) -> float:
    first, second = client.embed([one, other]).vectors
    return sum(x * y for x, y in zip(first, second, strict=True))


def test_it_names_the_weights_and_has_384_dimensions(client: EmbedderClient) -> None:  # I4
    found = client.embed(["hello"])
    assert found.model == f"{MODEL}@q4-1571fc98"
    assert len(found.vectors[0]) == 384


@pytest.mark.parametrize(
    ("text", "paraphrase", "unrelated"),
    [
        (
            "The production database is backed up every night.",
            "Backups of the production database run nightly.",
            "Maria prefers tea without sugar.",
        ),
        ("生产数据库每天夜里备份一次。", "生产环境的数据库每晚都会备份。", "小王喜欢不加糖的茶。"),
        ("用 docker 部署到测试服务器", "测试服务器上用 docker 来部署", "会议改到周五下午三点"),
    ],
)
def test_it_puts_a_paraphrase_nearer_than_another_topic(
    client: EmbedderClient, text: str, paraphrase: str, unrelated: str
) -> None:
    assert cosine(client, text, paraphrase) > cosine(client, text, unrelated) + 0.05


def test_it_finds_the_same_statement_in_the_other_language(client: EmbedderClient) -> None:
    same = cosine(client, "用户喜欢深色主题。", "The user prefers the dark theme.")
    assert same >= E5_SMALL.cross_lingual


def test_it_gives_a_text_the_same_vector_alone_and_among_others(client: EmbedderClient) -> None:
    among = client.embed(["docker 部署", "short", "a much longer text " * 30]).vectors[0]
    alone = client.embed(["docker 部署"]).vectors[0]
    assert among == pytest.approx(alone, abs=2e-3)  # where layers compute in bfloat16


def test_it_packs_the_same_numbers_in_base64_as_in_float(embedder: str) -> None:
    body = {"input": "docker 部署", "model": MODEL}
    with httpx.Client(base_url=embedder + "/") as http:
        plain = http.post("embeddings", json=body).json()["data"][0]["embedding"]
        packed = http.post("embeddings", json=body | {"encoding_format": "base64"}).json()
    floats = struct.unpack("<384f", base64.b64decode(packed["data"][0]["embedding"]))
    assert list(floats) == plain


def test_it_embeds_a_text_longer_than_it_reads_by_its_beginning(client: EmbedderClient) -> None:
    start = "部署 docker 服务器。" * 400
    assert cosine(client, start + "结尾一", start + "another end") == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "😀", "a" * 200_000])
def test_it_embeds_odd_texts(client: EmbedderClient, text: str) -> None:
    assert len(client.embed([text]).vectors[0]) == 384


def test_it_counts_the_tokens_the_model_read(embedder: str) -> None:
    with httpx.Client(base_url=embedder + "/") as http:
        one = http.post("embeddings", json={"input": "hello"}).json()["usage"]["prompt_tokens"]
        many = http.post("embeddings", json={"input": "hello " * 2000}).json()["usage"]
    assert one == 4  # <s> ▁hell o </s>
    assert many["prompt_tokens"] == 512
