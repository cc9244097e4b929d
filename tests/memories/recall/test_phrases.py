"""Rare words that a better hit shares lead to what else says them (J1)."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from memories.models.ids import new_id
from memories.recall.phrases import AMONG, FEW, RUN, SEEDS, phrases, shared

WORDS = st.sampled_from(["海滨公园", "的", "alphabet", "betamax", " ", "公园", "表妹"])
TEXTS = st.dictionaries(st.uuids(), st.lists(WORDS).map("".join), min_size=1)


def told(*texts: str) -> dict[UUID, str]:
    return {new_id(): text for text in texts}


def leads(*texts: str, question: str = "", size: int = 100) -> dict[int, dict[int, float]]:
    """Return who leads to whom, by their places."""
    given = told(*texts)
    places = {key: place for place, key in enumerate(given)}
    to = shared(given, question, size)
    return {
        places[key]: {places[seed]: value for seed, value in seeds.items()}
        for key, seeds in to.items()
    }


def test_it_takes_latin_words_whole_and_runs_of_chinese_characters() -> None:
    assert phrases("去 OPPOReno7 海滨公园玩") == {"opporeno7", "海滨公园", "滨公园玩"}
    assert phrases("去 docker 公园 of") == set()


def test_it_leads_to_what_says_the_same_rare_phrase() -> None:
    both = {0: {1: 1.0}, 1: {0: 1.0}}
    assert leads("我去的景区是海滨公园。", "海滨公园的设施有点少。", "今天很累。") == both
    assert leads("My phone is an OPPOReno7.", "The oppoReno7 is quick.") == both


def test_it_follows_nothing_that_the_question_says_itself() -> None:
    texts = ("海滨公园在青岛。", "海滨公园的设施有点少。")
    assert leads(*texts, question="海滨公园怎么样？") == {}


def test_it_counts_the_rarest_of_what_two_say() -> None:
    found = leads("alphabet betamax", "alphabet betamax", "alphabet", "alphabet", size=100)
    assert found[1][0] == 1.0
    assert 0.5 < found[2][0] < 1.0


def test_it_follows_no_phrase_that_many_say() -> None:
    assert leads(*["alphabet"] * (FEW + 1)) == {}
    assert leads(*["alphabet"] * FEW).keys() == set(range(FEW))


def test_it_looks_at_the_best_only() -> None:
    assert leads("alphabet", *["otherwise"] * (AMONG - 1), "alphabet") == {}
    assert leads(*["otherwise"] * SEEDS, "alphabet", "alphabet", "otherwise", "otherwise") == {}


def test_it_knows_one_of_the_family_without_a_name() -> None:
    assert phrases("我表妹36岁") == {"表妹"}


@given(texts=TEXTS, size=st.integers(0, 100_000), question=WORDS)
def test_it_stays_between_nothing_and_one(texts: dict[UUID, str], size: int, question: str) -> None:
    for key, by in shared(texts, question, size).items():
        assert key not in by
        assert by.keys() <= set(list(texts)[:SEEDS])
        assert all(0.0 <= value <= 1.0 for value in by.values())


def test_it_has_phrases_of_one_length() -> None:
    assert {len(phrase) for phrase in phrases("今天我们去海滨公园")} == {RUN}
