"""Rounds of judging in the browser: who sees what, and what a form does (H4, D1)."""

import json
from html import unescape
from typing import Any

import pytest
from django.http import StreamingHttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from memories.evaluation.judging import finish_evaluation
from memories.evaluation.sampling import begin_evaluation
from memories.lifecycle.purging import purge_memory
from memories.models import Evaluation, Judgement, Memory, Space
from memories.pages.evaluation_present import chart_of, rounds_of
from memories.permissions import Actor
from tests.memories.evaluation.rounds import asked, judged, judgements_of, say
from tests.memories.recall.helpers import jot
from tests.people import member, signed_in

pytestmark = pytest.mark.django_db
URL = "/evaluation/"
QUERY = "When is tea?"


@pytest.fixture
def notes(actor: Actor) -> list[Memory]:
    return [jot(actor, f"Note {n}.") for n in range(3)]


@pytest.fixture
def opened(actor: Actor, person: Actor, notes: list[Memory]) -> Evaluation:
    """An open round of two questions: three hits and one."""
    asked(actor.acting_for("alice"), QUERY, *notes)
    asked(actor, "And coffee?", notes[0])
    return begin_evaluation(actor=person)


@pytest.fixture
def viewer(space: Space) -> Client:
    return signed_in(member(space, "vera", "viewer"))


def text(response: Any) -> str:
    """What a page says, as the browser reads it."""
    return unescape(response.content.decode())


def place(evaluation: Evaluation, number: int | None = None) -> str:
    return f"{URL}{evaluation.pk}/" + (f"{number}/" if number else "")


def form(judgement: Judgement, said: str, seen: str = "") -> dict[str, str]:
    return {"judgement": str(judgement.pk), "relevant": said, "expected": seen}


def said_of(evaluation: Evaluation) -> list[bool | None]:
    return [one.relevant for one in judgements_of(evaluation)]


def test_without_a_round_it_says_what_one_is(watcher: Client) -> None:
    page = text(watcher.get(URL))
    assert "Nothing was judged yet" in page
    assert "Begin a round" in page


def test_beginning_leads_to_the_first_question(
    watcher: Client, actor: Actor, notes: list[Memory]
) -> None:
    asked(actor.acting_for("alice"), QUERY, *notes)
    response = watcher.post(f"{URL}begin/", follow=True)
    page = text(response)
    evaluation = Evaluation.objects.get()
    assert response.redirect_chain[-1][0] == place(evaluation, 1)
    assert "1 of 1" in page
    assert "coder asked for alice" in page
    assert QUERY in page
    assert all(note.content in page for note in notes)


def test_with_nothing_asked_beginning_says_so(watcher: Client) -> None:
    page = text(watcher.post(f"{URL}begin/", follow=True))
    assert "No agent has asked anything since" in page
    assert not Evaluation.objects.exists()


def test_a_form_judges_a_hit(watcher: Client, opened: Evaluation) -> None:
    first, second, *_rest = judgements_of(opened)
    assert watcher.post(place(opened, 1), form(first, "yes"))["Location"] == place(opened, 1)
    watcher.post(place(opened, 1), form(second, "no"))
    assert said_of(opened) == [True, False, None, None]
    watcher.post(place(opened, 1), form(first, "", seen="yes"))
    assert said_of(opened) == [None, False, None, None]


def test_htmx_gets_the_question_alone(watcher: Client, opened: Evaluation) -> None:
    first = judgements_of(opened)[0]
    page = text(watcher.post(place(opened, 1), form(first, "yes"), headers={"HX-Request": "true"}))
    assert "<html" not in page
    assert 'id="question"' in page
    assert "2 hits of this question to judge" in page


def test_the_rest_is_not_relevant(watcher: Client, opened: Evaluation) -> None:
    first, *_rest = judgements_of(opened)
    watcher.post(place(opened, 1), form(first, "yes"))
    watcher.post(place(opened, 1), {"rest": str(first.recall_id)})
    assert said_of(opened) == [True, False, False, None]


def test_what_somebody_else_said_meanwhile_is_told(
    watcher: Client, admin: Actor, opened: Evaluation
) -> None:
    first = judgements_of(opened)[0]
    say(admin, first, False)
    response = watcher.post(place(opened, 1), form(first, "yes"))
    assert response.status_code == 409
    assert "ada said meanwhile that this hit is not relevant" in text(response)
    assert said_of(opened)[0] is False


def test_a_finished_round_takes_no_judgement(
    watcher: Client, person: Actor, opened: Evaluation
) -> None:
    first, second, *_rest = judgements_of(opened)
    say(person, first, True)
    finish_evaluation(actor=person, evaluation_id=opened.pk)
    response = watcher.post(place(opened, 1), form(second, "yes"))
    page = text(response)
    assert response.status_code == 409
    assert "This round is finished: its judgements stay as they are." in page
    assert "<button" not in page.partition('class="hits"')[2].partition("</ol>")[0]


@pytest.mark.parametrize("broken", [{}, {"judgement": "x", "relevant": "yes"}, {"relevant": "yes"}])
def test_a_form_sent_in_part_changes_nothing(
    watcher: Client, opened: Evaluation, broken: dict[str, str]
) -> None:
    assert watcher.post(place(opened, 1), broken).status_code == 404
    one = judgements_of(opened)[0]
    assert watcher.post(place(opened, 1), form(one, "perhaps")).status_code == 404
    assert said_of(opened) == [None] * 4


def test_going_on_remembers_where_one_was(
    watcher: Client, person: Actor, opened: Evaluation
) -> None:
    go_on = f"{place(opened)}go-on/"
    assert watcher.get(go_on)["Location"] == place(opened, 1)
    *first, last = judgements_of(opened)
    for one in first:
        say(person, one, True)
    assert watcher.get(go_on)["Location"] == place(opened, 2)
    say(person, last, False)
    assert watcher.get(go_on)["Location"] == place(opened)


def test_the_last_question_leads_to_what_still_waits_then_to_the_result(
    watcher: Client, person: Actor, opened: Evaluation
) -> None:
    assert f'href="{place(opened, 1)}" data-key="j ArrowRight"' in text(
        watcher.get(place(opened, 2))
    )
    for one in judgements_of(opened):
        say(person, one, True)
    page = text(watcher.get(place(opened, 2)))
    assert f'id="onward" class="button primary" href="{place(opened)}"' in page
    assert "To the result" in page


def test_finishing_shows_the_result(watcher: Client, person: Actor, opened: Evaluation) -> None:
    for one, verdict in zip(judgements_of(opened), (True, False, True, True), strict=True):
        say(person, one, verdict)
    page = text(watcher.post(f"{place(opened)}finish/", follow=True))
    opened.refresh_from_db()
    assert opened.closed_at
    assert "75%" in page
    assert "2 of 3 relevant" in page
    assert "2 of 2 questions have a relevant hit" in page
    assert "Finish the round" not in page


def test_in_a_finished_round_nothing_waits(
    watcher: Client, person: Actor, opened: Evaluation
) -> None:
    say(person, judgements_of(opened)[0], True)
    page = text(watcher.post(f"{place(opened)}finish/", follow=True))
    assert "1 of 1 relevant" in page
    assert "not judged" in page
    assert "to judge" not in page


def test_finishing_without_a_judgement_says_why_not(watcher: Client, opened: Evaluation) -> None:
    page = text(watcher.post(f"{place(opened)}finish/", follow=True))
    assert "Judge at least one hit first" in page


def test_a_round_that_was_erased_meanwhile_is_shown(
    watcher: Client, person: Actor, opened: Evaluation, notes: list[Memory]
) -> None:  # E6
    purge_memory(actor=person, memory_id=notes[1].pk)
    assert "This memory has been removed for good." in text(watcher.get(place(opened, 1)))
    Judgement.objects.all().delete()
    assert watcher.get(place(opened)).status_code == 200
    assert watcher.get(place(opened, 1)).status_code == 404


def test_a_viewer_sees_the_figures_and_no_question(
    viewer: Client, person: Actor, opened: Evaluation
) -> None:  # D1
    for one in judgements_of(opened):
        say(person, one, True)
    finish_evaluation(actor=person, evaluation_id=opened.pk)
    index, detail = text(viewer.get(URL)), text(viewer.get(place(opened)))
    assert "100%" in index
    assert "100%" in detail
    for page in (index, detail):
        assert QUERY not in page
        assert "alice" not in page
    for address in (place(opened, 1), f"{place(opened)}go-on/", f"{URL}queries.jsonl"):
        assert viewer.get(address).status_code == 403
    for address in (f"{URL}begin/", place(opened, 1), f"{place(opened)}finish/"):
        assert viewer.post(address).status_code == (404 if address == place(opened, 1) else 403)
    assert Evaluation.objects.count() == 1


def test_another_spaces_round_is_not_there(stranger: Actor, opened: Evaluation) -> None:  # D1
    theirs = signed_in(member(Space.objects.get(pk=stranger.space_id), "sam", "admin"))
    one = judgements_of(opened)[0]
    assert "Nothing was judged yet" in text(theirs.get(URL))
    for address in (place(opened), place(opened, 1), f"{place(opened)}go-on/"):
        assert theirs.get(address).status_code == 404
    assert theirs.post(place(opened, 1), form(one, "yes")).status_code == 404
    assert theirs.post(f"{place(opened)}finish/").status_code == 404
    assert said_of(opened) == [None] * 4


def test_a_judgement_of_another_space_is_not_there(
    actor: Actor, stranger: Actor, opened: Evaluation
) -> None:  # D1
    space = Space.objects.get(pk=stranger.space_id)
    user = member(space, "sam")
    asked(stranger, "What do strangers ask?", jot(stranger, "Strange."))
    theirs = signed_in(user)
    theirs.post(f"{URL}begin/")
    own = Evaluation.objects.get(space=space)
    foreign = judgements_of(opened)[0]
    assert theirs.post(place(own, 1), form(foreign, "yes")).status_code == 404
    theirs.post(place(own, 1), {"rest": str(foreign.recall_id)})
    assert said_of(opened) == [None] * 4


def test_an_admin_downloads_both_files(boss: Client, person: Actor, opened: Evaluation) -> None:
    for one, verdict in zip(judgements_of(opened), (True, False, False, False), strict=True):
        say(person, one, verdict)
    finish_evaluation(actor=person, evaluation_id=opened.pk)
    assert "1 judged question has a relevant memory" in text(boss.get(URL))
    rows = {name: _rows(boss.get(f"{URL}{name}.jsonl")) for name in ("queries", "memories")}
    assert [row["query"] for row in rows["queries"]] == [QUERY]
    assert {row["content"] for row in rows["memories"]} == {f"Note {n}." for n in range(3)}


def _rows(response: Any) -> list[dict[str, Any]]:
    assert isinstance(response, StreamingHttpResponse)
    assert "attachment" in response["Content-Disposition"]
    return [json.loads(line) for line in response.getvalue().splitlines()]


def test_a_reviewer_is_offered_no_file(watcher: Client, person: Actor, opened: Evaluation) -> None:
    say(person, judgements_of(opened)[0], True)
    finish_evaluation(actor=person, evaluation_id=opened.pk)
    assert "queries.jsonl" not in text(watcher.get(URL))
    assert watcher.get(f"{URL}memories.jsonl").status_code == 403


def test_the_chart_says_where_the_policy_changed(
    actor: Actor, person: Actor, notes: list[Memory]
) -> None:
    for version, verdict in ((0, False), (0, True), (2, True)):
        asked(actor, f"{version} {verdict}", notes[0], policy_version=version)
        judged(person, verdict)
    rounds = rounds_of(Evaluation.objects.order_by("-pk"))
    chart = chart_of(rounds)
    assert chart
    assert [(point.x, point.y, point.policy) for point in chart.points] == [
        (5.0, 100.0, None),
        (15.0, 0.0, None),
        (25.0, 0.0, 2),
    ]
    assert (chart.width, chart.course) == (30.0, "M5 100 L15 0 L25 0")
    # Wilson of 0 of 1: up to 79%.
    assert (chart.points[0].low, chart.points[0].high) == (100.0, 20.65)
    assert [one.policy for one in rounds] == ["2", "default", "default"]


def test_rounds_are_paged_with_few_queries(
    watcher: Client,
    actor: Actor,
    person: Actor,
    notes: list[Memory],
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for n in range(21):
        asked(actor, f"{n}", notes[0])
        judged(person, True)
    with django_assert_max_num_queries(12):
        page = text(watcher.get(URL))
    assert page.count('<th scope="row">') == 20
    assert "Older" in page
    older = Evaluation.objects.order_by("pk").first()
    assert older
    assert place(older) not in page
    assert place(older) in text(
        watcher.get(f"{URL}?before={Evaluation.objects.order_by('pk')[1].pk}")
    )


def test_an_open_round_is_offered_to_go_on(watcher: Client, opened: Evaluation) -> None:
    page = text(watcher.get(URL))
    assert "A round is open" in page
    assert "4 hits to judge" in page
    assert f"{place(opened)}go-on/" in page
    assert "Begin a round" not in page


def test_what_is_given_is_shown_harmless(watcher: Client, actor: Actor, person: Actor) -> None:
    asked(actor, "<script>alert(1)</script>", jot(actor, "<b>bold</b>"))
    evaluation = begin_evaluation(actor=person)
    for address in (place(evaluation), place(evaluation, 1)):
        page = watcher.get(address).content.decode()
        assert "<script>alert" not in page
        assert "<b>bold" not in page


def test_signed_out_leads_to_the_door(client: Client, opened: Evaluation) -> None:
    for name, args in (("index", []), ("detail", [opened.pk]), ("question", [opened.pk, 1])):
        address = reverse(f"evaluation:{name}", args=args)
        assert client.get(address)["Location"] == f"/login/?next={address}"
