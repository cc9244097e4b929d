"""The playground in a real browser: numbers are turned, the order follows, a policy comes of it."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from hindsight_site.accounts.models import User
from memories.models import Policy, Recall, Space
from memories.permissions import Actor
from memories.recall import recall
from tests.e2e.conftest import sign_in
from tests.e2e.test_pages import violations
from tests.memories.recall.helpers import remember
from tests.people import member

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("embedder"),
]
QUESTION = "Which database does the billing service use?"
DOUBTFUL = "The billing service does use a database: PostgreSQL."
SURE = "Our billing service stores its rows in MySQL."


@pytest.fixture
def admin(space: Space, actor: Actor) -> User:
    """Somebody who may save, in a space that knows two answers, the better one doubtful."""
    remember(actor, DOUBTFUL, confidence=0.55)
    remember(actor, SURE, confidence=1.0)
    return member(space, "ada", "admin")


def ask(page: Page) -> None:
    page.goto("/playground/")
    page.get_by_role("searchbox", name="Question").fill(QUESTION)
    expect(page.get_by_role("link", name=DOUBTFUL)).to_be_visible()
    page.get_by_text("What counts less").click()


def hits(page: Page, letter: str) -> Locator:
    return page.get_by_role("region", name=f"{letter}: ").locator(".said")


def test_a_slider_ranks_again_at_once_and_becomes_the_policy_of_recall(
    page: Page, admin: User, actor: Actor
) -> None:
    sign_in(page, "ada")
    ask(page)
    page.evaluate("window.same = true")
    slider = page.get_by_role("slider", name="Weight of the doubtful")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.get_by_role("spinbutton", name="Weight of the doubtful")).to_have_value("0")
    expect(hits(page, "A")).to_have_text([DOUBTFUL, SURE])
    expect(hits(page, "B")).to_have_text([SURE, DOUBTFUL])
    expect(page.locator("#announce")).to_contain_text("Hits: A 2, B 2")
    expect(slider).to_be_focused()
    assert page.evaluate("window.same")
    assert "recall.doubtful_factor=0" in page.url
    assert not Recall.objects.exists()
    assert recall(actor=actor, query=QUESTION).hits[0].memory.content == DOUBTFUL
    page.get_by_label("Why this change?").fill("we doubt too little")
    page.get_by_role("button", name="Save as policy").click()
    expect(page.get_by_text("Saved as version 1: Weight of the doubtful 0.7 → 0.")).to_be_visible()
    assert Policy.objects.get().note == "we doubt too little"
    assert recall(actor=actor, query=QUESTION).hits[0].memory.content == SURE


def test_a_field_takes_exact_values_and_resets_by_keyboard(page: Page, admin: User) -> None:
    sign_in(page, "ada")
    ask(page)
    field = page.get_by_role("spinbutton", name="Weight of the doubtful")
    field.fill("0.123")
    expect(page.locator("ins", has_text="0.123")).to_be_visible()
    page.get_by_label("Why this change?").fill("a note")
    field.fill("0.124")
    expect(page.locator("ins", has_text="0.124")).to_be_visible()
    expect(page.get_by_label("Why this change?")).to_have_value("a note")
    page.reload()
    expect(field).to_have_value("0.124")
    page.get_by_role("button", name="Reset “Weight of the doubtful” to 0.7").press("Enter")
    expect(field).to_have_value("0.7")
    expect(field).to_be_focused()
    expect(page.get_by_role("heading", name="What B changes")).to_be_hidden()


def test_what_does_not_fit_is_said_and_the_numbers_stay(page: Page, admin: User) -> None:
    sign_in(page, "ada")
    ask(page)
    page.get_by_role("spinbutton", name="Weight of the doubtful").fill("7")
    expect(page.get_by_text("must be a number from 0 to 1, not 7.")).to_be_visible()
    page.get_by_role("spinbutton", name="Weight of the doubtful").fill("0.7")
    expect(page.get_by_role("link", name=DOUBTFUL)).to_be_visible()


def test_it_works_without_its_script(page: Page, admin: User) -> None:
    sign_in(page, "ada")
    page.route("**/playground.js", lambda route: route.fulfill(body=""))
    page.goto("/playground/")
    expect(page.get_by_role("slider")).to_have_count(0)
    page.get_by_role("searchbox", name="Question").fill(QUESTION)
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("link", name=SURE)).to_be_visible()


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [380, 1440])
@pytest.mark.parametrize("role", ["admin", "viewer"])
def test_it_is_accessible_and_fits(
    page: Page, space: Space, admin: User, role: str, width: int, colours: Any
) -> None:
    member(space, "vi", role)
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, "vi")
    turned = "&recall.doubtful_factor=0&recall.hit_relevance=0.6"
    for address in ("", f"?q={QUESTION}{turned}", "?q=Who won the chess tournament?"):
        page.goto(f"/playground/{address}")
        page.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)")
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
