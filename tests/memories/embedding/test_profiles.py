"""What is known about a model, found by its name."""

import pytest

from memories.embedding.profiles import E5_SMALL, UNKNOWN, UNKNOWN_E5, ModelProfile, profile_for


@pytest.mark.parametrize(
    ("name", "profile"),
    [
        ("intfloat/multilingual-e5-small", E5_SMALL),
        ("intfloat/multilingual-e5-small@q4-1571fc98", E5_SMALL),
        ("/models/multilingual-e5-small/", E5_SMALL),
        ("intfloat/multilingual-e5-large", UNKNOWN_E5),
        ("intfloat/e5-base-v2", UNKNOWN_E5),
        ("intfloat/multilingual-e5-large-instruct", UNKNOWN),
        ("intfloat/e5-mistral-7b-instruct", UNKNOWN),
        ("BAAI/bge-m3", UNKNOWN),
        ("me/multilingual-e5-small/other", UNKNOWN),
        ("text-embedding-3-small", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_it_knows_a_model_by_its_name(name: str, profile: ModelProfile) -> None:  # B7
    assert profile_for(name) is profile


@pytest.mark.parametrize("profile", [UNKNOWN, UNKNOWN_E5])
def test_it_is_slow_to_call_two_texts_the_same_for_a_model_nobody_measured(
    profile: ModelProfile,
) -> None:
    assert profile.duplicate > E5_SMALL.duplicate
    assert profile.cross_lingual > E5_SMALL.cross_lingual
    assert profile.conflict_gate < E5_SMALL.conflict_gate
    assert not profile.measured
