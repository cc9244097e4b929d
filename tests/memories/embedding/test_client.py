"""The client against a loopback server: good answers, and every bad one becomes EmbedderDown."""

import base64
import json
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from memories.embedding.client import OPEN_SECONDS, EmbedderClient, EmbedderDown
from tests.memories.embedding.fakes import Answer, answering, vectors_for
from tests.services import free_port

Change = Callable[[dict[str, Any]], Any]


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


@contextmanager
def client(url: str, model: str = "fake", **options: Any) -> Iterator[EmbedderClient]:
    made = EmbedderClient(url, api_key=options.pop("api_key", ""), model=model, **options)
    yield made
    made.close()


def good(body: dict[str, Any]) -> tuple[int, bytes]:
    return 200, json.dumps(vectors_for(body)).encode()


def changed(change: Change) -> Callable[[dict[str, Any]], tuple[int, bytes]]:
    return lambda body: (200, json.dumps(change(vectors_for(body))).encode())


def refusal(answer: Answer, texts: tuple[str, ...] = ("a",)) -> str:
    """Why the client does not accept what this server answers."""
    with (
        answering(answer) as (url, _),
        client(url) as embedder,
        pytest.raises(EmbedderDown) as caught,
    ):
        embedder.embed(texts)
    return str(caught.value)


def with_vector(vector: Any) -> Change:
    return lambda answer: answer | {"data": [{"index": 0, "embedding": vector}]}


def test_it_returns_vectors_of_length_one_and_the_servers_model() -> None:
    with answering(good) as (url, _), client(url) as embedder:
        found = embedder.embed(["abc"])
    assert found.vectors == [[1.0, 0.0]]
    assert found.model == "fake@1"


def test_it_keeps_the_order_whatever_order_the_server_answers_in() -> None:
    def slanted(body: dict[str, Any]) -> tuple[int, bytes]:
        answer = vectors_for(body)
        for entry in answer["data"]:
            entry["embedding"] = [1.0, float(entry["index"])]
        return 200, json.dumps(answer).encode()

    with answering(slanted) as (url, _), client(url) as embedder:
        vectors = embedder.embed(["a", "b", "c"]).vectors
    assert [round(y / x) for x, y in vectors] == [0, 1, 2]


def test_it_sends_a_hundred_texts_a_request() -> None:  # B10
    with answering(good) as (url, got), client(url) as embedder:
        vectors = embedder.embed([str(i) for i in range(230)]).vectors
    assert [len(body["input"]) for body in got] == [100, 100, 30]
    assert got[1]["input"][0] == "100"
    assert len(vectors) == 230


def test_it_sends_nothing_for_nothing() -> None:
    with answering(good) as (url, got), client(url) as embedder:
        assert embedder.embed([]).vectors == []
    assert got == []


def test_it_puts_the_models_prefix_before_every_text() -> None:  # C5
    with answering(good) as (url, got), client(url, "intfloat/multilingual-e5-small") as embedder:
        embedder.embed(["怎么部署 docker"])
    assert got[0]["input"] == ["query: 怎么部署 docker"]
    assert got[0]["model"] == "intfloat/multilingual-e5-small"


def packed(body: dict[str, Any]) -> tuple[int, bytes]:
    """An answer as base64, if that is asked for."""
    answer = vectors_for(body)
    if body.get("encoding_format") == "base64":
        for entry in answer["data"]:
            vector = struct.pack("<2f", *entry["embedding"])
            entry["embedding"] = base64.b64encode(vector).decode()
    return 200, json.dumps(answer).encode()


def test_it_asks_for_base64_and_reads_it() -> None:
    with answering(packed) as (url, got), client(url) as embedder:
        assert embedder.embed(["abc", "d"]).vectors == [[1.0, 0.0]] * 2
    assert got[0]["encoding_format"] == "base64"


def test_it_does_without_base64_where_a_server_refuses_it() -> None:
    def plain_only(body: dict[str, Any]) -> tuple[int, bytes]:
        if "encoding_format" in body:
            return 422, b'{"error": {"message": "unknown field"}}'
        return good(body)

    with answering(plain_only) as (url, got), client(url) as embedder:
        for _again in range(2):
            assert embedder.embed(["a"]).vectors == [[1.0, 0.0]]
    assert ["encoding_format" in body for body in got] == [True, False, False]


def test_a_refused_text_does_not_end_base64() -> None:
    def picky(body: dict[str, Any]) -> tuple[int, bytes]:
        return (400, b"{}") if "bad" in body["input"] else packed(body)

    with answering(picky) as (url, got), client(url) as embedder:
        with pytest.raises(EmbedderDown):
            embedder.embed(["bad"])
        embedder.embed(["good"])
    assert "encoding_format" in got[-1]


def test_it_sends_the_api_key() -> None:
    with answering(good) as (url, got), client(url, api_key="sesame") as embedder:
        embedder.embed(["a"])
    assert got[0]["authorization"] == "Bearer sesame"


def test_it_replaces_lone_surrogates_and_nul() -> None:
    with answering(good) as (url, got), client(url) as embedder:
        embedder.embed(["a\ud800b\0c"])
    assert got[0]["input"] == ["a\ufffdb\ufffdc"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda answer: answer | {"data": []}, "0 vectors for 1 texts"),
        (lambda answer: answer | {"data": answer["data"] * 2}, "2 vectors for 1 texts"),
        (lambda answer: {"model": "fake"}, "'data' is missing"),
        (lambda answer: None, "cannot be read"),
        (lambda answer: [1], "cannot be read"),
        (with_vector([float("nan"), 1.0]), "not a number"),
        (with_vector([float("inf"), 1.0]), "not a number"),
        (with_vector([0.0, 0.0]), "zero"),
        (with_vector([]), "empty"),
        (with_vector(["a"]), "cannot be read"),
        (with_vector("%"), "cannot be read"),
        (with_vector("AAA="), "cannot be read"),
        (with_vector("AADAfw=="), "not a number"),
        (with_vector(""), "empty"),
        (with_vector(None), "empty"),
        (with_vector(7), "cannot be read"),
    ],
)
def test_it_says_what_is_wrong_with_an_answer(change: Change, reason: str) -> None:
    assert reason in refusal(changed(change))


@pytest.mark.parametrize("content", [b'{"data": [{"index": 0, "embe', b"<html>busy</html>", b""])
def test_it_refuses_half_an_answer(content: bytes) -> None:
    assert "cannot be read" in refusal(lambda body: (200, content))


def test_it_passes_on_the_servers_own_reason() -> None:
    content = json.dumps({"error": {"message": "out of memory"}}).encode()
    assert "500: out of memory" in refusal(lambda body: (500, content))


def test_it_shows_only_the_beginning_of_a_long_error() -> None:
    assert 200 < len(refusal(lambda body: (502, b"x" * 5000))) < 300


def test_it_refuses_vectors_of_different_dimensions_in_one_answer() -> None:
    def mixed(body: dict[str, Any]) -> tuple[int, bytes]:
        answer = vectors_for(body)
        answer["data"][0]["embedding"].append(1.0)
        return 200, json.dumps(answer).encode()

    assert "different dimensions" in refusal(mixed, ("a", "b"))


def test_it_refuses_another_dimension_of_the_same_model_later() -> None:
    sizes = iter([[1.0, 0.0], [1.0, 0.0, 0.0]])

    def growing(body: dict[str, Any]) -> tuple[int, bytes]:
        return changed(with_vector(next(sizes)))(body)

    with answering(growing) as (url, _), client(url) as embedder:
        embedder.embed(["a"])
        with pytest.raises(EmbedderDown, match="3 dimensions instead of 2"):
            embedder.embed(["a"])


def test_it_never_mixes_two_models_in_one_call() -> None:  # E9
    names = iter(["old@1", "new@2"])

    def swapped(body: dict[str, Any]) -> tuple[int, bytes]:
        return 200, json.dumps(vectors_for(body, next(names))).encode()

    assert "changed its model" in refusal(swapped, ("a",) * 101)


def test_it_fails_at_once_for_a_while_after_a_failed_connection() -> None:
    clock = Clock()
    port = free_port()
    with client(f"http://127.0.0.1:{port}/v1", now=clock) as embedder:
        with pytest.raises(EmbedderDown, match="does not answer") as first:
            embedder.embed(["a"])
        assert first.value.__cause__ is not None
        with pytest.raises(EmbedderDown, match="does not answer") as second:
            embedder.embed(["a"])
        assert second.value.__cause__ is None  # nothing was tried
        clock.time += OPEN_SECONDS
        with pytest.raises(EmbedderDown) as third:
            embedder.embed(["a"])
        assert third.value.__cause__ is not None


@pytest.mark.parametrize("texts", [["a"], ["a", "b", "c", "d"]])
def test_it_gives_up_on_a_server_that_does_not_answer(
    texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.embedding.client.QUERY_SECONDS", 0.05)
    release = threading.Event()

    def slow(body: dict[str, Any]) -> tuple[int, bytes]:
        release.wait(10)
        return good(body)

    with answering(slow) as (url, _), client(url) as embedder:
        with pytest.raises(EmbedderDown, match="timed out"):
            embedder.embed(texts)
        release.set()


def test_it_asks_again_when_a_kept_connection_was_closed() -> None:
    answers = iter(["drop", "good"])

    def restarted(body: dict[str, Any]) -> tuple[int, bytes]:
        if next(answers) == "drop":
            raise ConnectionAbortedError
        return good(body)

    with quiet_errors(), answering(restarted) as (url, got), client(url) as embedder:
        assert embedder.embed(["a"]).vectors == [[1.0, 0.0]]
    assert len(got) == 2


@contextmanager
def quiet_errors() -> Iterator[None]:
    """socketserver prints a handler's exception; this test raises one on purpose."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("socketserver.BaseServer.handle_error", lambda *args: None)
        yield
