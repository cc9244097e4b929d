"""What is settled at a glance is what the rules would say."""

from itertools import product

import pytest

from memories.writing import compare as judging
from memories.writing.compare import Statement, compare
from memories.writing.compare.glance import apart, glance

from .pairs import E5_SMALL, load

WRITTEN = [pair for name in ("held_out", "tuning") for pair in load(name)]
COSINES = (None, 0.8, 0.9, 0.95)
# Each written pair, and statements that happen to stand side by side.
TEXTS = [(pair.old, pair.new) for pair in WRITTEN]
TEXTS += product([pair.old for pair in WRITTEN[::20]], [pair.new for pair in WRITTEN[::20]])


def kinds() -> list[str]:
    return [
        compare(Statement(new), Statement(old), cosine, E5_SMALL).kind
        for (old, new), cosine in product(TEXTS, COSINES)
    ]


def test_it_changes_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:  # B7, E3
    at_a_glance = kinds()
    assert set(at_a_glance) == {"conflict", "duplicate", "distinct"}
    monkeypatch.setattr(judging, "apart", lambda *_any: False)
    assert kinds() == at_a_glance


def test_it_spares_the_rules_most_of_what_is_about_something_else() -> None:
    unlike = [apart(glance(old), glance(new), 0.8, E5_SMALL) for old, new in TEXTS[len(WRITTEN) :]]
    assert sum(unlike) > 0.8 * len(unlike)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The result is significant.", "The result is insignificant."),
        ("The API listens on port 8080.", "The API listens on port 9090."),
        ("Anna uses Slack for alerts.", "Anna uses Zulip for alerts."),
        ("We moved from MySQL to PostgreSQL.", "Orders are stored in MySQL."),
        ("Backups run on 31 March.", "Backups run on 2027-03-31."),
    ],
)
def test_it_leaves_to_the_rules_what_one_thing_tells_apart(old: str, new: str) -> None:
    assert not apart(glance(old), glance(new), 0.9, E5_SMALL)
