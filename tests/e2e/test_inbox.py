"""The inbox in a real browser: found, chosen and kept up to date without losing one's place."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from hindsight_site.accounts.models import User
from memories.models import Flag
from memories.permissions import Actor
from review.models import SavedView
from tests.e2e.conftest import sign_in
from tests.review.rows import flagged

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@pytest.fixture
def inbox(page: Page, reviewer: User, actor: Actor) -> Page:
    """Signed in, with three doubtful memories waiting."""
    for text in ("docker 部署要等一分钟。", "Lunch is at noon.", "Deploys are on Tuesday."):
        flagged(actor, text)
    sign_in(page)
    return page


def test_it_searches_from_the_keyboard_and_keeps_the_focus(inbox: Page) -> None:
    inbox.keyboard.press("/")
    inbox.keyboard.type("部署")
    expect(inbox.locator("[data-row]")).to_have_count(1)
    expect(inbox).to_have_url("/review/?text=%E9%83%A8%E7%BD%B2")
    expect(inbox.locator("#tab-pending .count")).to_have_text("1")
    expect(inbox.locator("#id_text")).to_be_focused()


def test_it_chooses_some_and_leads_to_a_preview(inbox: Page) -> None:
    inbox.locator("#tab-pending").click()
    bar = inbox.get_by_role("group", name="Decide for all selected")
    expect(bar).to_be_hidden()
    inbox.locator("[data-select]").nth(0).check()
    inbox.locator("[data-select]").nth(2).check()
    expect(bar).to_be_visible()
    number = "getComputedStyle(document.querySelector('.number'), '::before').content"
    assert "picked" in inbox.evaluate(number)
    bar.get_by_label("Decision").select_option("reject")
    bar.get_by_label("Why?").select_option("trivial")
    bar.get_by_role("button", name="Preview").click()
    inbox.wait_for_url("**/review/batches/*/")


def test_it_chooses_the_whole_page(inbox: Page) -> None:
    inbox.goto("/review/?kind=pending")
    inbox.get_by_role("link", name="Select this page").click()
    expect(inbox.locator("[data-select]:checked")).to_have_count(3)
    expect(inbox).to_have_url("/review/?kind=pending")


def test_it_tells_of_new_items_and_moves_nothing(inbox: Page, actor: Actor) -> None:
    inbox.clock.install()
    inbox.goto("/review/")
    place = inbox.locator(".row").first.bounding_box()
    flagged(actor, "It came meanwhile.")
    inbox.clock.run_for(61_000)
    expect(inbox.get_by_text("1 new item — show")).to_be_visible()
    expect(inbox.locator("#tab-open .count")).to_have_text("4")
    assert inbox.locator(".row").first.bounding_box() == place
    inbox.get_by_text("1 new item — show").click()
    expect(inbox.get_by_text("It came meanwhile.")).to_be_visible()


def test_it_keeps_a_view(inbox: Page) -> None:
    inbox.goto("/review/?kind=pending&language=mixed")
    inbox.get_by_text("Save this view").click()
    inbox.get_by_label("Name of the view").fill("Mixed ones")
    inbox.get_by_role("button", name="Save", exact=True).click()
    expect(inbox.get_by_role("link", name="Mixed ones", exact=True)).to_have_attribute(
        "aria-current", "page"
    )
    assert SavedView.objects.get().query == "kind=pending&language=mixed"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_usable_by_everyone(inbox: Page, reviewer: User, scheme: str) -> None:
    first = Flag.objects.order_by("pk").first()
    assert first is not None
    Flag.objects.filter(pk=first.pk).update(assignee=reviewer)
    inbox.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    inbox.goto("/review/?kind=pending&picked=page&confidence=low")
    found = Axe().run(inbox, options={"runOnly": {"type": "tag", "values": WCAG}})
    assert found.response["violations"] == [], found.generate_report()


@pytest.mark.parametrize("width", [380, 1440])
def test_it_fits(inbox: Page, width: int) -> None:
    inbox.set_viewport_size({"width": width, "height": 800})
    inbox.goto("/review/?kind=pending&picked=page&confidence=low")
    assert not inbox.evaluate("document.documentElement.scrollWidth > innerWidth")
