"""What erasing an end user would remove is said before, and nothing is changed (E6)."""

import pytest

from memories.errors import Invalid, NotAllowed
from memories.lifecycle.erasing import TABLES, preview_erasure, without
from memories.models import Event, Hit, Memory, Recall
from memories.permissions import Actor
from memories.sessions import end_session, record_turns
from tests.memories.recall.helpers import jot
from tests.review.flags import opened

pytestmark = pytest.mark.django_db
X = "u-1"


def test_it_counts_by_table_with_all_that_hangs_on_a_row(admin: Actor, actor: Actor) -> None:
    one = jot(actor, "likes tea", user_id=X)
    jot(actor, "no rain", user_id=X, status="deleted")
    opened(actor, "clean_up", "unused", one)
    mine = Recall.objects.create(
        space_id=actor.space_id, actor_kind="agent", actor_name="coder", user_id=X, query="tea?",
        policy_version=0, took_ms=1.0,
    )  # fmt: skip
    # Found by both its recall and its memory, and counted once.
    Hit.objects.create(recall=mine, memory=one, rank=1, score=1.0)
    record_turns(actor=actor, session="s", turns=[{"content": "a"}, {"content": "b"}], user_id=X)
    found = preview_erasure(actor=admin, user_id=X)
    assert found.counts == {
        "memory": 2,
        "memoryversion": 2,
        "flag": 1,
        "recall": 1,
        "hit": 1,
        "session": 1,
        "turn": 2,
        "event": 1,
    }
    assert (found.total, found.open_sessions, found.elsewhere) == (11, 1, 0)
    assert set(found.counts) <= set(TABLES)
    assert Memory.objects.count() == 2


def test_it_says_how_often_others_mention_the_name(admin: Actor, actor: Actor) -> None:
    jot(actor, "Ann likes tea", user_id="ann")
    jot(actor, "Bob knows ANN")
    record_turns(actor=actor, session="s", turns=[{"content": "ann says hi"}, {"content": "b"}])
    end_session(actor=actor, session="s")
    found = preview_erasure(actor=admin, user_id="ann")
    assert (found.elsewhere, found.open_sessions) == (2, 0)


def test_it_looks_at_no_other_user_and_no_other_space(
    admin: Actor, actor: Actor, stranger: Actor
) -> None:  # D1
    jot(actor, "likes tea", user_id="somebody else")
    jot(stranger, "likes tea", user_id=X)
    found = preview_erasure(actor=admin, user_id=X)
    assert (found.counts, found.elsewhere) == ({}, 0)


@pytest.mark.parametrize("name", ["", "  ", "x" * 201])
def test_it_refuses_no_name(admin: Actor, name: str) -> None:
    with pytest.raises(Invalid) as refused:
        preview_erasure(actor=admin, user_id=name)
    assert refused.value.field == "user_id"


def test_it_is_for_admins(actor: Actor, person: Actor) -> None:
    for somebody in (actor, person):
        with pytest.raises(NotAllowed):
            preview_erasure(actor=somebody, user_id=X)


def test_it_takes_the_name_out_of_data_at_any_depth() -> None:
    data = {"user_id": X, "n": 1, "in": [{"user_id": [X, "b"]}, {"user_id": "b", "of": X}]}
    assert without(data, X) == {"n": 1, "in": [{}, {"user_id": "b", "of": X}]}


def test_the_log_is_searched_at_any_depth(admin: Actor, actor: Actor) -> None:
    told = [{"user_id": X}, {"a": [{"user_id": [X]}]}, {"user_id": "u-12"}, {"said": X}, {}]
    Event.objects.bulk_create(
        Event(space_id=actor.space_id, verb="x", actor_kind="agent", actor_name="a", data=data)
        for data in told
    )
    assert preview_erasure(actor=admin, user_id=X).counts == {"event": 2}
