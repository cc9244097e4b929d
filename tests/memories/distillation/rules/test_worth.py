"""What a statement is worth, by signs that a person can check."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.distillation.rules.sorting import Names
from memories.distillation.rules.worth import WEIGHTS, signals, worth_of

NAMES = Names(["Ann", "Bob"])


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("I'm allergic to nuts.", "health"),
        ("我吃素。", "health"),
        ("Remember that we meet.", "remember"),
        ("以后都用英文。", "remember"),
        ("You must not merge it.", "constraint"),
        ("禁止直接上线。", "constraint"),
        ("We settled on Go.", "decision"),
        ("我们决定了。", "decision"),
        ("That's wrong.", "correction"),
        ("更正一下。", "correction"),
        ("My favourite is tea.", "preference"),
        ("我讨厌香菜。", "preference"),
        ("I live in Rome.", "identity"),
        ("我叫小明。", "identity"),
        ("My sister came.", "relation"),
        ("我女儿来了。", "relation"),
        ("I bought a car.", "possession"),
        ("我买了车。", "possession"),
        ("I never drive to work.", "habit"),
        ("我会弹钢琴。", "habit"),
        ("The app runs on port 80.", "technical"),
        ("服务部署在上海。", "technical"),
        ("The server crashed.", "incident"),
        ("服务宕机。", "incident"),
        ("The reason was DNS.", "discovery"),
        ("根因是缓存。", "discovery"),
        ("I'm planning to move.", "plan"),
        ("我打算搬家。", "plan"),
        ("We met in Oslo.", "named"),
        ("见《活着》。", "named"),
        ("see config.yml", "named"),
        ("It took three weeks.", "number"),
        ("花了三天。", "number"),
        ("We met last week.", "time"),
        ("上周见过。", "time"),
        ("Maybe it is so.", "hedge"),
        ("也许是这样。", "hedge"),
        ("It was blue.", "dangling"),
        ("它是蓝的。", "dangling"),
        ("That is so nice of you and all the others.", "talk"),
        ("What you do.", "you"),
        ("你去。", "you"),
    ],
)
def test_it_reads_the_signs(text: str, sign: str) -> None:
    assert signals(text, NAMES).get(sign, 0) > 0


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("I must have slept.", "constraint"),
        ("她不太同意。", "decision"),
        ("Thanks Bob for the tea.", "named"),  # who is addressed says nothing
        ("This ring is old.", "dangling"),
        ("这枚戒指很旧。", "dangling"),
        ("I know it.", "number"),
        ("I need it.", "past"),
        ("我吃饱了。", "habit"),
    ],
)
def test_it_does_not_read_them_elsewhere(text: str, sign: str) -> None:
    assert sign not in signals(text, NAMES)


def test_every_sign_has_a_weight() -> None:
    every = "I'm allergic. Remember that, you must. It's 3. Maybe thanks to Oslo I felt great."
    assert signals(every, NAMES).keys() <= WEIGHTS.keys()


def test_a_sign_for_keeping_adds_and_one_against_it_takes() -> None:
    assert worth_of({"health": 1.0}) > worth_of({}) > worth_of({"talk": 1.0})


@given(st.dictionaries(st.sampled_from(sorted(WEIGHTS)), st.floats(-1, 1)))
def test_worth_is_a_share(signs: dict[str, float]) -> None:
    assert 0 <= worth_of(signs) <= 1


@given(st.text(max_size=200))
def test_signs_are_shares_of_any_text(text: str) -> None:
    assert all(0 <= value <= 1 for value in signals(text, NAMES).values())
