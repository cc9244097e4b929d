"""`/v1/rerank` over HTTP with a stub cross-encoder: order, clear errors, nobody kept waiting."""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from memories.embedding.batching import Encoded, Turns
from memories.embedding.reranking_service import MAX_LETTERS, SLICE, Line
from memories.embedding.service import create_app
from memories.embedding.weights import WeightsError
from tests.memories.embedding.fakes import StubEngine, running
from tests.memories.embedding.judges import StubScorer
from tests.memories.embedding.test_service import wait_for


@pytest.fixture
def passes() -> list[str]:
    """What was read, in order: a question, or a slice of documents."""
    return []


@pytest.fixture
def scorer(passes: list[str]) -> StubScorer:
    class Noted(StubScorer):
        def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
            passes.append("slice")
            return super().score(pairs)

    return Noted()


class CountedTurns(Turns):
    """Counts who has asked for a turn."""

    asked = 0

    def __enter__(self) -> None:
        self.asked += 1
        super().__enter__()


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> CountedTurns:
    turns = CountedTurns()
    monkeypatch.setattr("memories.embedding.service.Turns", lambda: turns)
    return turns


@pytest.fixture
def app(scorer: StubScorer, passes: list[str], turns: CountedTurns) -> Starlette:
    class Noted(StubEngine):
        def encode(self, texts: Sequence[str]) -> Encoded:
            passes.append("question")
            return super().encode(texts)

    return create_app(lambda phase: Noted(), reranker=("team/judge", lambda phase: scorer))


@pytest.fixture
def line(app: Starlette) -> Line:
    line: Line = app.state.models.reranker.line
    return line


@pytest.fixture
def http(app: Starlette) -> Iterator[httpx.Client]:
    with running(app) as url, httpx.Client(base_url=url) as client:
        wait_for(lambda: client.get("/health").status_code == 200)
        wait_for(lambda: post(client, documents=["0"]).status_code == 200)
        yield client


def post(http: httpx.Client, **body: Any) -> httpx.Response:
    return http.post("/v1/rerank", json={"query": "q"} | body, timeout=30)


def hold(scorer: StubScorer) -> None:
    """Make the next forward pass wait until the gate is set."""
    scorer.slices.clear()
    scorer.entered.clear()
    scorer.gate.clear()


def asking(http: httpx.Client, *documents: str) -> threading.Thread:
    """A client that waits for its scores in a thread of its own."""
    thread = threading.Thread(target=post, args=(http,), kwargs={"documents": list(documents)})
    thread.start()
    return thread


def test_it_answers_as_jina_and_cohere_do(http: httpx.Client) -> None:
    answer = post(http, documents=["0.25", "0.75", "0.5"], model="team/judge").json()
    assert answer == {
        "model": "team/judge",
        "results": [
            {"index": 1, "relevance_score": 0.75},
            {"index": 2, "relevance_score": 0.5},
            {"index": 0, "relevance_score": 0.25},
        ],
    }


def test_it_gives_the_best_few_if_asked_to(http: httpx.Client) -> None:
    answer = post(http, documents=["0.25", "0.75", "0.5"], top_n=2).json()
    assert [result["index"] for result in answer["results"]] == [1, 2]


def test_it_keeps_the_order_of_equals(http: httpx.Client) -> None:
    answer = post(http, documents=["0.5"] * 20).json()
    assert [result["index"] for result in answer["results"]] == list(range(20))


def test_it_reads_a_few_documents_at_a_time(http: httpx.Client, scorer: StubScorer) -> None:
    scorer.slices.clear()
    post(http, documents=[f"0.{i:02}" for i in range(30)])
    assert [len(part) for part in scorer.slices] == [SLICE, SLICE, SLICE, 30 - 3 * SLICE]


def test_it_reads_fewer_documents_at_a_time_where_they_are_long(
    http: httpx.Client, scorer: StubScorer
) -> None:
    scorer.slices.clear()
    post(http, documents=["0." + "5" * 3000] * 6)
    assert [len(part) for part in scorer.slices] == [3, 3]


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "documents"),
        ({"documents": []}, "documents"),
        ({"documents": "0.5"}, "documents"),
        ({"documents": [0.5]}, "documents"),
        ({"documents": ["0.5"] * 101}, "documents"),
        ({"documents": ["5" * (MAX_LETTERS + 1)]}, "documents"),
        ({"documents": ["0.5"], "query": None}, "query"),
        ({"documents": ["0.5"], "query": " "}, "query"),
        ({"documents": ["0.5"], "query": ["q"]}, "query"),
        ({"documents": ["0.5"], "query": "q" * (MAX_LETTERS + 1)}, "query"),
        ({"documents": ["0.5"], "top_n": 0}, "top_n"),
        ({"documents": ["0.5"], "top_n": True}, "top_n"),
        ({"documents": ["0.5"], "top_n": "many"}, "top_n"),
        ({"documents": ["0.5"], "model": 7}, "model"),
    ],
)
def test_it_refuses_bad_input_and_names_the_field(
    http: httpx.Client, body: dict[str, Any], param: str
) -> None:
    answer = post(http, **body)
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == param
    assert answer.json()["error"]["message"].endswith(".")


@pytest.mark.parametrize("content", [b"{", b"", b"[1]", b"null"])
def test_it_refuses_what_is_no_json_object(http: httpx.Client, content: bytes) -> None:
    answer = http.post("/v1/rerank", content=content)
    assert answer.status_code == 400
    assert "JSON" in answer.json()["error"]["message"]


def test_it_takes_100_documents(http: httpx.Client) -> None:
    assert len(post(http, documents=["0.5"] * 100).json()["results"]) == 100


def test_it_tolerates_lone_surrogates_and_nul(http: httpx.Client, scorer: StubScorer) -> None:
    content = rb'{"query": "a\ud800b\u0000c", "documents": ["0.5"]}'
    assert http.post("/v1/rerank", content=content).status_code == 200
    assert scorer.slices[-1] == [("a\ufffdb\ufffdc", "0.5")]


def test_it_does_not_answer_for_another_model(http: httpx.Client) -> None:
    answer = post(http, documents=["0.5"], model="other/judge")
    assert answer.status_code == 404
    assert "team/judge, not with other/judge" in answer.json()["error"]["message"]


def test_it_says_what_to_set_where_there_is_no_reranker() -> None:
    with running(create_app(lambda phase: StubEngine())) as url, httpx.Client(base_url=url) as http:
        wait_for(lambda: http.get("/health").status_code == 200)
        answer = post(http, documents=["0.5"])
        assert "reranker" not in http.get("/health").json()
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "model_not_found"
    assert "Set RERANK_MODEL" in answer.json()["error"]["message"]


def test_it_lists_the_reranker_and_tells_its_phase(http: httpx.Client) -> None:
    assert http.get("/health").json()["reranker"] == {"team/judge": "ready"}
    listed = [entry["id"] for entry in http.get("/v1/models").json()["data"]]
    assert listed == ["stub@1", "team/judge"]


def test_it_asks_for_the_api_key_where_one_is_set() -> None:
    app = create_app(
        lambda phase: StubEngine(),
        reranker=("team/judge", lambda phase: StubScorer()),
        api_key="sesame",
    )
    with running(app) as url, httpx.Client(base_url=url) as http:
        wait_for(lambda: http.get("/health").status_code == 200)
        assert post(http, documents=["0.5"]).status_code == 401
        http.headers["Authorization"] = "Bearer sesame"
        wait_for(lambda: post(http, documents=["0.5"]).status_code == 200)


def test_it_embeds_while_the_reranker_loads_and_says_so() -> None:
    loaded = threading.Event()

    def load(phase: Callable[[str], None]) -> StubScorer:
        phase("loading")
        assert loaded.wait(10)
        return StubScorer()

    app = create_app(lambda phase: StubEngine(), reranker=("team/judge", load))
    with running(app) as url, httpx.Client(base_url=url) as http:
        wait_for(lambda: http.get("/health").status_code == 200)
        assert http.get("/health").json()["reranker"] == {"team/judge": "not asked for"}
        answer = post(http, documents=["0.5"])
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "model_not_ready"
        assert http.post("/v1/embeddings", json={"input": "a"}).status_code == 200
        loaded.set()
        wait_for(lambda: post(http, documents=["0.5"]).status_code == 200)


def test_it_says_why_the_reranker_could_not_load_and_tries_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("memories.embedding.serving.RETRY_SECONDS", 0.01)
    repaired = threading.Event()

    def load(phase: Callable[[str], None]) -> StubScorer:
        if not repaired.is_set():
            raise WeightsError("No cross-encoder.")
        return StubScorer()

    app = create_app(lambda phase: StubEngine(), reranker=("team/judge", load))
    with running(app) as url, httpx.Client(base_url=url) as http:
        wait_for(lambda: http.get("/health").status_code == 200)
        wait_for(lambda: "No cross-encoder." in post(http, documents=["0"]).text)
        repaired.set()
        wait_for(lambda: post(http, documents=["0.5"]).status_code == 200)
    assert "The reranking model did not load: No cross-encoder." in capsys.readouterr().err


def test_it_embeds_a_question_between_two_slices(
    http: httpx.Client, scorer: StubScorer, passes: list[str], turns: CountedTurns
) -> None:
    hold(scorer)
    before = turns.asked
    judged = asking(http, *(["0.5"] * 100))
    assert scorer.entered.wait(10)
    asked = threading.Thread(
        target=http.post, args=("/v1/embeddings",), kwargs={"json": {"input": "a"}, "timeout": 30}
    )
    asked.start()
    wait_for(lambda: turns.asked == before + 2)
    passes.clear()
    scorer.gate.set()
    judged.join(20)
    asked.join(20)
    assert passes.count("slice") == 12  # and the one before
    assert "question" in passes[:-1]


def test_it_spends_no_further_slice_on_a_client_that_has_left(
    http: httpx.Client, scorer: StubScorer, line: Line
) -> None:
    hold(scorer)
    with pytest.raises(httpx.ReadTimeout):
        http.post("/v1/rerank", json={"query": "q", "documents": ["0.5"] * 100}, timeout=0.2)
    wait_for(lambda: line.waiting == 0)
    scorer.gate.set()
    assert post(http, documents=["0.9"]).json()["results"][0]["relevance_score"] == 0.9
    assert [len(part) for part in scorer.slices] == [SLICE, 1]


def test_it_refuses_more_than_anybody_waits_for(
    http: httpx.Client, scorer: StubScorer, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.embedding.reranking_service.MAX_WAITING", 100)
    hold(scorer)
    judged = asking(http, *(["0.5"] * 100))
    assert scorer.entered.wait(10)
    answer = post(http, documents=["0.5"] * 10)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "overloaded")
    scorer.gate.set()
    judged.join(20)


def test_it_answers_on_after_a_document_that_the_model_cannot_read(http: httpx.Client) -> None:
    # A connection on which something went wrong is closed.
    with httpx.Client(base_url=http.base_url) as unlucky:
        assert post(unlucky, documents=["0.5", "no number"]).status_code == 500
    assert post(http, documents=["0.5"]).status_code == 200
