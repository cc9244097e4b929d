"""Equal quantities have equal canonical forms, whatever the unit, language or digits."""

import pytest

from memories.writing.compare.tokens import tokenize


def values(text: str) -> list[str]:
    kinds = ("word", "char", "name")
    return [token.canon for token in tokenize(text) if token.kind not in kinds]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2 GB", "2048 MB"),
        ("14 days", "两周"),
        ("half an hour", "30 分钟"),
        ("1.5 hours", "90 min"),
        ("one and a half hours", "1.5 小时"),
        ("9 am", "09:00"),
        ("下午四点", "4 pm"),
        ("上午十点半", "10:30"),
        ("noon", "中午12点"),
        ("15 December", "12 月 15 日"),
        ("May 4th, 2027", "2027-05-04"),
        ("五月十四号", "14 May"),
        ("Tuesday", "周二"),
        ("twenty-one", "21"),
        ("三百二十个", "320"),
        ("２０２７年３月", "March 2027"),
        ("1,050 euros", "1050 欧元"),
        ("$20", "20 美元"),
        ("5k", "5000"),
        ("3万", "30000"),
        ("百分之八十", "80%"),
        ("v1.8.2", "1.8.2"),
        ("second", "第二"),
        ("8 years", "96 个月"),
        ("200 cm", "2 米"),
    ],
)
def test_it_reads_equal_values_alike(one: str, other: str) -> None:
    assert values(one) == values(other) != []


@pytest.mark.parametrize(
    "text", ["一点也不", "一个人", "二手", "三亚", "the user may stay", "万一"]
)
def test_it_does_not_take_idioms_for_numbers(text: str) -> None:
    assert not any("=" in value or ":" in value for value in values(text))


@pytest.mark.parametrize("name", ["stg-04.internal", "us-east-1", "main.py", "max_connections2"])
def test_it_keeps_identifiers_whole(name: str) -> None:
    assert [token.text for token in tokenize(name)] == [name]
