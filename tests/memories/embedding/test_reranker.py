"""The client of a reranking server: scores in the order of the texts, or RerankerDown in time."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from memories.embedding import reranker
from memories.embedding.reranker import PAUSE_SECONDS, RerankerClient, RerankerDown
from tests.memories.embedding.fakes import Answer, answering
from tests.memories.embedding.test_client import Clock
from tests.memories.embedding.test_process import run
from tests.services import free_port


@contextmanager
def client(url: str, seconds: float = 10.0, **options: Any) -> Iterator[RerankerClient]:
    options = {"api_key": "", "model": "judge"} | options
    made = RerankerClient(url, seconds=seconds, **options)
    yield made
    made.close()


def scores_for(body: dict[str, Any]) -> dict[str, Any]:
    """A good answer: each document holds its score; best first, as the API wants it."""
    found = sorted(enumerate(map(float, body["documents"])), key=lambda one: -one[1])
    return {"results": [{"index": i, "relevance_score": score} for i, score in found]}


def good(body: dict[str, Any]) -> tuple[int, bytes]:
    return 200, json.dumps(scores_for(body)).encode()


def refusal(answer: Answer) -> str:
    """Why the client does not accept what this server answers about two texts."""
    with (
        answering(answer) as (url, _),
        client(url) as judge,
        pytest.raises(RerankerDown) as caught,
    ):
        judge.rerank("q", ["0.25", "0.75"])
    return str(caught.value)


def test_it_returns_scores_in_the_order_of_the_texts() -> None:
    with answering(good) as (url, got), client(url) as judge:
        assert judge.rerank("q", ["0.25", "1", "0", "0.75"]) == [0.25, 1.0, 0.0, 0.75]
    assert (got[0]["model"], got[0]["query"]) == ("judge", "q")


def test_it_sends_nothing_for_nothing() -> None:
    with answering(good) as (url, got), client(url) as judge:
        assert judge.rerank("q", []) == []
    assert got == []


def test_it_sends_the_api_key() -> None:
    with answering(good) as (url, got), client(url, api_key="sesame") as judge:
        judge.rerank("q", ["0.5"])
    assert got[0]["authorization"] == "Bearer sesame"


def test_it_replaces_lone_surrogates_and_nul() -> None:
    with answering(good) as (url, got), client(url) as judge, pytest.raises(RerankerDown):
        judge.rerank("a\ud800b", ["c\0d"])
    assert (got[0]["query"], got[0]["documents"]) == ("a\ufffdb", ["c\ufffdd"])


def result(index: Any, score: Any) -> dict[str, Any]:
    return {"index": index, "relevance_score": score}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"results": []}, "0 scores for 2 texts"),
        ({"results": [result(0, 0.5)]}, "1 scores for 2 texts"),
        ({"results": [result(0, 0.5), result(2, 0.5)]}, "2 scores for 2 texts"),
        ({"results": [result(0, 0.5), result(1, 0.5), result(1, 0.5)]}, "for 2 texts"),
        ({"results": [result("0", 0.5), result("1", 0.5)]}, "for 2 texts"),
        ({"results": [result(0, 0.5), result(1, float("nan"))]}, "between 0 and 1"),
        ({"results": [result(0, 0.5), result(1, 8.4)]}, "between 0 and 1"),
        ({"results": [result(0, 0.5), result(1, -0.1)]}, "between 0 and 1"),
        ({"results": [result(0, 0.5), result(1, None)]}, "cannot be read"),
        ({"results": [result(0, 0.5), result([], 0.5)]}, "cannot be read"),
        ({"results": [result(0, 0.5), {"index": 1}]}, "'relevance_score' is missing"),
        ({"results": 7}, "cannot be read"),
        ({"data": []}, "'results' is missing"),
        ([0.5, 0.5], "cannot be read"),
        (None, "cannot be read"),
    ],
)
def test_it_says_what_is_wrong_with_an_answer(answer: Any, reason: str) -> None:
    assert reason in refusal(lambda body: (200, json.dumps(answer).encode()))


@pytest.mark.parametrize("content", [b"", b"<html>", b"[" * 100_000])
def test_it_refuses_what_is_no_json(content: bytes) -> None:
    assert "cannot be read" in refusal(lambda body: (200, content))


def test_it_passes_on_what_the_server_says_is_wrong() -> None:
    error = json.dumps({"error": {"message": "It is loading."}}).encode()
    assert refusal(lambda body: (503, error)) == "The reranker answered 503: It is loading."


def test_it_asks_nobody_for_a_while_after_a_failure() -> None:
    clock = Clock()
    answers = iter([(503, b"busy"), (200, None)])

    def recovering(body: dict[str, Any]) -> tuple[int, bytes]:
        status, content = next(answers)
        return status, content or good(body)[1]

    with answering(recovering) as (url, got), client(url, now=clock) as judge:
        for _attempt in range(3):
            with pytest.raises(RerankerDown, match="busy"):
                judge.rerank("q", ["0.5"])
        assert len(got) == 1
        clock.time += PAUSE_SECONDS
        assert judge.rerank("q", ["0.5"]) == [0.5]


def test_it_says_that_the_server_is_down(caplog: pytest.LogCaptureFixture) -> None:
    with (
        client(f"http://127.0.0.1:{free_port()}/v1") as judge,
        pytest.raises(RerankerDown, match="does not answer"),
    ):
        judge.rerank("q", ["0.5"])
    assert "not reranked for 10 s: The reranker does not answer" in caplog.text


@pytest.mark.parametrize("url", ["", "judge", "ftp://127.0.0.1/v1"])
def test_it_says_that_an_address_is_none(url: str) -> None:
    with client(url) as judge, pytest.raises(RerankerDown, match="does not answer"):
        judge.rerank("q", ["0.5"])


def test_it_gives_up_on_a_server_that_does_not_answer() -> None:
    release = threading.Event()

    def slow(body: dict[str, Any]) -> tuple[int, bytes]:
        release.wait(10)
        return good(body)

    with answering(slow) as (url, _), client(url, seconds=0.05) as judge:
        with pytest.raises(RerankerDown, match=r"did not answer within 0\.05 seconds"):
            judge.rerank("q", ["0.5"])
        release.set()


def test_it_gives_up_on_a_server_that_answers_a_letter_at_a_time() -> None:
    """Each wait for the next letter is short, so only a deadline for the whole ends this."""
    with (
        dripping() as url,
        client(url, seconds=0.3) as judge,
        pytest.raises(RerankerDown, match=r"did not answer within 0\.3 seconds"),
    ):
        judge.rerank("q", ["0.5"])


@contextmanager
def dripping() -> Iterator[str]:
    """A server whose good answer takes two seconds, letter by letter."""
    body = json.dumps(scores_for({"documents": ["0.5"]})).encode()
    slow = b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 75
    rest = b"\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    enough = threading.Event()

    def drip(server: socket.socket) -> None:
        connection, _address = server.accept()
        with connection, suppress(ConnectionError):  # the client may leave first
            connection.recv(65_536)
            for letter in slow:
                if enough.wait(0.02):
                    return
                connection.sendall(bytes([letter]))
            connection.sendall(rest)
            enough.wait(10)  # closed now, with the request half read, the answer would be lost

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=drip, args=(server,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        finally:
            enough.set()
            thread.join(10)


def test_it_serves_many_threads_at_once() -> None:
    found: list[float] = []
    with answering(good) as (url, _), client(url) as judge:
        threads = [
            threading.Thread(target=lambda i=i: found.extend(judge.rerank("q", [f"0.{i}"])))
            for i in range(1, 10)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert sorted(found) == [i / 10 for i in range(1, 10)]


def test_it_is_off_without_a_model(settings: Settings) -> None:
    settings.RERANK_MODEL = ""
    assert not reranker.reranking()
    with pytest.raises(RerankerDown, match="set RERANK_MODEL"):
        reranker.rerank("q", ["0.5"])


def test_it_asks_the_configured_server(settings: Settings) -> None:
    with answering(good) as (url, got):
        settings.RERANK_MODEL, settings.RERANK_URL = "team/judge", url
        settings.RERANK_API_KEY, settings.RERANK_SECONDS = "sesame", 10.0
        assert reranker.reranking()
        assert reranker.rerank("q", ["0.5"]) == [0.5]
    assert (got[0]["model"], got[0]["authorization"]) == ("team/judge", "Bearer sesame")


def test_it_inherits_no_client_through_a_fork() -> None:
    program = (
        "import os; from memories.embedding import reranker;"
        "reranker.client_for('http://127.0.0.1:9/v1', '', 'm', 1.0);"
        "child = os.fork();"
        "size = reranker.client_for.cache_info().currsize;"
        "os._exit(size) if child == 0 else None;"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), size)"
    )
    assert run(program) == "0 1"


def test_it_imports_neither_torch_nor_numpy() -> None:
    program = (
        "import sys; import memories.embedding.reranker;"
        "print(sorted({'torch', 'numpy', 'transformers'} & set(sys.modules)))"
    )
    assert run(program) == "[]"


KEYS = {"EMBEDDER_URL": "http://embedder/v1", "EMBEDDER_API_KEY": "sesame"}


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({}, "sesame"),
        ({"RERANK_URL": "http://embedder/v1"}, "sesame"),
        ({"RERANK_URL": "http://elsewhere/v1"}, ""),
        ({"RERANK_URL": "http://elsewhere/v1", "RERANK_API_KEY": "other"}, "other"),
    ],
)
def test_it_shows_the_embedders_key_to_no_other_server(
    given: dict[str, str], key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RERANK_URL", "RERANK_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (KEYS | given).items():
        monkeypatch.setenv(name, value)
    program = "from hindsight_site import settings; print([settings.RERANK_API_KEY])"
    assert run(program) == str([key])
