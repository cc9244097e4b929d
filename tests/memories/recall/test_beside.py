"""What was told just before and after a memory in its session speaks for it, too (C1)."""

from datetime import timedelta
from typing import Any

import pytest

from memories.models import Memory
from memories.permissions import Actor
from memories.policies import RecallPolicy
from memories.recall.arms import LEADING, Beside, Candidate, Proposed, propose
from memories.recall.question import asked
from memories.recall.ranking import Ranking, Setting, ranked
from tests.memories.recall.helpers import NOW, candidate, jot

SETTING = Setting(now=NOW, unrelated=0.75)
POLICY = RecallPolicy()


def proposed(actor: Actor, query: str, **given: Any) -> dict[str, Candidate]:
    """Return what is proposed by words alone, by its text."""
    scope = Memory.objects.visible_to(actor).live()
    plain: dict[str, Any] = {"vector": None, "model": "", "limit": 50, "recent": 0}
    found = propose(scope, asked(query, NOW), **plain | given).candidates
    texts = Memory.objects.in_bulk([one.id for one in found])
    return {texts[one.id].content: one for one in found}


def talk(actor: Actor, *texts: str, session: str = "s", **fields: Any) -> list[Memory]:
    """Store what was said in a session, one after the other within one minute."""
    return [jot(actor, text, session=session, happened_at=NOW, **fields) for text in texts]


def scores(*candidates: Candidate, policy: RecallPolicy = POLICY) -> Ranking:
    return ranked(Proposed(candidates, 10.0, 0.7, 0.95), policy, SETTING)


@pytest.mark.django_db
def test_it_proposes_what_stands_beside_a_good_match(actor: Actor) -> None:
    talk(actor, "Which lake do you swim in?", "The one behind the mill.", "Nice.", "Bye.")
    found = proposed(actor, "swim lake")
    assert set(found) == {"Which lake do you swim in?", "The one behind the mill."}
    answer = found["The one behind the mill."]
    assert (answer.bm25, answer.after) == (0.0, Beside(0.0, None))
    assert answer.before is not None
    assert answer.before.bm25 == found["Which lake do you swim in?"].bm25 > 0


@pytest.mark.django_db
def test_it_keeps_to_the_order_of_telling(actor: Actor) -> None:
    """By when it happened, and by when it was written where that is the same."""
    jot(actor, "late", session="s", happened_at=NOW + timedelta(hours=1))
    jot(actor, "swim", session="s", happened_at=NOW)
    jot(actor, "early", session="s", happened_at=NOW - timedelta(hours=1))
    found = proposed(actor, "swim")
    assert set(found) == {"early", "swim", "late"}
    assert (found["early"].before, found["late"].after) == (None, None)


@pytest.mark.django_db
def test_it_crosses_neither_sessions_nor_owners(actor: Actor, teammate: Actor) -> None:  # D1
    """The same name of a session is another session for another agent or user."""
    talk(actor, "I swim in the lake.")
    talk(actor, "another session", session="t")
    talk(actor, "no session", session="")
    talk(actor, "another user", user_id="alice")
    talk(teammate, "another agent")
    seen = proposed(actor.acting_for("alice"), "swim lake")
    assert set(seen) == {"I swim in the lake."}
    assert (seen["I swim in the lake."].before, seen["I swim in the lake."].after) == (None, None)


@pytest.mark.django_db
def test_it_sees_no_neighbour_that_the_actor_does_not_see(actor: Actor) -> None:  # D1, F2
    talk(actor, "before the match")
    talk(actor, "hidden instruction", withheld=True)
    talk(actor, "I swim in the lake.")
    talk(actor, "deleted since", status="deleted")
    found = proposed(actor, "swim lake")
    assert set(found) == {"before the match", "I swim in the lake."}


@pytest.mark.django_db
def test_it_follows_only_the_best(actor: Actor) -> None:
    for number in range(LEADING + 5):
        talk(actor, f"swim {'x ' * number}", f"beside {number}", session=f"s{number}")
    beside = [text for text in proposed(actor, "swim") if text.startswith("beside")]
    assert len(beside) == LEADING


def test_it_lifts_an_answer_that_stands_after_its_question() -> None:
    alone = candidate(cosine=0.85)
    answer = candidate(cosine=0.85, before=Beside(10.0, 0.95))
    best = scores(alone, answer)
    assert best[0].candidate is answer
    assert best[0].arms["keyword"] > best[1].arms["keyword"] == 0.0
    assert best[0].arms["semantic"] > best[1].arms["semantic"]


def test_it_counts_the_one_before_for_more() -> None:
    before = candidate(cosine=0.85, before=Beside(0.0, 0.95))
    after = candidate(cosine=0.85, after=Beside(0.0, 0.95))
    assert [one.candidate for one in scores(after, before)] == [before, after]


def test_it_never_shows_more_than_the_whole_of_an_arm() -> None:
    full = Beside(10.0, 0.95)
    for one in scores(candidate(cosine=0.95, bm25=10.0, before=full, after=full)):
        assert one.arms["keyword"] == 1.0
        assert one.arms["semantic"] == pytest.approx(1.0)


def test_it_is_switched_off_by_its_weights() -> None:
    off = RecallPolicy(before_weight=0.0, after_weight=0.0)
    beside = Beside(10.0, 0.95)
    alone, with_others = candidate(cosine=0.85), candidate(cosine=0.85, before=beside, after=beside)
    one, other = scores(alone, with_others, policy=off)
    assert one.score == other.score


def test_it_needs_no_embedding_beside() -> None:
    """A neighbour that waits for its embedding says nothing by its meaning."""
    waiting = candidate(cosine=0.85, before=Beside(0.0, None))
    assert scores(waiting)[0].arms["semantic"] == scores(candidate(cosine=0.85))[0].arms["semantic"]


def test_it_lets_a_neighbour_speak_for_what_is_unlike_the_question_never_against() -> None:
    low, high = Beside(0.0, 0.76), Beside(0.0, 0.95)
    assert len(scores(candidate(cosine=0.9), candidate(cosine=0.78))) == 1
    assert len(scores(candidate(cosine=0.9), candidate(cosine=0.78, before=high, after=high))) == 2
    assert len(scores(candidate(cosine=0.9, before=low, after=low))) == 1
