"""What became of candidates and sessions, in words."""

import pytest

from memories.distillation.again import Difference, Outcome
from memories.distillation.rules.worth import WEIGHTS
from memories.models import Candidate
from memories.pages import session_words as words

# What distillers drop, what the gate says, what storing finds.
DROPPED = ["greeting", "question", "one_off", "assistant_claim", "failed_claim", "abandoned"]
DROPPED += ["injected", "secret", "unquoted", "too_long", "too_many"]
GATE = ["no_owner", "no_question", "no_value", "not_believed", "low_confidence"]
STORING = ["stored", "duplicate", "reinforced", "conflict", "quarantine"]
STORING += ["echo", "tombstone", "unusable"]


@pytest.mark.parametrize("code", [*DROPPED, *GATE, *STORING])
def test_it_says_every_reason_in_a_sentence(code: str) -> None:  # B2
    assert words.reason(code).endswith(".")


def test_it_shows_a_code_that_it_does_not_know() -> None:
    assert (words.reason("new_code"), words.verdict("new")) == ("new code", "new")
    assert words.signal("new_sign") == "new sign"


@pytest.mark.parametrize("name", [*WEIGHTS, "failures", "steps", "outcome"])
def test_it_has_words_for_every_sign_of_the_rules(name: str) -> None:
    assert name in words.SIGNALS


def difference(now: str) -> Difference:
    return Difference(Candidate(), Outcome("dropped", "no_value"), Outcome(now, "stored"))


def test_it_sums_up_what_other_numbers_change() -> None:
    found = [difference(now) for now in ("kept", "kept", "dropped", "flagged")]
    assert words.changed(found) == [
        "2 more would be kept.",
        "1 would be dropped.",
        "1 would wait for a person.",
    ]
    assert words.changed([]) == ["Nothing would change."]


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.7, "1 min 0 s"),
        (125, "2 min 5 s"),
        (7260, "2 h 1 min"),
    ],
)
def test_it_says_how_long_something_took(span: float, text: str) -> None:
    assert words.seconds(span) == text
