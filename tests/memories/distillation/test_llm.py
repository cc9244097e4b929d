"""What an LLM proposes is held against the turns: it cannot make anything true (B3)."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import Settings

from memories.distillation.gate import LOW_CONFIDENCE, weigh
from memories.distillation.llm import claims_success
from memories.llm import LlmDown
from memories.models.memory import Source
from memories.policies import DistillingPolicy, WritingPolicy
from tests.memories.distillation.llm_helpers import (
    NOTHING,
    START,
    distilling,
    finding,
    memory,
    only,
    result,
    said,
)
from tests.memories.llm.server import says


def test_it_proposes_what_the_model_finds(settings: Settings) -> None:
    found = memory("I never eat meat", "Ann never eats meat.", kind="preference", turns=[2])
    turns = said("Hello!", "assistant"), said("Oh,  I never\neat meat. And you?", speaker="Ann")
    proposal = only(settings, found, *turns)
    assert proposal.content == "Ann never eats meat."
    assert proposal.kind == "preference"
    assert proposal.turns == [2]
    assert proposal.quote == "I never\neat meat"  # as it stands in the turn
    assert proposal.source == Source.USER_INPUT
    assert (proposal.owner, proposal.question) == ("Ann", "What about Ann?")
    assert (proposal.certainty, proposal.worth) == (0.9, 0.8)
    assert proposal.happened_at == START + timedelta(minutes=2)
    assert proposal.drop == ""


def test_it_keeps_the_language_of_the_source(settings: Settings) -> None:
    found = memory("我们用 pnpm，不用 npm", "项目用 pnpm，不用 npm", kind="decision")
    proposal = only(settings, found, said("记住：我们用 pnpm，不用 npm。docker 部署也一样"))
    assert proposal.content == "项目用 pnpm，不用 npm"
    assert proposal.drop == ""


@pytest.mark.parametrize(
    "quote", ["I live in Porto", "", "the", "I", "…", "live Lisbon", "Where do you live?"]
)
def test_it_drops_what_no_turn_says(settings: Settings, quote: str) -> None:
    proposal = only(
        settings, memory(quote, "Ann lives in Porto."), said("I live in the city of Lisbon.")
    )
    assert proposal.drop == "unquoted"
    assert proposal.source == Source.UNKNOWN


@pytest.mark.parametrize(
    "quote",
    ["i LIVE in Lisbon", '"I live  in Lisbon."', "“I live in Lisbon…”", "I live\nin Lisbon"],
)
def test_it_forgives_how_a_quote_is_written(settings: Settings, quote: str) -> None:
    proposal = only(settings, memory(quote), said("Well, I live in Lisbon!"))
    assert proposal.quote == "I live in Lisbon"
    assert proposal.drop == ""


@pytest.mark.parametrize("turns", [[1], [], [99, -1], "2", None, [[2]], ["turn 1", 2], [1e400]])
def test_it_finds_the_turn_that_was_quoted_whatever_its_number(
    settings: Settings, turns: Any
) -> None:
    found = memory("I live in Lisbon", turns=turns)
    proposal = only(settings, found, said("Where?", "assistant"), said("I live in Lisbon."))
    assert proposal.turns[0] == 2
    assert set(proposal.turns) <= {1, 2}
    assert proposal.source == Source.USER_INPUT


def test_it_takes_the_source_of_the_quoted_turn(settings: Settings) -> None:  # B4
    found = [
        memory("I use Debian", turns=[2]),
        memory("Debian is best for you", turns=[1]),
        memory("Debian 12.4", turns=[1]),
    ]
    with finding(settings, *found) as distiller:
        proposals = distiller.propose(
            said("I use Debian"),
            said("Debian is best for you", "assistant"),
            result(True, "Debian 12.4"),
        )
    assert [(one.source, one.turns[0]) for one in proposals] == [
        (Source.USER_INPUT, 1),
        (Source.LLM_REASONING, 2),
        (Source.TOOL_RESULT, 3),
    ]


def test_it_never_lets_a_model_raise_its_own_word(settings: Settings) -> None:  # B5
    found = memory("Debian is best for you", confidence=1.0, worth=1.0)
    proposal = only(settings, found, said("Debian is best for you", "assistant"))
    passed = weigh(proposal, DistillingPolicy(), WritingPolicy())
    assert passed.reason == LOW_CONFIDENCE


@pytest.mark.parametrize(
    ("given", "certainty"),
    [
        (1, 0.95),
        (7, 0.95),
        (-3, 0),
        ("0.5", 0.5),
        (None, 0),
        (True, 0.95),
        ("", 0),
        ("1e999", 0.95),
    ],
)
def test_it_bounds_what_the_model_says_of_itself(
    settings: Settings, given: Any, certainty: float
) -> None:
    proposal = only(
        settings, memory("I like tea", confidence=given, worth=given), said("I like tea")
    )
    assert proposal.certainty == certainty
    assert 0 <= proposal.worth <= 1


def test_it_takes_no_number_for_no_certainty(settings: Settings) -> None:
    text = json.dumps(NOTHING | {"memories": [memory("I like tea", confidence=float("nan"))]})
    with distilling(settings, says(text)) as distiller:
        [proposal] = distiller.propose(said("I like tea"))
    assert proposal.certainty == 0


FAILED = result(False, "deploy: connection timed out", error="exit code 1")


@pytest.mark.parametrize(
    ("quote", "content", "kind"),
    [
        ("Deployed, all good", "The deploy works with flag x.", "lesson"),
        ("Deployed, all good", "使用 x 参数部署成功", "discovery"),
        ("Deployed, all good", "Run deploy with flag x.", "procedure"),
        ("connection timed out", "The deploy succeeded.", "fact"),
        ("connection timed out", "The service has 500 rows.", "fact"),
        ("Deploy it, please", "The deploy to production worked.", "fact"),
    ],
)
def test_it_never_makes_a_failure_a_success(
    settings: Settings, quote: str, content: str, kind: str
) -> None:  # B8, F1
    turns = said("Deploy it, please"), FAILED, said("Deployed, all good!", "assistant")
    proposal = only(settings, memory(quote, content, kind=kind), *turns)
    assert proposal.drop == "failed_claim"


@pytest.mark.parametrize(
    ("quote", "content", "kind"),
    [
        ("connection timed out", "The deploy failed: the connection timed out.", "incident"),
        ("connection timed out", "部署超时，没有成功", "fact"),
        ("connection timed out", "Open port 22 before a deploy.", "lesson"),
        ("It works now", "Since the restart it works.", "discovery"),
    ],
)
def test_it_keeps_what_a_failure_teaches(
    settings: Settings, quote: str, content: str, kind: str
) -> None:
    turns = said("Deploy it, please"), FAILED, said("It works now, thanks.")
    assert only(settings, memory(quote, content, kind=kind), *turns).drop == ""


def test_it_believes_a_success_after_the_failure(settings: Settings) -> None:
    turns = FAILED, result(True, "deploy: 3 pods are ready")
    found = memory("3 pods are ready", "The deploy works with 3 pods.", kind="discovery")
    proposal = only(settings, found, *turns)
    assert (proposal.drop, proposal.turns[0]) == ("", 2)


def test_it_hears_a_model_out_once_the_call_worked(settings: Settings) -> None:
    turns = FAILED, result(True, "done"), said("Deployed, all good!", "assistant")
    found = memory("Deployed, all good", "The deploy works with flag x.", kind="lesson")
    assert only(settings, found, *turns).drop == ""


@pytest.mark.parametrize("text", ["It worked", "部署成功", "The tests passed", "已修复"])
def test_it_knows_a_claim_of_success(text: str) -> None:
    assert claims_success(text)


@pytest.mark.parametrize(
    "text", ["It has not worked", "没有成功", "it doesn't work", "I live here"]
)
def test_it_knows_what_is_no_claim_of_success(text: str) -> None:
    assert not claims_success(text)


def test_it_drops_what_is_too_long(settings: Settings) -> None:  # B6
    proposal = only(settings, memory("I like tea", "I like tea. " * 50), said("I like tea"))
    assert proposal.drop == "too_long"


def test_it_drops_secrets(settings: Settings) -> None:
    turn = said("my api_key=sk-abcdefghijklmnop is secret")
    assert only(settings, memory("api_key=•••", "The key is •••"), turn).drop == "secret"


def test_it_bounds_a_model_that_finds_too_much(settings: Settings) -> None:
    found = [memory("I like tea", f"Ann likes tea {i}.", worth=i / 10) for i in range(6)]
    with finding(settings, *found) as distiller:
        proposals = distiller.propose(said("I like tea"), said("Good.", "assistant"))
    kept = [proposal.content for proposal in proposals if not proposal.drop]
    assert kept == ["Ann likes tea 4.", "Ann likes tea 5."]
    assert {proposal.drop for proposal in proposals} == {"", "too_many"}


@pytest.mark.parametrize(
    ("given", "kept"),
    [("Preference", "preference"), ("hobby", "fact"), (None, "fact"), (7, "fact")],
)
def test_it_knows_only_its_own_kinds(settings: Settings, given: Any, kept: str) -> None:
    assert only(settings, memory("I like tea", kind=given), said("I like tea")).kind == kept


@pytest.mark.parametrize(
    ("given", "kept"),
    [("user/drink", "user/drink"), ("Ann", ""), (None, ""), ("a/" + "b" * 300, "")],
)
def test_it_takes_only_narrow_subjects(settings: Settings, given: Any, kept: str) -> None:  # B7
    assert only(settings, memory("I like tea", subject=given), said("I like tea")).subject == kept


@pytest.mark.parametrize("given", ["", None, "soon", "2026-13-45", "0001-01-01", "9999-12-31"])
def test_it_falls_back_to_the_turns_time(settings: Settings, given: Any) -> None:
    proposal = only(settings, memory("I like tea", happened_at=given), said("I like tea"))
    assert proposal.happened_at == START + timedelta(minutes=1)


def test_it_takes_the_date_that_is_spoken_of(settings: Settings) -> None:
    proposal = only(settings, memory("I like tea", happened_at="2026-04-30"), said("I like tea"))
    assert proposal.happened_at == datetime(2026, 4, 30, tzinfo=UTC)


def test_it_proposes_only_what_the_database_takes(settings: Settings) -> None:
    text = json.dumps({"memories": [memory("I like tea", "I like\x00 tea \ud800\n!")]})
    with distilling(settings, says(text)) as distiller:
        [proposal] = distiller.propose(said("I like tea"))
    assert proposal.content == "I like� tea � !"


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)
FIELDS = st.sampled_from(sorted(memory("")))
ITEMS = st.builds(
    lambda changed: memory("I like tea") | changed, st.dictionaries(FIELDS, ANYTHING, max_size=4)
)
ANSWERS = ANYTHING | st.fixed_dictionaries({"memories": ANYTHING | st.lists(ITEMS, max_size=3)})


def test_it_raises_nothing_else_whatever_the_model_says(settings: Settings) -> None:
    said_now = json.dumps(NOTHING)
    with distilling(settings, lambda _body: says(said_now)) as distiller:

        @hypothesis_settings(
            max_examples=150, deadline=None, suppress_health_check=list(HealthCheck)
        )
        @given(ANSWERS)
        def holds(answer: Any) -> None:
            nonlocal said_now
            said_now = json.dumps(answer)
            try:
                proposals = distiller.propose(said("I like tea"), FAILED)
            except LlmDown:
                return
            for one in proposals:
                assert set(one.turns) <= {1, 2}
                assert 0 <= one.certainty <= 0.95
                assert 0 <= one.worth <= 1
                assert one.drop or one.quote

        holds()
