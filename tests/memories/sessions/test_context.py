"""recall_context(): the right session, the right query, and an honest block (A1, D1, H3)."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from pytest_django import Settings

from memories.errors import Invalid, NotAllowed, NotFound
from memories.models import Agent, Flag, Recall, Session, Turn
from memories.models.policy import Policy
from memories.permissions import Actor
from memories.recall.question import MAX_QUERY
from memories.sessions import record_turns
from memories.sessions.context import Context, recall_context
from memories.sessions.echo import CLOSING, OPENING, without_injected
from memories.sessions.working import working_memory_of
from memories.text.budget import tokens
from tests.memories.recall.helpers import jot, remember
from tests.services import free_port


@pytest.fixture
def redis_away(settings: Settings) -> str:
    """Redis does not answer; returns the URL where it does."""
    real: str = settings.REDIS_URL
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    return real


@pytest.fixture
def embedder_away(settings: Settings) -> None:
    settings.EMBEDDER_URL = "http://127.0.0.1:9/v1"


def say(actor: Actor, *contents: str, session: str = "s", user_id: str = "", **said: Any) -> None:
    turns = [{"content": content, **said} for content in contents]
    record_turns(actor=actor, session=session, user_id=user_id, turns=turns)


def contents(context: Context) -> list[str]:
    return [hit.memory.content for hit in context.hits]


def test_it_makes_one_block_of_memories_and_turns(actor: Actor, embedder: str) -> None:  # H3
    remember(actor, "用 docker 部署 the billing service to k8s-prod-01")
    say(actor, "Good morning", "docker 部署到哪里？")
    context = recall_context(actor=actor, session="s")
    lines = context.text.splitlines()
    assert lines[0] == OPENING
    assert lines[2].endswith("user_input · 1.00] 用 docker 部署 the billing service to k8s-prod-01")
    assert lines[3] == CLOSING
    assert [line.rpartition(": ")[2] for line in lines[-3:-1]] == [
        "Good morning",
        "docker 部署到哪里？",
    ]
    assert contents(context) == ["用 docker 部署 the billing service to k8s-prod-01"]
    assert [turn.number for turn in context.turns] == [1, 2]
    assert (context.degraded, context.left_out) == ((), 0)
    assert context.tokens == tokens(context.text)


def test_it_leaves_nothing_of_its_own_to_distil(actor: Actor, embedder_away: None) -> None:  # B9
    jot(actor, "deploy with docker")
    say(actor, "deploy docker")
    text = recall_context(actor=actor, session="s").text
    assert without_injected(f"{text}\nNext question").strip() == "Next question"


def test_it_logs_what_it_recalled_into_the_session(actor: Actor, embedder_away: None) -> None:  # B9
    fact = jot(actor, "deploy with docker", user_id="ann")
    say(actor, "How to deploy?", user_id="ann")
    recall_context(actor=actor, session="s", user_id="ann")
    logged = Recall.objects.get()
    assert (logged.session, logged.user_id, logged.query) == ("s", "ann", "How to deploy?")
    assert logged.hits.get().memory == fact


def test_it_asks_what_was_given(actor: Actor, embedder_away: None) -> None:
    jot(actor, "deploy with docker")
    jot(actor, "the cat sleeps")
    say(actor, "deploy docker")
    assert contents(recall_context(actor=actor, session="s", query=" cat ")) == ["the cat sleeps"]


def test_it_asks_the_end_of_a_long_query(actor: Actor, embedder_away: None) -> None:
    say(actor, "x")
    recall_context(actor=actor, session="s", query="a" * 9_000 + " which cat?")
    assert Recall.objects.get().query == ("a" * 9_000 + " which cat?")[-MAX_QUERY:]


def test_it_asks_the_last_words_of_the_user_not_of_others(
    actor: Actor, embedder_away: None
) -> None:
    say(actor, "first", "which cat?")
    say(actor, "I do not know.", role="assistant")
    say(actor, "", type="tool_result", tool="sql", error="no such table", ok=False)
    recall_context(actor=actor, session="s")
    assert Recall.objects.get().query == "which cat?"


def test_it_asks_what_the_user_said_before_many_tool_calls(
    actor: Actor, embedder_away: None
) -> None:
    say(actor, "which cat?")
    say(actor, *map(str, range(20)), type="tool_result", tool="sql")
    context = recall_context(actor=actor, session="s")
    assert Recall.objects.get().query == "which cat?"
    assert [turn.number for turn in context.turns] == list(range(7, 22))


def test_it_asks_what_the_user_said_beside_recalled_context(
    actor: Actor, embedder_away: None
) -> None:  # B9
    say(actor, f"{OPENING}\nold news\n{CLOSING}\nwhich cat?")
    context = recall_context(actor=actor, session="s")
    assert Recall.objects.get().query == "which cat?"
    assert "old news" not in context.text


def test_it_says_what_to_do_without_a_query_and_without_words(
    actor: Actor, embedder_away: None
) -> None:
    say(actor, "I begin.", role="assistant")
    with pytest.raises(Invalid, match="pass a query, or record what the user said"):
        recall_context(actor=actor, session="s")


def test_it_keeps_to_a_budget(actor: Actor, embedder_away: None) -> None:
    for i in range(5):
        jot(actor, f"deploy docker {i} " + "d" * 120)
    say(actor, *(f"deploy docker {i} " + "t" * 120 for i in range(15)))
    for budget in (100, 300, 700):
        context = recall_context(actor=actor, session="s", query="deploy docker", budget=budget)
        assert budget / 2 < context.tokens <= budget
        assert len(context.hits) + context.left_out == 5
        assert (f"({context.left_out} more did not fit.)" in context.text) == (context.left_out > 0)
    assert context.left_out < 3


def test_it_gives_memories_what_the_turns_do_not_need(actor: Actor, embedder_away: None) -> None:
    for i in range(5):
        jot(actor, f"deploy docker {i} " + "d" * 120)
    say(actor, "deploy docker")
    context = recall_context(actor=actor, session="s", budget=450)
    assert len(context.hits) == 5


def test_its_budget_is_the_policys_unless_given(
    actor: Actor, agent: Agent, embedder_away: None
) -> None:
    say(actor, "deploy " + "t" * 9_000)
    usual = recall_context(actor=actor, session="s")
    Policy.objects.create(space=agent.space, numbers={"sessions": {"context_tokens": 200}})
    small = recall_context(actor=actor, session="s")
    assert 650 < usual.tokens <= 750
    assert 70 < small.tokens <= 100
    assert f"[… {small.turns[0].left_out} more characters]" in small.text
    assert len(small.turns[0].text) + small.turns[0].left_out == 9_007


@pytest.mark.parametrize("budget", [99, 20_001, 0, -1, True, 150.0, "200"])
def test_it_refuses_an_unusable_budget(actor: Actor, space: object, budget: Any) -> None:
    say(actor, "x")
    with pytest.raises(Invalid, match="from 100 to 20000"):
        recall_context(actor=actor, session="s", budget=budget)


@pytest.mark.parametrize("query", [5, None, ["x"]])
def test_it_refuses_a_query_that_is_no_text(actor: Actor, query: Any) -> None:
    say(actor, "x")
    with pytest.raises(Invalid, match="must be text"):
        recall_context(actor=actor, session="s", query=query)


def test_it_knows_no_session_but_the_agents_own(
    actor: Actor, teammate: Actor, stranger: Actor, person: Actor, embedder_away: None
) -> None:  # D1
    say(actor, "secret of no user")
    say(actor, "secret of Ann", session="anns", user_id="ann")
    asked = [
        (actor, "missing", ""),
        (actor, "s", "bob"),
        (actor, "anns", ""),
        (actor, "anns", "bob"),
        (teammate, "s", ""),
        (teammate, "anns", "ann"),
        (stranger, "s", ""),
        (stranger, "anns", "ann"),
        (person, "s", ""),
    ]
    answers = set()
    for who, session, user_id in asked:
        with pytest.raises(NotFound) as caught:
            recall_context(actor=who, session=session, user_id=user_id, query="secret")
        answers.add(caught.value.message)
    assert len(answers) == 1
    assert not Recall.objects.exists()


def test_it_shows_nothing_foreign_under_the_same_name(
    actor: Actor, teammate: Actor, stranger: Actor, embedder_away: None
) -> None:  # D1, D2
    for other in (teammate, stranger):
        say(other, "foreign turn about docker")
    say(actor, "foreign turn of Bob about docker", user_id="bob")
    jot(stranger, "foreign docker memory")
    jot(teammate, "foreign docker memory, private", visibility="private")
    jot(actor, "foreign docker memory of Bob", user_id="bob")
    jot(actor, "our docker memory")
    say(actor, "docker?")
    context = recall_context(actor=actor, session="s", budget=20_000)
    assert "foreign" not in context.text
    assert contents(context) == ["our docker memory"]


def test_it_needs_the_right_to_read(actor: Actor) -> None:
    say(actor, "x")
    with pytest.raises(NotAllowed):
        recall_context(
            actor=Actor("agent", actor.id, "w", actor.space_id, frozenset({"write"})), session="s"
        )


def test_it_says_disputed(actor: Actor, embedder_away: None) -> None:  # E3
    old, new = jot(actor, "docker runs on port 80"), jot(actor, "docker runs on port 81")
    Flag.objects.create(
        space_id=actor.space_id,
        kind=Flag.Kind.CONFLICT,
        memory=new,
        memory_version=1,
        counterpart=old,
        counterpart_version=1,
    )
    say(actor, "docker port?")
    assert recall_context(actor=actor, session="s").text.count(" · disputed] docker runs") == 2


def test_it_takes_the_turns_from_postgresql_while_redis_is_away(
    actor: Actor, redis_away: str, embedder_away: None
) -> None:
    jot(actor, "deploy with docker")
    say(actor, *(f"turn {i}" for i in range(20)))
    context = recall_context(actor=actor, session="s", query="deploy docker")
    assert context.degraded == ("working_memory", "embedder")
    assert [turn.number for turn in context.turns] == list(range(6, 21))
    assert contents(context) == ["deploy with docker"]


@pytest.mark.parametrize("cap", [2, 15])
@pytest.mark.parametrize("missed", [{"one"}, {"two"}, {"three"}, {"one", "two"}])
def test_it_takes_from_postgresql_what_redis_missed(
    actor: Actor,
    settings: Settings,
    redis_away: str,
    embedder_away: None,
    missed: set[str],
    cap: int,
) -> None:
    Agent.objects.filter(name=actor.name).update(working_turns=cap)
    away = settings.REDIS_URL
    for text in ("one", "two", "three"):
        settings.REDIS_URL = away if text in missed else redis_away
        say(actor, text)
    settings.REDIS_URL = redis_away
    assert shown(actor) == ["one", "two", "three"][-cap:]


def shown(actor: Actor) -> list[str]:
    context = recall_context(actor=actor, session="s")
    assert "working_memory" not in context.degraded
    return [turn.text for turn in context.turns]


def an_hour_passes() -> None:
    """Make the recorded turns an hour older and let working memory vanish."""
    Turn.objects.update(created_at=F("created_at") - timedelta(hours=1))
    working_memory_of(Session.objects.get()).clear()


def test_its_turns_vanish_after_their_time(
    actor: Actor, settings: Settings, embedder_away: None
) -> None:  # A1
    say(actor, "which cat?")
    working_memory_of(Session.objects.get()).clear()
    assert shown(actor) == ["which cat?"]
    an_hour_passes()
    assert shown(actor) == []
    say(actor, "and now?")
    assert shown(actor) == ["and now?"]
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    context = recall_context(actor=actor, session="s")
    assert [turn.text for turn in context.turns] == ["and now?"]


def test_its_turns_stay_while_the_session_goes_on(actor: Actor, embedder_away: None) -> None:  # A1
    for text in ("one", "two", "three"):
        Turn.objects.update(created_at=F("created_at") - timedelta(minutes=40))
        say(actor, text)
    working_memory_of(Session.objects.get()).clear()
    assert shown(actor) == ["one", "two", "three"]


def test_it_is_empty_when_nothing_is_known(actor: Actor, embedder_away: None) -> None:  # C7
    say(actor, "which cat?")
    an_hour_passes()
    context = recall_context(actor=actor, session="s")
    assert (context.text, context.tokens, context.hits) == ("", 0, ())
