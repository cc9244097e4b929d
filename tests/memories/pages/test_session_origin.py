"""Where a memory came from, on its own page and beside a decision (G2)."""

import pytest
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.models import Memory, Session, Space
from memories.pages.session_origin import MOST, origins_of
from memories.permissions import Actor
from memories.writing import write_memory
from tests.memories.pages.looked_back import QUOTE, candidate, looked_back, recorded
from tests.people import conflict, member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def memory(actor: Actor) -> Memory:
    return write_memory(actor=actor, content="The team uses tabs.").memory


def text_of(user: User, memory: Memory) -> str:
    return signed_in(user).get(f"/memories/{memory.pk}/").content.decode()


def test_it_shows_the_excerpt_with_the_quote(reviewer: User, actor: Actor, memory: Memory) -> None:
    session = recorded(actor)
    run = looked_back(session, candidate(memory=memory))
    page = text_of(reviewer, memory)
    assert f'<mark class="kept">{QUOTE}</mark>' in page
    assert f'href="/sessions/{session.pk}/?run={run.pk}&amp;from=1#turn-1"' in page


def test_it_shows_the_turns_around_the_quote_and_no_more(
    person: Actor, actor: Actor, memory: Memory
) -> None:
    looked_back(recorded(actor), candidate(memory=memory, turns=[2, 4], quote=""))
    [origin] = origins_of(person, [memory])[memory.pk]
    assert [entry.turn.number for entry in origin.excerpt] == [1, 2, 3]


def test_it_shows_no_excerpt_where_no_turn_is_named(
    person: Actor, actor: Actor, memory: Memory
) -> None:
    looked_back(recorded(actor), candidate(memory=memory, turns=[]))
    [origin] = origins_of(person, [memory])[memory.pk]
    assert (origin.turn, list(origin.excerpt)) == (None, [])


def test_it_keeps_the_quote_when_the_turns_are_gone(
    reviewer: User, actor: Actor, memory: Memory
) -> None:  # A2
    session = recorded(actor)
    looked_back(session, candidate(memory=memory))
    session.turns.all().delete()
    Session.objects.filter(pk=session.pk).update(purged_through=4)
    page = text_of(reviewer, memory)
    assert QUOTE in page
    assert "The turns themselves were removed" in page
    assert "#turn-1" not in page


def test_it_leads_to_the_session_in_which_an_agent_wrote_it(reviewer: User, actor: Actor) -> None:
    session = recorded(actor, key="s-9", task="Indent")
    memory = write_memory(actor=actor, content="Tabs it is.", session="s-9").memory
    page = text_of(reviewer, memory)
    assert "Written by coder during the session" in page
    assert f'href="/sessions/{session.pk}/"' in page


def test_it_shows_no_session_that_may_not_be_seen(
    space: Space, actor: Actor, memory: Memory
) -> None:  # D1
    session = recorded(actor, visibility="private")
    looked_back(session, candidate(memory=memory))
    other = write_memory(actor=actor, content="Tabs it is.", session="s-1").memory
    viewer = member(space, "vera", "viewer")
    for one in (memory, other):
        assert "Where this came from" not in text_of(viewer, one)
        assert "Where this came from" in text_of(member(space, f"ada-{one.pk}"), one)


def test_it_does_not_take_anothers_session_of_the_same_name(
    reviewer: User, actor: Actor, teammate: Actor
) -> None:
    recorded(teammate, key="s-9")
    memory = write_memory(actor=actor, content="Tabs it is.", session="s-9").memory
    assert "Where this came from" not in text_of(reviewer, memory)


def test_it_says_nothing_of_what_was_dropped(reviewer: User, actor: Actor, memory: Memory) -> None:
    looked_back(recorded(actor), candidate("dropped", "echo", memory=memory))
    assert "Where this came from" not in text_of(reviewer, memory)


def test_it_shows_the_newest_of_many(person: Actor, actor: Actor, memory: Memory) -> None:
    for n in range(MOST + 1):
        said = candidate("merged", "reinforced", memory=memory)
        looked_back(recorded(actor, key=f"s-{n}"), said)
    found = [origin.session.key for origin in origins_of(person, [memory])[memory.pk]]
    assert found == [f"s-{n}" for n in range(MOST, 0, -1)]


def test_it_asks_three_questions_however_many_memories(
    person: Actor, actor: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    contents = ("Tabs it is.", "Coffee is hot.", "The gate is green.", "Sue sails.")
    memories = [write_memory(actor=actor, content=text, session="s-0").memory for text in contents]
    recorded(actor, key="s-0")
    for n, memory in enumerate(memories[:3], 1):
        looked_back(recorded(actor, key=f"s-{n}"), candidate(memory=memory))
    with django_assert_num_queries(3):
        assert len(origins_of(person, memories)) == 4


def test_it_is_evidence_beside_a_decision(reviewer: User, space: Space, actor: Actor) -> None:  # G2
    flag = conflict(actor)
    looked_back(recorded(actor), candidate("flagged", "conflict", memory=flag.memory))
    page = signed_in(reviewer).get(f"/review/{flag.pk}/").content.decode()
    assert f'<mark class="flagged">{QUOTE}</mark>' in page
    Session.objects.update(visibility="private")
    viewer = member(space, "vera", "viewer")
    assert QUOTE not in signed_in(viewer).get(f"/review/{flag.pk}/").content.decode()
