"""Numbers and rules in a real browser: tried, saved and written by keyboard, usable by everyone."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from hindsight_site.accounts.models import User
from memories.models import Flag, Policy, Space
from memories.permissions import Actor
from review.models import Rule
from tests.e2e.conftest import sign_in
from tests.e2e.test_pages import violations
from tests.memories.pages.looked_back import candidate, looked_back, recorded
from tests.people import member

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("embedder"),
]


@pytest.fixture
def admin(space: Space) -> User:
    return member(space, "ada", "admin")


@pytest.fixture
def rule(space: Space) -> Rule:
    return Rule.objects.create(space=space, name="newer wins", kind="conflict", choice="keep_new")


def test_enter_tries_and_the_button_saves(page: Page, admin: User, actor: Actor) -> None:
    looked_back(recorded(actor), candidate("dropped", "no_value", worth=0.45))
    sign_in(page, "ada")
    page.goto("/policies/")
    page.get_by_label("Least worth").fill("0.4")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 of the last 1 candidates would have been kept")).to_be_visible()
    assert not Policy.objects.exists()
    page.get_by_label("Why this change?").fill("we miss things")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved as version 1")).to_be_visible()
    assert Policy.objects.get().note == "we miss things"


def test_a_rule_is_written_tried_and_deleted(page: Page, admin: User, flag: Flag) -> None:
    sign_in(page, "ada")
    page.goto("/policies/rules/")
    page.get_by_role("link", name="New rule").click()
    page.get_by_role("link", name="Conflicts").click()
    page.get_by_label("Name").fill("newer wins")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 open item fits.")).to_be_visible()
    assert not Rule.objects.exists()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Delete “newer wins”").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("There are no rules")).to_be_visible()


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("role", ["admin", "viewer"])
def test_it_is_accessible_and_fits_a_phone(
    page: Page, space: Space, rule: Rule, flag: Flag, role: str, colours: Any
) -> None:
    member(space, "vi", role)
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    page.set_viewport_size({"width": 380, "height": 800})
    sign_in(page, "vi")
    for address in ("", "rules/", f"rules/{rule.pk}/"):
        page.goto(f"/policies/{address}")
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == 380
