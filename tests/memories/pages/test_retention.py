"""The forgetting curve as a picture and as a sentence (E5, J2)."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.lifecycle.retention import curve
from memories.models import Memory
from memories.pages.retention import HEIGHT, WIDTH, Drawing, drawn
from memories.policies import PolicyNumbers

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def picture(*, flags: Sequence[str] = (), days: float = 30, **fields: Any) -> Drawing:
    """Draw the curve of a memory that was recalled `days` ago and was 4 warm then."""
    recalled = NOW - timedelta(days=days)
    said: dict[str, Any] = {"created_at": recalled, "updated_at": recalled, "heat": 4.0}
    memory = Memory(last_recalled_at=recalled, confidence=0.9, **said | fields)
    with timezone.override(UTC):
        return drawn(curve(memory, PolicyNumbers(), NOW, flags=flags))


def points(drawing: Drawing) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in drawing.line.split())]


def test_it_draws_from_the_last_recall_to_after_the_end() -> None:
    found = points(picture())
    assert (found[0], found[-1][0]) == ((0.0, 0.0), WIDTH)
    assert [y for _x, y in found] == sorted(y for _x, y in found)
    assert all(0 <= y <= HEIGHT for _x, y in found)


def test_it_marks_now_and_the_end_where_the_curve_meets_the_limit() -> None:
    drawing = picture()
    assert drawing.end is not None
    end = drawing.end.x
    assert 0 < drawing.today.x < end < WIDTH
    nearest = min(points(drawing), key=lambda point: abs(point[0] - end))
    assert nearest[1] == pytest.approx(drawing.threshold, abs=HEIGHT / 50)


def test_it_says_what_it_draws() -> None:
    # 4 · ½^(d/30) is 0.2 after 129.7 days, 99.7 days from now.
    assert picture().said == (
        "Warmth 2.00 now; archived about June 9, 2026 unless somebody recalls it."
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"pinned": True}, "it is pinned and stays"),
        ({"flags": ["conflict"]}, "stays while people are asked about it"),
        ({"expires_at": NOW + timedelta(days=3)}, "archived on March 4, 2026 unless"),
        ({"status": "superseded"}, "it is not in use"),
    ],
)
def test_it_says_why_it_does_not_go_as_the_curve_says(fields: dict[str, Any], words: str) -> None:
    assert words in picture(**fields).said


def test_it_draws_nothing_of_what_nobody_ever_recalled() -> None:
    drawing = picture(heat=0.0)
    assert drawing.flat
    assert not picture().flat
    assert "Warmth 0.00 now" in drawing.said


def test_it_keeps_words_inside_the_box() -> None:
    assert not picture(days=0).today.left
    assert picture(days=60).today.left
