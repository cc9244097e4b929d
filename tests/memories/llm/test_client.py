"""The client against a loopback server: an answer, or LlmDown with a sentence, in time (I3)."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from pydantic import BaseModel
from pytest_django import Settings

from memories.llm import LlmDown, LlmRefused, ask, available
from memories.llm.client import CORRECTIONS, PAUSE_SECONDS, TRIES, LlmClient
from memories.llm.wire import MOST_BYTES
from tests.memories.llm.server import (
    Answer,
    FakeLlm,
    Sent,
    completion,
    fails,
    form_of,
    llm,
    only,
    raw,
    says,
)
from tests.services import free_port


class City(BaseModel):
    name: str
    people: int


LISBON = {"name": "Lisbon", "people": 545_000}
QUESTION = [
    {"role": "system", "content": "Name the city."},
    {"role": "user", "content": "I live in Lisbon. 我住在里斯本。"},
]


@dataclass
class Clock:
    """A clock that only sleeping moves."""

    time: float = 100.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


@dataclass
class Asked:
    """A client of a fake server."""

    server: FakeLlm
    client: LlmClient
    clock: Clock

    def ask(self, **options: Any) -> City:
        return self.client.ask(QUESTION, City, **options)

    def why(self, **options: Any) -> str:
        with pytest.raises(LlmDown) as caught:
            self.ask(**options)
        return str(caught.value)


@contextmanager
def asking(*answers: Answer, url: str = "", key: str = "sk-secret") -> Iterator[Asked]:
    clock = Clock()
    with llm(*answers) as server:
        client = LlmClient(
            url or server.url, api_key=key, model="fake", now=clock.now, sleep=clock.sleep
        )
        try:
            yield Asked(server, client, clock)
        finally:
            client.close()


def test_it_returns_the_validated_answer() -> None:
    with asking(says(LISBON)) as asked:
        assert asked.ask() == City(name="Lisbon", people=545_000)
        [got] = asked.server.got
    assert got["path"] == "/v1/chat/completions"
    assert got["authorization"] == "Bearer sk-secret"
    assert got["model"] == "fake"
    assert got["messages"] == QUESTION


def test_it_sends_no_key_where_none_is_set() -> None:
    with asking(says(LISBON), key="") as asked:
        asked.ask()
    assert asked.server.got[0]["authorization"] is None


def test_it_asks_by_schema_first() -> None:
    with asking(says(LISBON)) as asked:
        asked.ask()
    wanted = asked.server.got[0]["response_format"]["json_schema"]
    assert wanted["strict"] is True
    assert wanted["schema"]["required"] == ["name", "people"]
    assert wanted["schema"]["additionalProperties"] is False


@pytest.mark.parametrize("refused", [400, 422, 500, 501])
@pytest.mark.parametrize("form", ["json_object", "text"])
def test_it_falls_back_to_the_form_that_the_server_takes(form: str, refused: int) -> None:
    with asking(only(form, refused=refused)(says(LISBON))) as asked:
        assert asked.ask().name == "Lisbon"
        tried = [form_of(body) for body in asked.server.got]
        assert tried == ["json_schema", "json_object", "text"][: len(tried)]
        assert tried[-1] == form
        assert asked.clock.slept == []


def test_it_remembers_the_form_that_worked() -> None:
    with asking(only("text")(says(LISBON))) as asked:
        asked.ask()
        asked.ask()
    assert [form_of(body) for body in asked.server.got[3:]] == ["text"]


@pytest.mark.parametrize("form", ["json_object", "text"])
def test_it_says_the_schema_in_words_where_the_form_does_not(form: str) -> None:
    with asking(only(form)(says(LISBON))) as asked:
        asked.ask()
    first, second = asked.server.got[-1]["messages"]
    assert '"people":{"type":"integer"}' in first["content"]
    assert second == QUESTION[1]  # user and assistant still take turns


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"name": "Lisbon", "people": 545000}\n```',
        'Here you are: {"name": "Lisbon", "people": 545000}. Anything else?',
        '<think>{"name": "Porto", "people": 1} no</think>{"name": "Lisbon", "people": 545000}',
        '{"city": "?"} or rather {"name": "Lisbon", "people": 545000}',
    ],
)
def test_it_finds_the_json_in_whatever_is_around_it(text: str) -> None:
    with asking(says(text)) as asked:
        assert asked.ask().name == "Lisbon"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"name": "Lisbon", "people": "many"}, "people: "),
        ({"name": "Lisbon"}, "people: Field required"),
        ({"name": None, "people": 1}, "name: "),
        ({"city": LISBON}, "name: Field required"),
        ('{"name": "Lisbon", "peo', "no complete JSON"),
        ("I think it is Lisbon.", "no complete JSON"),
        ("[" * 100_000, "no complete JSON"),
    ],
)
def test_it_tells_the_model_what_is_wrong(wrong: Any, told: str) -> None:
    with asking(says(wrong), says(LISBON)) as asked:
        assert asked.ask().name == "Lisbon"
    *before, answered, corrected = asked.server.got[1]["messages"]
    assert before == QUESTION
    assert answered["role"] == "assistant"
    assert corrected["role"] == "user"
    assert told in corrected["content"]


def test_it_tells_a_model_that_ran_out_of_room_to_be_shorter() -> None:
    cut = completion({"role": "assistant", "content": '{"name": "Lis'}, "length")
    with asking(cut, says(LISBON)) as asked:
        asked.ask()
    assert "be shorter" in asked.server.got[1]["messages"][-1]["content"]


def test_it_gives_up_on_a_model_that_never_fits() -> None:
    with asking(says({"name": "Lisbon"})) as asked:
        assert asked.why() == "The LLM's answers do not have the form that was asked for."
        assert len(asked.server.got) == 1 + CORRECTIONS
        assert asked.why()  # it does answer: the next one is asked again
        assert len(asked.server.got) == 2 * (1 + CORRECTIONS)


EMPTY = [
    raw({"choices": []}),
    raw({"choices": None}),
    raw({"error": {"message": "overloaded"}}),
    raw(None),
    raw([]),
    completion(None),
    completion({"content": None}),
    completion({"content": "  "}),
    completion({"content": 5}),
    Sent(200, b"<!doctype html><title>Welcome</title>"),
    Sent(200, b""),
    Sent(200, b'{"choices": [{"mess'),
    Sent(200, b'{"choices": [{"message": ', cut=True),
    Sent(200, b"[" * 100_000),
    Sent(200, b"\xff\xfe\x00"),
    Sent(200, says(LISBON).content + b" " * MOST_BYTES),
    fails(408),
    fails(429),
    fails(502),
    fails(503),
    fails(529),
]


@pytest.mark.parametrize("answer", EMPTY)
def test_it_tries_again_after_a_fault(answer: Sent) -> None:
    with asking(answer, says(LISBON)) as asked:
        assert asked.ask().name == "Lisbon"
        assert len(asked.clock.slept) == 1


@pytest.mark.parametrize("answer", [*EMPTY, fails(500)])
def test_it_gives_up_after_some_tries(answer: Sent) -> None:
    with asking(answer) as asked:
        assert asked.why().startswith("The LLM")
        assert len(asked.clock.slept) == TRIES - 1


def test_it_waits_longer_each_time_and_not_always_the_same() -> None:
    waits = []
    for _ in range(5):
        with asking(fails(503)) as asked:
            asked.why()
            waits.append(asked.clock.slept)
    for first, second, third in waits:
        assert 0.5 <= first <= 1 <= second <= 2 <= third <= 4
    assert len({first for first, _, _ in waits}) > 1


def test_it_waits_as_long_as_the_server_asks_for() -> None:
    with asking(fails(429, retry_after="17"), says(LISBON)) as asked:
        asked.ask()
        assert asked.clock.slept == [17.0]


def test_it_understands_a_date_to_wait_for() -> None:
    later = fails(429, retry_after="Fri, 01 May 2026 10:00:30 GMT")
    with (
        time_machine.travel(datetime(2026, 5, 1, 10, tzinfo=UTC), tick=False),
        asking(later, says(LISBON)) as asked,
    ):
        asked.ask()
        assert asked.clock.slept == [30.0]


@pytest.mark.parametrize("given", ["soon", "nan", "inf", "-5", "", "Fri, 01 May 2026 10:00:30"])
def test_it_ignores_a_wait_that_makes_no_sense(given: str) -> None:
    with asking(fails(429, retry_after=given), says(LISBON)) as asked:
        asked.ask()
        assert asked.clock.slept[0] <= 1


def test_it_does_not_wait_beyond_its_deadline() -> None:
    with asking(fails(429, retry_after="300")) as asked:
        asked.why()
        assert asked.clock.slept == []
        asked.clock.time += 299
        asked.why()
        assert len(asked.server.got) == 1  # nobody asks before the time the server named
        asked.clock.time += 2
        asked.why()
        assert len(asked.server.got) == 2


def test_it_lets_nobody_wait_again_right_after_a_failure() -> None:
    with asking(fails(503)) as asked:
        first = asked.why()
        assert asked.why() == first
        assert len(asked.server.got) == TRIES
        asked.clock.time += PAUSE_SECONDS
        asked.why()
        assert len(asked.server.got) == 2 * TRIES


REFUSALS = [
    completion({"role": "assistant", "content": None, "refusal": "I cannot help with that."}),
    completion({"role": "assistant", "content": '{"name": "L'}, "content_filter"),
    fails(400, "content_filter"),
]


@pytest.mark.parametrize("answer", REFUSALS)
def test_it_takes_a_refusal_at_once(answer: Sent) -> None:
    with asking(answer, says(LISBON)) as asked:
        with pytest.raises(LlmRefused):
            asked.ask()
        assert len(asked.server.got) == 1
        assert asked.ask().name == "Lisbon"  # what comes next may be asked


@pytest.mark.parametrize(
    ("answer", "setting"),
    [
        (fails(401, "invalid_api_key"), "LLM_API_KEY"),
        (fails(403), "LLM_API_KEY"),
        (fails(404, "model_not_found"), "LLM_MODEL"),
        (fails(405), "LLM_BASE_URL"),
        (fails(418), "LLM_BASE_URL"),
        (Sent(301, b"", {"location": "http://127.0.0.1:1/"}), "LLM_BASE_URL"),
    ],
)
def test_it_names_the_setting_to_check(answer: Sent, setting: str) -> None:
    with asking(answer) as asked:
        why = asked.why()
    assert setting in why
    assert str(answer.status) in why
    assert len(asked.server.got) == 1


def test_it_names_the_servers_code_of_a_request_that_no_form_makes_good() -> None:
    with asking(fails(400, "context_length_exceeded"), fails(400), fails(400, "too_long")) as asked:
        assert "400 too_long" in asked.why()
    assert len(asked.server.got) == 3


def test_it_says_when_nobody_listens() -> None:
    with asking(says(LISBON), url=f"http://127.0.0.1:{free_port()}/v1") as asked:
        why = asked.why()
        assert len(asked.clock.slept) == TRIES - 1
    assert "Connection refused" in why
    assert "LLM_BASE_URL" in why


@pytest.mark.parametrize("url", ["localhost:11434/v1", "ftp://127.0.0.1/v1", "http://"])
def test_it_says_that_an_address_is_none(url: str) -> None:
    with asking(says(LISBON), url=url) as asked:
        assert "LLM_BASE_URL" in asked.why()


def test_it_passes_by_the_environments_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with asking(says(LISBON)) as asked:
        assert asked.ask().name == "Lisbon"


@pytest.mark.parametrize(
    "answer",
    [
        *(*EMPTY, *REFUSALS, fails(400), fails(401), fails(500), says("I live in Lisbon")),
        *(fails(401, "Lisbon?"), Sent(200, b"", {"x Lisbon": "no HTTP"})),
    ],
)
def test_it_never_tells_keys_or_texts(answer: Sent, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with asking(answer) as asked:
        why = asked.why()
    for secret in ("sk-secret", "Lisbon", "里斯本"):
        assert secret not in why + caplog.text


def test_it_is_not_available_without_settings(settings: Settings) -> None:
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://127.0.0.1:9/v1", ""
    assert not available()
    with pytest.raises(LlmDown, match="LLM_MODEL"):
        ask(QUESTION, City)


def test_it_asks_the_configured_server(settings: Settings) -> None:
    with llm(says(LISBON)) as server:
        server.configure(settings)
        assert available()
        assert ask(QUESTION, City).name == "Lisbon"
    assert server.got[0]["authorization"] == "Bearer sk-of-the-tests"


@pytest.mark.parametrize(
    ("url", "key"), [("http://[::1/v1", ""), ("http://127.0.0.1:9/v1", "ключ"), ("\0", "")]
)
def test_it_says_that_a_setting_cannot_be_used(settings: Settings, url: str, key: str) -> None:
    settings.LLM_BASE_URL, settings.LLM_API_KEY, settings.LLM_MODEL = url, key, "fake"
    with pytest.raises(LlmDown, match="LLM_BASE_URL"):
        ask(QUESTION, City)
