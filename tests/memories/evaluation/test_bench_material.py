"""What the bench says and asks: of users as large as planned, about what they know, once each."""

import pytest
from django.utils import timezone

from memories.evaluation import filling
from memories.evaluation.corpus import owned, question
from memories.evaluation.filling import fill, sizes
from memories.evaluation.material import Material
from memories.evaluation.vectors import about
from memories.models import Hit, Memory, Space


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [((7, 3), [3, 2, 2]), ((7, 3, 4), [4, 2, 1]), ((5, 1, 5), [5])],
)
def test_it_divides_the_memories(arguments: tuple[int, ...], expected: list[int]) -> None:
    assert sizes(*arguments) == expected


@pytest.mark.parametrize("owner", [0, 1])
def test_it_asks_about_what_an_owner_knows(owner: int) -> None:
    known = {about(one.content) for one in owned(owner, 300, timezone.now())}
    asked = [question(owner, number, 300) for number in range(400)]
    assert len(set(asked)) == 400
    assert len({about(text) for text in asked}) > 200
    assert sum(about(text) in known for text in asked) > 390


def test_it_says_and_asks_nothing_twice() -> None:
    material = Material(90, 3, 0)
    asked = material.questions(60) + material.questions(60)
    assert len({said.text for said in asked}) == 120
    assert {said.user_id for said in asked} == {"user-0", "user-1", "user-2"}
    told = material.statements(60) + material.statements(60)
    known = {one.content for owner in range(3) for one in owned(owner, 30, timezone.now())}
    assert len({(said.text, said.user_id) for said in told}) == 120
    assert not known & {said.text for said in told if said.user_id != "user-2"}


def test_it_asks_only_the_one_that_has_most() -> None:
    material = Material(90, 3, 80)
    assert {said.user_id for said in material.questions(9) + material.statements(9)} == {"user-0"}


@pytest.mark.django_db
def test_it_fills_one_owner_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filling, "CHUNK", 30)
    space = Space.objects.create(slug="filled", name="Filled")
    fill(space, 100, 2, "e5", lambda _line: None, largest=95)
    rows = Memory.objects.filter(space=space)
    assert rows.filter(user_id="user-0").count() == 95
    assert rows.values("content_hash").distinct().count() == 100
    assert not rows.filter(embedding__isnull=True).exists()
    for memory in rows:
        assert Hit.objects.filter(memory=memory).count() == memory.recall_count
