"""The pages of agents: who writes, and how far people found them right (F4)."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.identity import issue_key
from memories.models import Agent, Membership, Space
from memories.permissions import Actor
from tests.memories.recall.helpers import jot
from tests.people import member, signed_in
from tests.review.made import decided, opened, undo

pytestmark = pytest.mark.django_db
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def page_of(user: User, agent: Agent | None = None) -> str:
    url = f"/agents/{agent.pk}/" if agent else "/agents/"
    return signed_in(user).get(url).content.decode()


def test_it_lists_the_agents_of_the_space(reviewer: User, actor: Actor, stranger: Actor) -> None:
    jot(actor, "docker")
    page = page_of(reviewer)
    assert "coder" in page
    assert "1 memory" in page
    assert "nobody judged it yet" in page
    assert "stranger" not in page  # D1


def test_it_leads_there_from_every_page(reviewer: User) -> None:
    page = signed_in(reviewer).get("/memories/").content.decode()
    assert '<a href="/agents/">Agents</a>' in page


def test_it_says_that_there_is_no_agent(reviewer: User) -> None:
    assert "No agent yet" in page_of(reviewer)


def test_it_tells_an_agents_credibility_and_what_it_does(reviewer: User, agent: Agent) -> None:
    Agent.objects.filter(pk=agent.pk).update(upheld=2, refuted=8)
    page = page_of(reviewer, agent)
    assert "Density of Beta(10, 10); its mean is 50%" in page
    assert "8 right, 2 wrong" in page
    assert "What it writes keeps 85% of its score." in page  # 0.6 + 0.4 × 0.5 / 0.8
    assert page.count("<path ") == 2


def test_it_takes_nothing_from_an_agent_that_nobody_judged(reviewer: User, agent: Agent) -> None:
    assert "What it writes keeps its whole score." in page_of(reviewer, agent)


def test_another_spaces_agent_does_not_exist(reviewer: User, stranger: Actor) -> None:  # D1
    assert signed_in(reviewer).get(f"/agents/{stranger.id}/").status_code == 404


def test_a_stranger_sees_none_of_it(agent: Agent) -> None:  # D1
    elsewhere = Space.objects.create(slug="other", name="Other")
    sten = signed_in(member(elsewhere, "sten"))
    assert sten.get(f"/agents/{agent.pk}/").status_code == 404
    assert "coder" not in sten.get("/agents/").content.decode()


def test_a_viewer_sees_no_count_of_what_is_private(
    reviewer: User, space: Space, agent: Agent, actor: Actor
) -> None:  # D2
    jot(actor, "docker", visibility="private")
    decided(opened(space, timezone.now() - DAY, agent=agent, visibility="private"), HOUR)
    assert "active 2" in page_of(reviewer, agent)
    Membership.objects.update(role="viewer")
    page = page_of(reviewer, agent)
    assert "active 2" not in page
    assert "Nobody decided on anything it wrote yet." in page


def test_it_tells_what_people_decided_about_what_it_wrote(
    reviewer: User, space: Space, agent: Agent
) -> None:
    now = timezone.now()
    flag = opened(space, now - DAY, agent=agent, source="tool_result")
    decided(flag, HOUR, "keep_old", lessons={str(agent.pk): [0, 1]})
    other = Agent.objects.create(space=space, name="someone else")
    foreign = opened(space, now - DAY, agent=other)
    decided(foreign, HOUR, "reject")
    page = page_of(reviewer, agent)
    assert f'<a href="/review/{flag.pk}/">the old one is kept</a>' in page
    assert "found wrong</span>" in page
    assert "tool result" in page
    assert "0 of 1" in page
    assert str(foreign.pk) not in page


def test_it_tells_of_decisions_on_the_other_of_two(
    reviewer: User, space: Space, agent: Agent
) -> None:
    its = opened(space, timezone.now() - DAY, agent=agent).memory
    flag = opened(
        space, timezone.now() - DAY, kind="near_duplicate", counterpart=its, counterpart_version=1
    )
    decided(flag, HOUR, "keep_old", lessons={str(agent.pk): [1, 0]})
    page = page_of(reviewer, agent)
    assert f'href="/memories/{its.pk}/"' in page
    assert "upheld</span>" in page


def test_it_marks_what_was_undone(reviewer: User, space: Space, agent: Agent) -> None:
    made = decided(
        opened(space, timezone.now() - DAY, agent=agent), HOUR, lessons={str(agent.pk): [1, 0]}
    )
    undo(made)
    page = page_of(reviewer, agent)
    assert "undone</span>" in page
    assert "upheld</span>" not in page


def test_it_shows_keys_without_their_secret(reviewer: User, agent: Agent) -> None:
    valid, secret = issue_key(agent)
    expired, _secret = issue_key(agent, scopes=["read"], expires_at=timezone.now() - DAY)
    page = page_of(reviewer, agent)
    assert f"{valid.hint}…" in page
    assert f"{expired.hint}…" in page
    assert ">valid<" in page
    assert ">expired<" in page
    assert secret not in page
    assert valid.digest not in page


def test_it_shows_a_memory_as_text(reviewer: User, space: Space, agent: Agent) -> None:  # F2
    flag = opened(space, timezone.now() - DAY, agent=agent)
    type(flag.memory).objects.filter(pk=flag.memory_id).update(content="<script>x</script>\u200b")
    decided(flag, HOUR)
    page = page_of(reviewer, agent)
    assert "&lt;script&gt;x&lt;/script&gt;" in page
    assert "⟦U+200B⟧" in page


def test_it_leads_to_everything_that_it_wrote(reviewer: User, space: Space) -> None:
    odd = Agent.objects.create(space=space, name="a&b/c")
    assert 'href="/memories/?status=any&amp;agent=a%26b%2Fc"' in page_of(reviewer, odd)


def test_it_asks_as_often_however_much_there_is(
    reviewer: User, space: Space, agent: Agent, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = signed_in(reviewer)
    for url, queries in (("/agents/", 10), (f"/agents/{agent.pk}/", 13)):
        with django_assert_num_queries(queries):
            client.get(url)
    for number in range(6):
        decided(opened(space, timezone.now() - DAY, agent=agent), HOUR)
        Agent.objects.create(space=space, name=f"agent {number}")
        issue_key(agent)
    for url, queries in (("/agents/", 10), (f"/agents/{agent.pk}/", 13)):
        with django_assert_num_queries(queries):
            client.get(url)
