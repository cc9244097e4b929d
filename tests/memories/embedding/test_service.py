"""The service over HTTP with a stub engine: OpenAI's shapes, clear errors, honest health."""

import base64
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from memories.embedding.batching import Encoded
from memories.embedding.service import create_app
from memories.embedding.weights import WeightsError
from tests.memories.embedding.fakes import StubEngine, running


@pytest.fixture
def engine() -> StubEngine:
    return StubEngine()


@pytest.fixture
def app(engine: StubEngine) -> Starlette:
    return create_app(lambda phase: engine, names=frozenset({"team/stub"}))


@pytest.fixture
def http(app: Starlette) -> Iterator[httpx.Client]:
    with running(app) as url, httpx.Client(base_url=url) as client:
        wait_for(lambda: client.get("/health").status_code == 200)
        yield client


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def post(http: httpx.Client, **body: Any) -> httpx.Response:
    return http.post("/v1/embeddings", json=body)


def test_it_answers_as_openai_does(http: httpx.Client) -> None:
    answer = post(http, input=["a", "bcd"], model="team/stub").json()
    assert answer == {
        "object": "list",
        "model": "stub@1",
        "data": [
            {"object": "embedding", "index": 0, "embedding": [1.0, 1.0]},
            {"object": "embedding", "index": 1, "embedding": [3.0, 1.0]},
        ],
        "usage": {"prompt_tokens": 4, "total_tokens": 4},
    }


def test_it_takes_a_single_string(http: httpx.Client) -> None:
    assert post(http, input="ab").json()["data"][0]["embedding"] == [2.0, 1.0]


def test_it_packs_base64_as_little_endian_float32(http: httpx.Client) -> None:
    packed = post(http, input="ab", encoding_format="base64").json()["data"][0]["embedding"]
    assert struct.unpack("<2f", base64.b64decode(packed)) == (2.0, 1.0)


@pytest.mark.parametrize("model", ["stub", "stub@1", "team/stub", None])
def test_it_goes_by_each_of_its_names(http: httpx.Client, model: str | None) -> None:
    assert post(http, input="a", model=model).status_code == 200


def test_it_does_not_answer_for_another_model(http: httpx.Client) -> None:  # E9
    answer = post(http, input="a", model="text-embedding-3-small")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "model_not_found"
    assert "stub@1, not with text-embedding-3-small" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"input": []}, "input"),
        ({}, "input"),
        ({"input": None}, "input"),
        ({"input": 7}, "input"),
        ({"input": ["a", 7]}, "input"),
        ({"input": [[1, 2]]}, "input"),
        ({"input": {"a": "b"}}, "input"),
        ({"input": ["a"] * 2049}, "input"),
        ({"input": "a", "encoding_format": "hex"}, "encoding_format"),
        ({"input": "a", "encoding_format": ["float"]}, "encoding_format"),
        ({"input": "a", "model": 7}, "model"),
        ({"input": "a", "dimensions": 64}, "dimensions"),
        ({"input": "a", "dimensions": "many"}, "dimensions"),
    ],
)
def test_it_refuses_bad_input_and_names_the_field(
    http: httpx.Client, body: dict[str, Any], param: str
) -> None:
    answer = post(http, **body)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["param"] == param
    assert error["type"] == "invalid_request_error"
    assert error["message"].endswith(".")


@pytest.mark.parametrize("content", [b"{", b"", b"\xff\xfe\x00", b"[" * 100_000, b"[1]", b"null"])
def test_it_refuses_what_is_no_json_object(http: httpx.Client, content: bytes) -> None:
    answer = http.post("/v1/embeddings", content=content)
    assert answer.status_code == 400
    assert "JSON" in answer.json()["error"]["message"]


def test_it_takes_2048_texts(http: httpx.Client) -> None:
    assert len(post(http, input=["a"] * 2048).json()["data"]) == 2048


def test_it_tolerates_lone_surrogates_and_nul(http: httpx.Client, engine: StubEngine) -> None:
    content = rb'{"input": ["a\ud800b", "c\u0000d", "\ud83d\ude00"]}'
    assert http.post("/v1/embeddings", content=content).status_code == 200
    assert sorted(text for batch in engine.batches for text in batch) == [
        "a\ufffdb",
        "c\ufffdd",
        "😀",
    ]


def test_it_refuses_a_body_that_is_too_large(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.embedding.serving.MAX_BODY_BYTES", 1000)
    assert post(http, input="a" * 2000).status_code == 413


def test_it_lists_its_model(http: httpx.Client) -> None:
    assert [entry["id"] for entry in http.get("/v1/models").json()["data"]] == ["stub@1"]


def test_it_tells_its_health(http: httpx.Client) -> None:  # I6
    expected = {"status": "ready", "model": "stub@1", "dimension": 2}
    assert http.get("/health").json() == expected


def test_it_gives_up_work_whose_client_has_left(
    app: Starlette, http: httpx.Client, engine: StubEngine
) -> None:
    engine.gate.clear()
    with pytest.raises(httpx.ReadTimeout):
        http.post("/v1/embeddings", json={"input": [str(i) for i in range(2000)]}, timeout=0.2)
    batcher = app.state.models.default.batcher
    wait_for(lambda: batcher.waiting == 0)
    engine.gate.set()


def test_it_answers_with_503_and_the_phase_while_loading() -> None:  # I2
    loaded = threading.Event()

    def load(phase: Callable[[str], None]) -> StubEngine:
        phase("unpacking")
        assert loaded.wait(10)
        return StubEngine()

    with running(create_app(load)) as url, httpx.Client(base_url=url) as client:
        wait_for(lambda: client.get("/health").json().get("phase") == "unpacking")
        assert client.get("/health").status_code == 503
        answer = post(client, input="a")
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "model_not_ready"
        loaded.set()
        wait_for(lambda: client.get("/health").status_code == 200)


def test_it_says_why_it_could_not_load_and_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.embedding.serving.RETRY_SECONDS", 0.01)
    repaired = threading.Event()

    def load(phase: Callable[[str], None]) -> StubEngine:
        if not repaired.is_set():
            raise WeightsError("The disk is full.")
        return StubEngine()

    with running(create_app(load)) as url, httpx.Client(base_url=url) as client:
        wait_for(lambda: client.get("/health").json()["status"] == "failed")
        assert client.get("/health").json()["reason"] == "The disk is full."
        assert "The disk is full." in post(client, input="a").json()["error"]["message"]
        repaired.set()
        wait_for(lambda: client.get("/health").status_code == 200)


@pytest.mark.parametrize(
    ("headers", "status"),
    [({}, 401), ({"Authorization": "Bearer no"}, 401), ({"Authorization": "Bearer sesame"}, 200)],
)
def test_it_asks_for_the_api_key_where_one_is_set(headers: dict[str, str], status: int) -> None:
    app = create_app(lambda phase: StubEngine(), api_key="sesame")
    with running(app) as url, httpx.Client(base_url=url) as client:
        wait_for(lambda: client.get("/health").status_code == 200)
        answer = client.post("/v1/embeddings", json={"input": "a"}, headers=headers)
    assert answer.status_code == status


def test_it_shares_forward_passes_between_clients(
    app: Starlette, http: httpx.Client, engine: StubEngine
) -> None:
    engine.gate.clear()
    threads = [
        threading.Thread(target=post, args=(http,), kwargs={"input": f"text {i}"})
        for i in range(12)
    ]
    for thread in threads:
        thread.start()
    batcher = app.state.models.default.batcher
    wait_for(lambda: sum(map(len, engine.batches)) + batcher.waiting == 12)
    engine.gate.set()
    for thread in threads:
        thread.join(10)
    assert sum(len(batch) for batch in engine.batches) == 12
    assert len(engine.batches) <= 3


class OtherEngine(StubEngine):
    """Another model of the same service, of three dimensions."""

    model = "other@7"
    dimension = 3

    def encode(self, texts: Sequence[str]) -> Encoded:
        return Encoded([[1.0, 2.0, 3.0] for _ in texts], [1 for _ in texts])


@pytest.fixture
def two(engine: StubEngine) -> Iterator[httpx.Client]:
    app = create_app(
        lambda phase: engine,
        names=frozenset({"team/stub"}),
        others={"team/other": lambda phase: OtherEngine()},
    )
    with running(app) as url, httpx.Client(base_url=url) as client:
        wait_for(lambda: client.get("/health").status_code == 200)
        yield client


def ready(http: httpx.Client, model: str) -> bool:
    return post(http, input="a", model=model).status_code == 200


def test_it_loads_another_model_when_it_is_first_asked_for(two: httpx.Client) -> None:  # E9
    assert two.get("/health").json()["others"] == {"team/other": "not asked for"}
    wait_for(lambda: ready(two, "team/other"))
    answer = post(two, input="ab", model="team/other").json()
    assert (answer["model"], len(answer["data"][0]["embedding"])) == ("other@7", 3)
    assert post(two, input="ab", model="other@7").status_code == 200
    assert post(two, input="ab", model="team/stub").json()["model"] == "stub@1"
    assert post(two, input="ab").json()["model"] == "stub@1"


def test_it_lists_every_model_and_names_them_to_whoever_asks_for_one_more(
    two: httpx.Client,
) -> None:
    listed = [entry["id"] for entry in two.get("/v1/models").json()["data"]]
    assert listed == ["stub@1", "team/other"]
    answer = post(two, input="a", model="no/such")
    assert answer.status_code == 404
    assert "stub@1, team/other, not with no/such" in answer.json()["error"]["message"]


def test_it_answers_503_while_another_model_loads_and_serves_the_first(
    engine: StubEngine,
) -> None:
    loaded = threading.Event()

    def load(phase: Callable[[str], None]) -> StubEngine:
        phase("loading")
        assert loaded.wait(10)
        return OtherEngine()

    app = create_app(lambda phase: engine, others={"team/other": load})
    with running(app) as url, httpx.Client(base_url=url) as client:
        wait_for(lambda: client.get("/health").status_code == 200)
        assert post(client, input="a", model="team/other").status_code == 503
        assert post(client, input="a").status_code == 200
        loaded.set()
        wait_for(lambda: ready(client, "team/other"))


def test_each_model_knows_its_own_dimensions(two: httpx.Client) -> None:
    wait_for(lambda: ready(two, "team/other"))
    assert post(two, input="a", model="team/other", dimensions=3).status_code == 200
    assert post(two, input="a", model="team/other", dimensions=2).status_code == 400
