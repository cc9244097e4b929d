"""QueueFilter: what an address asks for, and which flags that lets through (G, inbox)."""

from datetime import timedelta

import pytest
from django.http import QueryDict
from django.utils import timezone

from hindsight_site.accounts.models import User
from memories.identity import actor_for_user, system_actor
from memories.models import Agent, Flag, Memory, Space
from memories.permissions import Actor
from review.claims import claim
from review.filters import QueueFilter, looked_at, queue_filter
from tests.people import member
from tests.review.rows import flagged

pytestmark = pytest.mark.django_db


def found(actor: Actor, query: str) -> list[str]:
    """Return the beginnings of what a filter lets through."""
    condition = queue_filter(QueryDict(query)).condition(actor, timezone.now())
    flags = Flag.objects.visible_to(actor).filter(condition).order_by("pk")
    return [flag.memory.content for flag in flags]


def test_it_reads_what_it_knows_and_ignores_the_rest() -> None:
    given = queue_filter(QueryDict("kind=conflict&age=week&sort=sideways&language=fr&nonsense=1"))
    assert given == QueueFilter(kind="conflict", age="week")


def test_it_keeps_a_strange_text_as_text() -> None:
    assert queue_filter({"text": " a\x00b \ud800 "}).text == "a�b �"
    assert len(queue_filter({"text": "x" * 5000}).text) == 200


@pytest.mark.parametrize(
    "query", ["", "kind=pending", "text=docker+%E9%83%A8%E7%BD%B2&sort=newest", "state=decided"]
)
def test_it_is_written_as_it_was_read(query: str) -> None:
    assert queue_filter(QueryDict(query)).query() == query


def test_it_knows_whether_anything_but_the_tab_was_chosen() -> None:
    assert not QueueFilter(kind="conflict", state="snoozed", sort="oldest").narrowed
    assert QueueFilter(agent="coder").narrowed


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("kind=pending", True),
        ("kind=conflict", False),
        ("reason=low_confidence", True),
        ("reason=negation", False),
        ("agent=coder", True),
        ("agent=cod", False),
        ("user_id=anna", True),
        ("user_id=ann", False),
        ("session=s-7", True),
        ("session=s-8", False),
        ("source=tool_result", True),
        ("source=person", False),
        ("confidence=low", False),
        ("confidence=middle", True),
        ("confidence=high", False),
        ("assignee=nobody", True),
        ("assignee=me", False),
        ("assignee=ada", False),
        ("age=day", True),
        ("age=older", False),
        ("state=snoozed", False),
        ("state=decided", False),
    ],
)
def test_it_narrows(actor: Actor, person: Actor, query: str, shown: bool) -> None:
    flagged(
        actor,
        "It listens on 8080.",
        user_id="anna",
        session="s-7",
        source="tool_result",
        confidence=0.6,
    )
    assert bool(found(person, query)) is shown


@pytest.mark.parametrize(
    ("confidence", "band"),
    [(0.0, "low"), (0.59, "low"), (0.6, "middle"), (0.79, "middle"), (0.8, "high"), (1.0, "high")],
)
def test_it_knows_three_bands_of_confidence(
    actor: Actor, person: Actor, confidence: float, band: str
) -> None:
    flagged(actor, "It listens on 8080.", confidence=confidence)
    hits = [one for one in ("low", "middle", "high") if found(person, f"confidence={one}")]
    assert hits == [band]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("zh", "每周二部署订单服务。"),
        ("en", "Deploy on Tuesday."),
        ("mixed", "docker 部署要等一分钟。"),
    ],
)
def test_it_tells_languages_apart(
    actor: Actor, person: Actor, language: str, expected: str
) -> None:
    for text in ("每周二部署订单服务。", "Deploy on Tuesday.", "docker 部署要等一分钟。"):
        flagged(actor, text)
    assert found(person, f"language={language}") == [expected]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("部署", 2),  # a bigram
        ("部署服务", 1),  # every bigram of it
        ("docker 部署", 1),
        ("部", 2),  # a character alone has no entry in the index
        ("DEPLOYED", 1),  # stems, not letters
        ("http_proxy", 1),  # an identifier whole
        ("prox", 1),  # and its beginning
        ("docker proxy", 0),  # every word
        ("the", 1),  # a stop word is looked for as it is
        ("anna", 1),  # the user it is about
        ("' | 'x & (", 0),
    ],
)
def test_it_searches_both_languages(actor: Actor, person: Actor, text: str, count: int) -> None:
    flagged(actor, "每周二部署服务。")
    flagged(actor, "docker 部署要等一分钟。")
    flagged(actor, "It is deployed with HTTP_PROXY by the captain.", user_id="anna")
    assert len(found(person, QueueFilter(text=text).query())) == count


def test_it_searches_the_counterpart_too(actor: Actor, person: Actor) -> None:
    flagged(actor, "It listens on 8080.", against="It listens on MySQL's port.")
    assert found(person, "text=mysql") == ["It listens on 8080."]


def test_it_finds_what_sleeps_until_it_wakes(actor: Actor, person: Actor) -> None:
    flag = flagged(actor, "It listens on 8080.")
    Flag.objects.filter(pk=flag.pk).update(snoozed_until=timezone.now() + timedelta(hours=1))
    assert (found(person, ""), len(found(person, "state=snoozed"))) == ([], 1)
    Flag.objects.filter(pk=flag.pk).update(snoozed_until=timezone.now() - timedelta(seconds=1))
    assert (len(found(person, "")), found(person, "state=snoozed")) == (1, [])


def test_it_finds_who_it_is_assigned_to(actor: Actor, person: Actor, reviewer: User) -> None:
    flag = flagged(actor, "It listens on 8080.")
    Flag.objects.filter(pk=flag.pk).update(assignee=reviewer)
    hits = [len(found(person, f"assignee={who}")) for who in ("me", "rui", "nobody", "ada")]
    assert hits == [1, 1, 0, 0]


def test_it_finds_nothing_by_the_words_of_another_space(
    stranger: Actor, person: Actor
) -> None:  # D1
    flagged(stranger, "The vault code is 7731.", user_id="anna")
    assert found(person, "text=vault") == []
    assert found(person, "text=anna") == []
    assert found(person, "user_id=anna") == []


def test_it_finds_nothing_by_private_words_for_a_viewer(
    actor: Actor, person: Actor, space: Space
) -> None:  # D1
    flagged(actor, "The vault code is 7731.", visibility="private")
    viewer = actor_for_user(member(space, "vera", "viewer"))
    assert viewer is not None
    assert found(viewer, "text=vault") == []
    assert found(person, "text=vault") == ["The vault code is 7731."]


def test_it_knows_what_others_look_at(actor: Actor, person: Actor) -> None:
    flag, now = flagged(actor, "It listens on 8080."), timezone.now()
    claim(actor=person, flag=flag)
    other = system_actor(flag.space_id)
    assert not Flag.objects.filter(looked_at(person, now)).exists()
    assert Flag.objects.filter(looked_at(other, now)).exists()
    assert not Flag.objects.filter(looked_at(other, now + timedelta(hours=9))).exists()


def test_it_is_the_new_memory_that_agent_and_source_are_of(actor: Actor, person: Actor) -> None:
    flag = flagged(actor, "It listens on 8080.", against="It listens on 9090.")
    other = Agent.objects.create(space=flag.space, name="other")
    Memory.objects.filter(counter_flags=flag).update(agent=other, source="person")
    assert found(person, "agent=other") == found(person, "source=person") == []
