"""Judging in a real browser: with the keyboard alone, without a script, for everyone (H4)."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.evaluation import learning
from memories.evaluation.sampling import begin_evaluation
from memories.models import Evaluation, Memory, Space
from memories.permissions import Actor
from tests.e2e.conftest import sign_in
from tests.e2e.test_pages import violations
from tests.memories.evaluation.rounds import asked, judged, judgements_of, say
from tests.memories.evaluation.weighed import questions
from tests.memories.recall.helpers import jot
from tests.people import member

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("reviewer"),
]


@pytest.fixture
def notes(actor: Actor) -> list[Memory]:
    return [jot(actor, f"Note number {n}.") for n in range(3)]


@pytest.fixture
def log(actor: Actor, notes: list[Memory]) -> None:
    """Two questions that wait to be judged: three hits and two."""
    asked(actor.acting_for("alice"), "What did I note?", *notes)
    asked(actor, "And what else?", *notes[:2])


@pytest.fixture
def places(actor: Actor, person: Actor, notes: list[Memory]) -> list[str]:
    """The list with a chart, a finished round, an open one, and its questions."""
    for version, verdict in ((0, False), (1, True)):
        asked(actor, f"Question {version}", *notes, policy_version=version)
        finished = judged(person, verdict, True, False)
    asked(actor.acting_for("alice"), "x" * 4000, *notes)
    asked(actor, "user: hello\nassistant: hi\n" * 40, notes[0])
    opened = begin_evaluation(actor=person)
    say(person, judgements_of(opened)[0], True)
    return [
        "/evaluation/",
        f"/evaluation/{finished.pk}/",
        f"/evaluation/{finished.pk}/1/",
        f"/evaluation/{opened.pk}/",
        f"/evaluation/{opened.pk}/1/",
        f"/evaluation/{opened.pk}/2/",
    ]


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_it_is_accessible(page: Page, admin: Actor, places: list[str], colours: Any) -> None:
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    sign_in(page, "ada")
    for place in places:
        page.goto(place)
        assert violations(page) == [], place


def test_it_is_accessible_to_a_viewer_and_when_empty(
    page: Page, space: Space, stranger: Actor, places: list[str]
) -> None:
    member(space, "vera", "viewer")
    member(Space.objects.get(pk=stranger.space_id), "sam")
    sign_in(page, "vera")
    for place in (places[0], places[1], places[3]):
        page.goto(place)
        assert violations(page) == [], place
    page.context.clear_cookies()
    sign_in(page, "sam")
    page.goto(places[0])
    assert violations(page) == []


def test_it_fits_a_phone(page: Page, admin: Actor, places: list[str]) -> None:
    page.set_viewport_size({"width": 380, "height": 800})
    sign_in(page, "ada")
    for place in places:
        page.goto(place)
        assert page.evaluate("document.documentElement.scrollWidth") <= 380, place


def test_a_round_is_judged_with_the_keyboard_alone(page: Page, log: None) -> None:
    sign_in(page)
    page.goto("/evaluation/")
    page.keyboard.press("n")
    expect(page.get_by_role("heading", level=1)).to_have_text("What did I note?")
    page.evaluate("window.here = true")
    # The first hit that waits, and then the next one, in the order in which one reads.
    page.keyboard.press("y")
    expect(page.locator("#yes-1")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("n")
    expect(page.locator("#no-2")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("3")
    expect(page.locator("#yes-3")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("3")
    expect(page.locator("#no-3")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#announce")).to_have_text("All hits of this question are judged")
    assert page.evaluate("window.here")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("And what else?")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", level=1)).to_have_text("What did I note?")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", level=1)).to_have_text("And what else?")
    page.keyboard.press("0")
    expect(page.get_by_text("All hits of the round are judged")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("All judged.")).to_be_visible()
    page.keyboard.press("f")
    expect(page.get_by_text("finished", exact=False).first).to_be_visible()
    expect(page.locator(".tiles .big").first).to_have_text("20%")
    assert Evaluation.objects.get().closed_at


def test_the_focus_stays_where_it_was(page: Page, log: None) -> None:
    sign_in(page)
    page.goto("/evaluation/")
    page.get_by_role("button", name="Begin a round").click()
    page.locator("#no-2").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#no-2")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#no-2")).to_be_focused()


def test_it_goes_on_where_one_was(page: Page, log: None) -> None:
    sign_in(page)
    page.goto("/evaluation/")
    page.keyboard.press("n")
    page.wait_for_url("**/1/")
    page.keyboard.press("0")
    expect(page.get_by_text("2 hits of the round to judge")).to_be_visible()
    page.goto("/evaluation/")
    page.keyboard.press("g")
    expect(page.get_by_role("heading", level=1)).to_have_text("And what else?")


def test_it_tells_what_somebody_else_said_meanwhile(page: Page, log: None, admin: Actor) -> None:
    sign_in(page)
    page.goto("/evaluation/")
    page.keyboard.press("n")
    page.wait_for_url("**/1/")
    say(admin, judgements_of(Evaluation.objects.get())[0], False)
    page.keyboard.press("y")
    expect(page.get_by_role("alert")).to_contain_text("ada said meanwhile")
    expect(page.locator("#no-1")).to_have_attribute("aria-pressed", "true")


def test_it_works_without_javascript(chromium: Browser, live_server: LiveServer, log: None) -> None:
    context = chromium.new_context(base_url=live_server.url, locale="en", java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    page.goto("/evaluation/")
    page.get_by_role("button", name="Begin a round").click()
    page.locator("#yes-1").click()
    page.get_by_role("button", name="The rest is not relevant").click()
    page.get_by_role("link", name="Next question").click()
    page.get_by_role("button", name="None is relevant").click()
    page.get_by_role("link", name="To the result").click()
    page.get_by_role("button", name="Finish the round").click()
    expect(page.locator(".tiles .big").first).to_have_text("20%")
    context.close()


@pytest.mark.usefixtures("embedder")
def test_better_weights_are_looked_for_in_place_and_tried(
    page: Page, actor: Actor, person: Actor, admin: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:  # J5
    monkeypatch.setattr(learning, "ENOUGH", 8)
    questions(actor, person, 8)
    sign_in(page, "ada")
    page.goto("/evaluation/")
    page.evaluate("window.here = true")
    page.get_by_role("button", name="Look for better weights").click()
    expect(page.locator("#found")).to_have_text(
        "These weights put what people found relevant further up.", timeout=30_000
    )
    assert page.evaluate("window.here")
    assert violations(page) == []
    page.get_by_role("link", name="Try in the playground").click()
    expect(page.get_by_text("Begun from: Version 1, in force")).to_be_visible()
    assert float(page.locator("[name='recall.session_bonus']").first.input_value()) > 0
