"""The queue as people see it (G2, H4)."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.models import Flag, Memory, Space
from memories.permissions import Actor
from review.claims import claim
from review.decisions import decide
from review.kinds import KINDS
from review.models import Comment, Decision
from review.pages.inbox import PAGE
from tests.doubts import DOUBTED, doubt
from tests.people import NEW, OLD, conflict, member, signed_in
from tests.review.rows import flagged

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
QUEUE = "/review/"


def text_of(user: User, url: str = QUEUE, **headers: str) -> str:
    return signed_in(user).get(url, headers=headers).content.decode()


def context_of(user: User, url: str = QUEUE) -> Any:
    return signed_in(user).get(url).context


def copies(flag: Flag, count: int) -> None:
    """Add open flags like this one, on memories of their own."""
    for number in range(count):
        new, old = (
            Memory.objects.create(
                space=flag.space,
                agent=flag.memory.agent,
                content=f"{text} {number}",
                content_hash=f"{text[-20:]}{number}",
                confidence=1.0,
            )
            for text in (NEW, OLD)
        )
        Flag.objects.create(
            space=flag.space,
            kind=flag.kind,
            reason=flag.reason,
            memory=new,
            memory_version=1,
            counterpart=old,
            counterpart_version=1,
        )


def test_it_asks_to_sign_in_first() -> None:
    assert Client().get(QUEUE)["Location"] == f"/login/?next={QUEUE}"


def test_it_shows_both_texts_and_the_reason(reviewer: User, actor: Actor) -> None:
    conflict(actor)
    page = text_of(reviewer)
    assert "The new one says “MySQL” where the old one says “PostgreSQL”." in page
    assert "<del>PostgreSQL</del>" in page
    assert "<ins>MySQL</ins>" in page


def test_it_tells_how_an_agent_connects_when_nothing_waits(reviewer: User) -> None:
    page = text_of(reviewer)
    assert "Nothing to decide" in page
    assert "http://testserver:8765/mcp" in page


def test_it_counts_what_waits_in_the_navigation(reviewer: User, actor: Actor) -> None:
    conflict(actor)
    assert '<span class="count">1<' in text_of(reviewer, "/memories/")


def test_it_shows_no_other_space(actor: Actor) -> None:  # D1
    conflict(actor)
    elsewhere = Space.objects.create(slug="other", name="Other")
    assert NEW not in text_of(member(elsewhere, "sten"))


def test_it_sends_only_the_part_that_changed_to_htmx(reviewer: User, actor: Actor) -> None:
    conflict(actor)
    part = text_of(reviewer, QUEUE, **{"HX-Request": "true"})
    assert "MySQL" in part
    assert "<html" not in part


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", True),
        ("kind=conflict", True),
        ("kind=near_duplicate", False),
        ("reason=value_replaced", True),
        ("reason=negation", False),
        ("age=day", True),
        ("age=older", False),
        ("age=nonsense", True),
        ("before=nonsense", True),
    ],
)
def test_it_filters(reviewer: User, actor: Actor, query: str, shown: bool) -> None:
    conflict(actor)
    assert ("<ins>MySQL</ins>" in text_of(reviewer, f"{QUEUE}?{query}")) is shown


def test_it_finds_old_ones_by_age(reviewer: User, actor: Actor) -> None:
    flag = conflict(actor)
    Flag.objects.filter(pk=flag.pk).update(created_at=timezone.now() - timedelta(days=8))
    assert "<ins>MySQL</ins>" in text_of(reviewer, f"{QUEUE}?age=older")


def test_it_leads_to_the_next_page_and_back(reviewer: User, actor: Actor) -> None:
    copies(conflict(actor), PAGE)
    client = signed_in(reviewer)
    first = client.get(QUEUE).context["page"]
    second = client.get(f"{QUEUE}?{first.older}").context["page"]
    assert (len(first.rows), len(second.rows), second.older) == (PAGE, 1, "")
    back = client.get(f"{QUEUE}?{second.newer}").context["page"]
    assert [flag.pk for flag in back.rows] == [flag.pk for flag in first.rows]


def test_it_says_who_is_looking(reviewer: User, person: Actor, space: Space, actor: Actor) -> None:
    claim(actor=person, flag=conflict(actor))
    assert "rui is looking at this" in text_of(member(space, "ada"))
    assert "is looking at this" not in text_of(reviewer)


def test_it_asks_the_database_as_often_for_many_as_for_one(
    reviewer: User, actor: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    flag, client = conflict(actor), signed_in(reviewer)
    client.get(QUEUE)
    # session, person, membership, policy; flags, two sides, decisions, claims; tabs, comments;
    # spaces, count; people, agents, views
    with django_assert_num_queries(17):
        client.get(QUEUE)
    copies(flag, 60)
    with django_assert_num_queries(17):
        client.get(QUEUE)


def test_it_counts_each_kind_on_its_tab(reviewer: User, actor: Actor) -> None:
    conflict(actor)
    flagged(actor, "Perhaps so.")
    tabs = {tab.code: tab.count for tab in context_of(reviewer)["tabs"]}
    assert tabs == dict.fromkeys(KINDS, 0) | {
        "open": 2,
        "conflict": 1,
        "pending": 1,
        "snoozed": 0,
        "decided": None,
    }


def test_its_tabs_keep_the_filter(reviewer: User, actor: Actor) -> None:
    flagged(actor, "Perhaps so.")
    context = context_of(reviewer, f"{QUEUE}?text=perhaps&reason=low_confidence&kind=pending")
    queries = {tab.code: tab.query for tab in context["tabs"]}
    assert queries["conflict"] == "kind=conflict&text=perhaps"
    assert queries["pending"] == "kind=pending&reason=low_confidence&text=perhaps"


def test_it_tells_the_new_numbers_and_how_much_is_new(reviewer: User, actor: Actor) -> None:
    client = signed_in(reviewer)
    at = client.get(QUEUE).context["at"]
    flagged(actor, "Perhaps so.")
    part = client.get(f"{QUEUE}counts/?at={at}").content.decode()
    assert "1 new item — show" in part
    assert 'Low confidence <span class="count">1</span>' in part
    assert "Perhaps so." not in part
    assert "new item" not in client.get(f"{QUEUE}counts/?kind=conflict&at={at}").content.decode()


def test_it_says_where_to_sign_in_again_when_the_numbers_are_asked_for_too_late() -> None:
    answer = Client().get(f"{QUEUE}counts/", headers={"HX-Request": "true"})
    assert answer["HX-Refresh"] == "true"


def test_it_pushes_the_plain_address(reviewer: User, actor: Actor) -> None:
    address = f"{QUEUE}?text=&source=&sort=newest&kind=conflict&nonsense=1"
    answer = signed_in(reviewer).get(address, headers={"HX-Request": "true"})
    assert answer["HX-Push-Url"] == f"{QUEUE}?kind=conflict&sort=newest"


def test_its_pages_keep_the_filter(reviewer: User, actor: Actor) -> None:
    copies(conflict(actor), PAGE)
    older = context_of(reviewer, f"{QUEUE}?language=en&picked=page&nonsense=1")["page"].older
    assert older.startswith("language=en&before=")
    assert len(context_of(reviewer, f"{QUEUE}?{older}")["page"].rows) == 1


def test_it_offers_to_decide_for_many_on_the_tab_of_a_kind(reviewer: User, actor: Actor) -> None:
    flagged(actor, "Perhaps so.")
    assert "data-select" not in text_of(reviewer)
    page = text_of(reviewer, f"{QUEUE}?kind=pending")
    assert "data-select" in page
    assert '<option value="approve">' in page
    assert '<option value="edit_approve">' not in page  # it needs a text for each
    assert "checked" in text_of(reviewer, f"{QUEUE}?kind=pending&picked=page")


def test_it_offers_no_decision_to_a_viewer(actor: Actor, space: Space) -> None:  # G4
    flagged(actor, "Perhaps so.")
    page = text_of(member(space, "vera", "viewer"), f"{QUEUE}?kind=pending")
    assert "Perhaps so." in page
    assert "data-select" not in page


def test_it_says_what_is_said_and_who_should_decide(reviewer: User, actor: Actor) -> None:
    flag = flagged(actor, "Perhaps so.")
    Flag.objects.filter(pk=flag.pk).update(assignee=reviewer)
    Comment.objects.create(flag=flag, user=reviewer, user_name="rui", text="Who knows?")
    page = text_of(reviewer)
    assert "1 comment" in page
    assert "assigned to rui" in page


def test_it_lists_who_decided_what_and_lets_undo_it(
    reviewer: User, person: Actor, actor: Actor
) -> None:
    flag = doubt(actor)
    decide(actor=person, flag_id=flag.pk, choice="approve", expected_versions=(1,), note="I saw it")
    made = Decision.objects.get()
    assert DOUBTED not in text_of(reviewer)
    page = text_of(reviewer, f"{QUEUE}?state=decided")
    for said in (DOUBTED, "by rui", "I saw it", "just now", f"decisions/{made.pk}/undo/"):
        assert said in page


def test_it_marks_what_a_rule_decided(reviewer: User, person: Actor, actor: Actor) -> None:
    flag = doubt(actor)
    decide(actor=person, flag_id=flag.pk, choice="approve", expected_versions=(1,))
    Decision.objects.update(automatic=True, user_name="Corrections win")
    assert "by rule “Corrections win”" in text_of(reviewer, f"{QUEUE}?state=decided")


def test_it_undoes_nothing_for_a_viewer(person: Actor, actor: Actor, space: Space) -> None:
    flag = doubt(actor)
    decide(actor=person, flag_id=flag.pk, choice="approve", expected_versions=(1,))
    page = text_of(member(space, "vera", "viewer"), f"{QUEUE}?state=decided")
    assert DOUBTED in page
    assert "/undo/" not in page


def test_it_names_its_space(reviewer: User) -> None:
    assert '<p class="over">Team</p>' in text_of(reviewer)


def test_it_escapes_what_agents_wrote(reviewer: User, actor: Actor) -> None:
    flagged(actor, "<img src=x onerror=alert(1)>\u202e evil", user_id="<b>anna")
    page = text_of(reviewer)
    assert "<img src=x" not in page
    assert "<b>anna" not in page
    assert "⟦U+202E⟧" in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("text=nothing", "Nothing under this filter"),
        ("kind=merge", "Nothing of this kind waits"),
        ("state=snoozed", "Nothing is snoozed"),
        ("state=decided", "Nothing was decided yet"),
    ],
)
def test_it_says_why_a_list_is_empty(reviewer: User, query: str, said: str) -> None:
    assert said in text_of(reviewer, f"{QUEUE}?{query}")
