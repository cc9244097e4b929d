"""The JSON of a recall (C4)."""

import json
from datetime import timedelta

import pytest
from pytest_django import Settings

from memories.permissions import Actor
from memories.recall import recall
from memories.recall.payload import age, recall_payload
from tests.memories.recall.helpers import NOW, jot


def test_it_is_json_with_time_source_confidence_version_and_reasons(
    actor: Actor, settings: Settings
) -> None:  # C4
    settings.EMBEDDER_URL = "http://127.0.0.1:9/v1"
    memory = jot(actor, "deploy with docker", happened_at=NOW - timedelta(days=90))
    payload = recall_payload(recall(actor=actor, query="docker", now=NOW), now=NOW)
    (hit,) = json.loads(json.dumps(payload))["hits"]
    assert payload["degraded"] is True
    assert payload["recall_id"] is not None
    assert (hit["id"], hit["rank"], hit["age"]) == (str(memory.pk), 1, "3 months ago")
    assert {"happened_at", "source", "confidence", "version", "disputed"} <= hit.keys()
    assert hit["arms"]["keyword"] == 1.0
    assert hit["explanation"] == "Words 100% of the best match."


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (-1, "in the future"),
        (0.5, "today"),
        (1, "1 day ago"),
        (59, "59 days ago"),
        (60, "2 months ago"),
        (365, "12 months ago"),
        (730, "2 years ago"),
    ],
)
def test_it_tells_age_as_a_person_would(days: float, words: str) -> None:
    assert age(NOW - timedelta(days=days), NOW) == words
