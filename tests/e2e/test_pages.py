"""Every page: usable by everyone, in every width, without a complaint of the browser."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from memories.models import Flag, Space
from memories.pages.views import PAGE
from memories.permissions import Actor
from memories.writing import import_memories
from memories.writing.draft import drafted
from review.decisions import decide
from tests.e2e.conftest import sign_in
from tests.people import NEW, member

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("reviewer", "embedder"),
]
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
PAGES = ["queue", "item", "merge", "memories", "search", "nothing", "detail", "help"]


def open_page(page: Page, name: str, flag: Flag) -> None:
    """Go to one of PAGES, and open all that can be opened on it."""
    addresses = {
        "item": f"/review/{flag.pk}/",
        "merge": f"/review/{flag.pk}/",
        "memories": "/memories/?kind=fact",
        "search": "/memories/?q=billing",
        "nothing": "/review/?age=older",
        "detail": f"/memories/{flag.memory_id}/",
    }
    page.goto(addresses.get(name, "/review/"))
    if name in ("merge", "help"):
        page.keyboard.press("m" if name == "merge" else "?")
    page.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)")


def violations(page: Page) -> list[str]:
    options: dict[str, Any] = {"runOnly": {"type": "tag", "values": WCAG}}
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {node['target']} {node['html']}" for one in found for node in one["nodes"]
    ]


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_it_is_accessible(page: Page, flag: Flag, name: str, colours: Any) -> None:
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    sign_in(page)
    open_page(page, name, flag)
    assert violations(page) == []


def test_it_is_accessible_to_a_viewer(page: Page, space: Space, flag: Flag) -> None:
    member(space, "vera", "viewer")
    sign_in(page, "vera")
    for name in ("item", "detail"):
        open_page(page, name, flag)
        assert violations(page) == []


def test_it_is_accessible_after_a_decision(page: Page, flag: Flag, person: Actor) -> None:
    decide(actor=person, flag_id=flag.pk, choice="keep_new", expected_versions=(1, 1))
    sign_in(page)
    for name in ("queue", "item", "detail"):
        open_page(page, name, flag)
        assert violations(page) == []


def test_it_is_accessible_before_signing_in(page: Page) -> None:
    page.goto("/login/")
    page.get_by_text("Display").click()
    assert violations(page) == []


@pytest.mark.parametrize("name", PAGES)
def test_it_fits_a_phone(page: Page, flag: Flag, name: str) -> None:
    page.set_viewport_size({"width": 380, "height": 800})
    sign_in(page)
    open_page(page, name, flag)
    assert page.evaluate("document.documentElement.scrollWidth") <= 380


def test_it_fits_a_phone_with_a_word_that_does_not_end(page: Page, flag: Flag) -> None:
    type(flag.memory).objects.filter(pk=flag.memory_id).update(
        content="x" * 3000, subject="y" * 200, session="z" * 200, tags=["t" * 60]
    )
    page.set_viewport_size({"width": 380, "height": 800})
    sign_in(page)
    for name in ("queue", "item", "memories", "detail"):
        open_page(page, name, flag)
        assert page.evaluate("document.documentElement.scrollWidth") <= 380


def test_it_searches_while_typing_and_keeps_the_address(page: Page, flag: Flag) -> None:
    sign_in(page)
    page.goto("/memories/")
    page.get_by_role("searchbox").press_sequentially("MySQL")
    expect(page.get_by_role("link", name=NEW)).to_be_visible()
    page.wait_for_url("**/memories/?q=MySQL**")
    expect(page.locator("#announce")).to_contain_text("best first")
    page.reload()
    expect(page.get_by_role("searchbox")).to_have_value("MySQL")


def test_it_goes_on_to_older_memories_and_keeps_the_focus(page: Page, actor: Actor) -> None:
    drafts = [("", drafted(content=f"Fact number {n}.")) for n in range(PAGE + 1)]
    list(import_memories(actor=actor, drafts=drafts))
    sign_in(page)
    page.goto("/memories/")
    page.get_by_role("link", name="Older").click()
    expect(page.get_by_role("link", name="Fact number 0.")).to_be_focused()
    page.wait_for_url("**/memories/?before=*")


def test_it_filters_the_queue_without_a_new_page(page: Page, flag: Flag) -> None:
    sign_in(page)
    page.get_by_text("Filter", exact=True).first.click()
    page.get_by_label("Age", exact=True).select_option("older")
    expect(page.get_by_role("heading", name="Nothing under this filter")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("link", name="The new one says")).to_be_visible()


@pytest.mark.parametrize(("chosen", "scheme"), [("Dark", "dark"), ("Light", "light")])
def test_it_keeps_the_colours_a_person_chose(page: Page, chosen: str, scheme: str) -> None:
    sign_in(page)
    page.get_by_text("rui").click()
    page.get_by_role("button", name=chosen).click()
    seen = "getComputedStyle(document.documentElement).colorScheme"
    page.wait_for_function(f"{seen} === '{scheme}'")
    page.goto("/memories/")
    assert page.evaluate(seen) == scheme


def test_it_changes_the_language(page: Page) -> None:
    sign_in(page)
    page.get_by_text("rui").click()
    page.get_by_role("button", name="简体中文").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("等待裁决")
