"""Requests that wait together share forward passes, and none waits for ever."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future

import pytest

from memories.embedding import batching
from memories.embedding.batching import Batcher, Encoded, Job, OverloadedError, Turns, next_batch
from tests.memories.embedding.fakes import StubEngine


@pytest.fixture
def engine() -> StubEngine:
    return StubEngine()


@pytest.fixture
def batcher(engine: StubEngine) -> Iterator[Batcher]:
    made = Batcher()
    worker = threading.Thread(target=made.run, args=(engine,))
    worker.start()
    yield made
    engine.gate.set()
    made.stop()
    worker.join(10)
    assert not worker.is_alive()


def hold(batcher: Batcher, engine: StubEngine) -> Future[Encoded]:
    """Occupy the worker, so that what follows has to wait."""
    engine.gate.clear()
    first = batcher.submit(["first"])
    assert engine.entered.wait(10)
    return first


def firsts(encoded: Encoded) -> list[float]:
    return [vector[0] for vector in encoded.vectors]


def test_it_embeds_waiting_requests_in_one_forward_pass(
    batcher: Batcher, engine: StubEngine
) -> None:
    hold(batcher, engine)
    waiting = [batcher.submit(["x" * (i + 1)]) for i in range(20)]
    engine.gate.set()
    assert [firsts(future.result(10)) for future in waiting] == [[i + 1.0] for i in range(20)]
    assert [len(batch) for batch in engine.batches] == [1, 20]


def test_it_returns_vectors_in_the_order_of_the_texts(batcher: Batcher) -> None:
    texts = ["x" * ((i * 37) % 101) for i in range(150)]
    encoded = batcher.submit(texts).result(10)
    assert firsts(encoded) == [len(text) for text in texts]
    assert encoded.tokens == [len(text) for text in texts]


def test_it_embeds_at_most_64_texts_at_once(batcher: Batcher, engine: StubEngine) -> None:
    batcher.submit([str(i) for i in range(500)]).result(10)
    assert max(len(batch) for batch in engine.batches) <= 64


def test_it_embeds_texts_of_like_length_together(batcher: Batcher, engine: StubEngine) -> None:
    batcher.submit(["long " * 60, "a"] * 64).result(10)
    assert engine.batches[0] == ["a"] * 16 + ["a"] * (len(engine.batches[0]) - 16)


def test_it_makes_smaller_batches_of_long_texts(batcher: Batcher, engine: StubEngine) -> None:
    batcher.submit(["word " * 1000] * 12).result(10)
    assert [len(batch) for batch in engine.batches] == [3, 3, 3, 3]


def test_it_embeds_a_question_before_the_rest_of_a_bulk_request(
    batcher: Batcher, engine: StubEngine
) -> None:
    hold(batcher, engine)
    bulk = batcher.submit([f"bulk {i}" for i in range(1000)])
    question = batcher.submit(["question"])
    engine.gate.set()
    question.result(10)
    bulk.result(10)
    place = next(i for i, batch in enumerate(engine.batches) if "question" in batch)
    assert place <= 2  # the first, at most one of bulk, then the question


def test_it_does_not_let_questions_stop_a_bulk_request(engine: StubEngine) -> None:
    batcher = Batcher()
    bulk = batcher.submit([f"bulk {i}" for i in range(10)])
    for i in range(1000):
        batcher.submit([f"question {i}"])
    batches = [batcher._take() for _ in range(2)]
    assert any(job.result is bulk for batch in batches for job, _ in batch)


def test_it_shares_the_bulk_lane_between_requests() -> None:
    lane = deque([Job.of(["a"] * 200), Job.of(["b"] * 200)])
    texts = {job.texts[index] for job, index in next_batch(lane)}
    assert texts == {"a", "b"}


def test_it_leaves_out_a_request_that_was_given_up(batcher: Batcher, engine: StubEngine) -> None:
    hold(batcher, engine)
    batcher.submit(["gone"]).cancel()
    stays = batcher.submit(["stays"])
    engine.gate.set()
    stays.result(10)
    assert ["gone"] not in engine.batches


def test_it_survives_a_batch_that_fails(batcher: Batcher) -> None:
    with pytest.raises(RuntimeError, match="a bad text"):
        batcher.submit(["explode"]).result(10)
    assert firsts(batcher.submit(["fine"]).result(10)) == [4.0]


def test_it_remembers_a_question(batcher: Batcher, engine: StubEngine) -> None:  # C8
    first = batcher.submit(["again?"]).result(10)
    assert batcher.submit(["again?"]).result(10) == first
    assert engine.batches == [["again?"]]


def test_it_forgets_the_oldest_question(
    batcher: Batcher, engine: StubEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batching, "REMEMBERED", 2)
    for text in ("one", "two", "three", "one"):
        batcher.submit([text]).result(10)
    assert engine.batches == [["one"], ["two"], ["three"], ["one"]]


def test_it_refuses_more_than_it_can_hold() -> None:
    batcher = Batcher()
    batcher.submit(["x"] * batching.MAX_WAITING)
    with pytest.raises(OverloadedError):
        batcher.submit(["one more"])


def test_models_take_turns_and_none_passes_another(engine: StubEngine) -> None:  # E9
    turns, order = Turns(), list[str]()
    inside = threading.Event()

    class Other(StubEngine):
        def encode(self, texts: Sequence[str]) -> Encoded:
            order.extend(texts)
            return super().encode(texts)

    class First(Other):
        def encode(self, texts: Sequence[str]) -> Encoded:
            inside.set()
            return super().encode(texts)

    one, two = First(), Other()
    one.gate.clear()
    batchers = [(Batcher(turns), one), (Batcher(turns), two)]
    workers = [threading.Thread(target=made.run, args=(each,)) for made, each in batchers]
    for worker in workers:
        worker.start()
    first = batchers[0][0].submit(["bulk 1"])
    assert inside.wait(10)
    second = batchers[0][0].submit(["bulk 2"])
    question = batchers[1][0].submit(["question"])
    _until(lambda: len(turns._line) == 2)
    assert not two.batches, "two models at work at once"
    one.gate.set()
    for future in (first, second, question):
        future.result(10)
    assert order == ["bulk 1", "question", "bulk 2"]
    for made, _each in batchers:
        made.stop()
    for worker in workers:
        worker.join(10)


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)
