"""What other numbers would have made of a run's candidates: pure, as the gate is (A6, B5)."""

import pytest

from memories.distillation.again import again
from memories.models import Candidate
from memories.policies import DistillingPolicy, WritingPolicy
from tests.memories.pages.looked_back import candidate


def verdicts(one: Candidate, **numbers: object) -> tuple[str, str, str] | None:
    """Return (was, now, why now), None where nothing changes."""
    found = again([one], DistillingPolicy.model_validate(numbers), WritingPolicy())
    return next(((d.was.verdict, d.now.verdict, d.now.reason) for d in found), None)


def test_it_changes_nothing_under_the_same_numbers() -> None:
    everything = [
        candidate(),
        candidate("merged", "duplicate"),
        candidate("flagged", "conflict"),
        candidate("dropped", "no_value", worth=0.4),
        candidate("dropped", "greeting", worth=0.9),
        candidate("dropped", "low_confidence", certainty=0.5),
        candidate("dropped", "tombstone"),
    ]
    assert again(everything, DistillingPolicy(), WritingPolicy()) == []


def test_it_keeps_more_under_a_lower_bar() -> None:
    weak = candidate("dropped", "no_value", worth=0.4)
    assert verdicts(weak, keep_from=0.4) == ("dropped", "kept", "stored")


def test_it_drops_more_under_a_higher_bar() -> None:
    assert verdicts(candidate(), keep_from=0.9) == ("kept", "dropped", "no_value")
    assert verdicts(candidate(), store_from=0.95) == ("kept", "dropped", "low_confidence")


def test_it_puts_the_doubtful_before_a_person() -> None:
    doubtful = candidate("dropped", "low_confidence", certainty=0.5)
    assert verdicts(doubtful, doubtful="review") == ("dropped", "flagged", "low_confidence")


@pytest.mark.parametrize("reason", ["greeting", "secret", "echo", "tombstone", "unusable"])
def test_it_lets_nothing_in_that_numbers_do_not_decide(reason: str) -> None:  # B9
    assert verdicts(candidate("dropped", reason), keep_from=0, store_from=0) is None
    doubtful = candidate("dropped", reason, certainty=0.5)
    assert verdicts(doubtful, keep_from=0, doubtful="review") is None


def test_it_asks_for_all_three_answers_whatever_the_numbers() -> None:  # A6
    nobody = candidate("dropped", "no_owner", owner="")
    assert verdicts(nobody, keep_from=0, store_from=0) is None


def test_it_keeps_what_a_person_had_to_decide() -> None:
    reviewed = candidate("flagged", "low_confidence", certainty=0.5)
    assert verdicts(reviewed, store_from=0.4, doubtful="review") == ("flagged", "kept", "stored")
