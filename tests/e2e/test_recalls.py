"""The log of recalls in a real browser: read, filtered, followed; for everyone (H4, C6)."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.lifecycle import give_feedback
from memories.models import Feedback, Memory, Recall, Space
from memories.permissions import Actor
from tests.e2e.conftest import sign_in
from tests.e2e.test_pages import violations
from tests.memories.recall.asked import asked, jotted
from tests.memories.recall.helpers import jot
from tests.people import member

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("reviewer"),
]
NAMES = ["log", "nothing", "recall", "empty", "never", "most", "wrong"]
LONG = "x" * 300


@pytest.fixture
def tea(actor: Actor) -> Memory:
    return jot(actor, "Tea is at four.", tags=["drink"])


@pytest.fixture
def places(actor: Actor, teammate: Actor, tea: Memory) -> dict[str, str]:
    """A page of every sort by its name, each with something on it."""
    jotted(actor, LONG, 90)
    give_feedback(actor=teammate, memory_id=tea.pk, verdict="wrong", note=LONG)
    found = asked(
        actor, "When is tea?", tea, jot(actor, LONG * 2), session=LONG[:200], user_id="alice"
    )
    empty = asked(teammate, LONG, degraded=True, user_id=LONG[:200])
    Feedback.objects.update(recall=found)
    return {
        "log": "/recalls/",
        "nothing": "/recalls/?text=nothing",
        "recall": f"/recalls/{found.pk}/",
        "empty": f"/recalls/{empty.pk}/",
        "never": "/recalls/never/",
        "most": "/recalls/most/",
        "wrong": "/recalls/wrong/",
    }


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_it_is_accessible(page: Page, places: dict[str, str], colours: Any) -> None:
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    sign_in(page)
    for name in NAMES:
        page.goto(places[name])
        assert violations(page) == [], name


def test_it_fits_a_phone(page: Page, places: dict[str, str]) -> None:
    page.set_viewport_size({"width": 380, "height": 800})
    sign_in(page)
    for name in NAMES:
        page.goto(places[name])
        assert page.evaluate("document.documentElement.scrollWidth") <= 380, name


def test_it_is_filtered_without_a_new_page(page: Page, places: dict[str, str]) -> None:
    sign_in(page)
    page.get_by_role("link", name="Recall", exact=True).click()
    page.wait_for_url("**/recalls/")
    page.evaluate("window.here = true")
    page.get_by_label("Which").select_option("empty")
    expect(page.get_by_role("link", name="When is tea?")).to_have_count(0)
    page.get_by_label("Question").fill("nothing")
    expect(page.get_by_role("heading", name="No recall under this filter")).to_be_visible()
    assert page.evaluate("window.here")


def test_it_leads_from_the_list_to_a_hit_by_keyboard(
    page: Page, places: dict[str, str], tea: Memory
) -> None:
    sign_in(page)
    page.goto("/recalls/?user=alice")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{places['recall']}")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/memories/{tea.pk}/")


def test_it_takes_a_word_on_a_hit_and_stays_there(
    page: Page, places: dict[str, str], tea: Memory
) -> None:
    sign_in(page)
    page.goto(places["recall"])
    page.locator("#hit-1").get_by_role("button", name="Useful").click()
    expect(page.locator(".message")).to_have_text("Noted: it was useful.")
    page.wait_for_url(f"**{places['recall']}")
    expect(page.locator("#hit-1 .said-useful")).to_be_visible()
    said = Feedback.objects.get(actor_kind="user")
    assert (said.memory_id, said.recall_id) == (tea.pk, Recall.objects.get(user_id="alice").pk)


def test_it_leads_from_what_was_marked_wrong_to_the_decision(
    page: Page, places: dict[str, str]
) -> None:
    sign_in(page)
    page.goto(places["wrong"])
    page.get_by_role("link", name="Decide").click()
    page.wait_for_url("**/review/*/")


def test_it_works_without_javascript(
    chromium: Browser, live_server: LiveServer, places: dict[str, str]
) -> None:
    context = chromium.new_context(base_url=live_server.url, locale="en", java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    page.goto("/recalls/never/?days=365")
    expect(page.get_by_role("heading", name="Everything of that age was recalled")).to_be_visible()
    page.get_by_label("Older than").select_option("7")
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_role("button", name="Archive").click()
    expect(page.locator(".message")).to_contain_text("Archived")
    page.wait_for_url("**/recalls/never/?days=7")
    context.close()


def test_a_viewer_is_led_past_the_log(page: Page, space: Space, places: dict[str, str]) -> None:
    member(space, "vera", "viewer")
    sign_in(page, "vera")
    page.get_by_role("link", name="Recall", exact=True).click()
    page.wait_for_url("**/recalls/never/")
    expect(page.get_by_role("link", name="Log", exact=True)).to_have_count(0)
    for name in ("never", "most", "wrong"):
        page.goto(places[name])
        assert violations(page) == [], name
