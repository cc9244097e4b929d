"""The three-question gate (A6, B2, B4, B5)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.distillation.gate import weigh
from memories.policies import DistillingPolicy, WritingPolicy
from tests.memories.distillation.conftest import proposal

SHARES = st.floats(0, 1)


def reason(*, policy: DistillingPolicy | None = None, **fields: Any) -> str:
    one = proposal("Ann lives in Berlin.", **fields)
    return weigh(one, policy or DistillingPolicy(), WritingPolicy()).reason


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ""),
        ({"owner": ""}, "no_owner"),
        ({"question": ""}, "no_question"),
        ({"value": ""}, "no_value"),
        ({"worth": 0.1}, "no_value"),
        ({"source": "llm_summary", "certainty": 0.9}, "not_believed"),
        ({"source": "llm_reasoning"}, "low_confidence"),
        ({"drop": "greeting", "owner": ""}, "greeting"),
    ],
)
def test_it_asks_three_questions_and_then_who_says_so(fields: Any, expected: str) -> None:
    assert reason(**fields) == expected


def test_it_follows_the_numbers_of_the_space() -> None:
    assert reason(worth=0.3, policy=DistillingPolicy(keep_from=0.2)) == ""
    assert reason(source="llm_reasoning", policy=DistillingPolicy(store_from=0.5)) == ""


@given(certainty=SHARES, worth=SHARES, low=SHARES, high=SHARES)
def test_it_never_keeps_more_under_a_higher_threshold(
    certainty: float, worth: float, low: float, high: float
) -> None:
    low, high = sorted((low, high))
    one = {"certainty": certainty, "worth": worth}
    if reason(**one, policy=DistillingPolicy(keep_from=high)) == "":
        assert reason(**one, policy=DistillingPolicy(keep_from=low)) == ""


@given(certainty=SHARES)
def test_it_believes_nobody_more_than_their_source(certainty: float) -> None:
    one = proposal("Ann lives in Berlin.", source="tool_result", certainty=certainty)
    assert weigh(one, DistillingPolicy(), WritingPolicy()).confidence <= 0.8
