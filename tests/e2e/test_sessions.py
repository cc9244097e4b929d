"""Sessions in a real browser: read the trace, see what was made of it, try other numbers (H4)."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Flag, Session, Space
from memories.permissions import Actor
from tests.e2e.conftest import sign_in
from tests.e2e.test_pages import violations
from tests.memories.pages.looked_back import SAID, candidate, looked_back, recorded
from tests.people import member

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("reviewer", "embedder"),
]
NAMES = ["list", "nothing", "detail", "numbers", "turn", "memory", "review"]


@pytest.fixture
def session(actor: Actor, flag: Flag) -> Session:
    long = {"role": "user", "content": "A log line. " * 400 + "The cause is the proxy."}
    said = recorded(actor, [*SAID, long], task="Fix the build", user_id="alice", outcome="failure")
    looked_back(said, state="failed", note="It broke off.")
    looked_back(
        said,
        candidate(),
        candidate("merged", "duplicate", content="The proxy.", quote="the proxy", turns=[5]),
        candidate("flagged", "conflict", content="MySQL it is.", memory=flag.memory, turns=[1]),
        candidate("dropped", "no_value", content="Two fail.", worth=0.4, turns=[3, 4], quote=""),
        note="Distilled by rules.",
    )
    return said


def open_page(page: Page, name: str, session: Session, flag: Flag) -> None:
    """Go to one of NAMES, and open all that can be opened on it."""
    addresses = {
        "list": "/sessions/",
        "nothing": "/sessions/?outcome=abandoned",
        "detail": f"/sessions/{session.pk}/",
        "numbers": f"/sessions/{session.pk}/numbers/?keep_from=0.3",
        "turn": f"/sessions/{session.pk}/turns/5/",
        "memory": f"/memories/{flag.memory_id}/",
        "review": f"/review/{flag.pk}/",
    }
    page.goto(addresses[name])
    page.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)")


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_it_is_accessible(
    page: Page, session: Session, flag: Flag, name: str, colours: Any
) -> None:
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    sign_in(page)
    open_page(page, name, session, flag)
    assert violations(page) == []


def test_it_is_accessible_while_a_session_waits_for_somebody(
    page: Page, space: Space, actor: Actor
) -> None:
    open_one, failed = recorded(actor, key="o", ended=False), recorded(actor, key="f")
    looked_back(failed, state="failed", note="It broke off.")
    Session.objects.filter(pk=failed.pk).update(failures=3)
    member(space, "vera", "viewer")
    for name in ("rui", "vera"):
        page.context.clear_cookies()
        sign_in(page, name)
        for one in (open_one, failed):
            page.goto(f"/sessions/{one.pk}/")
            assert violations(page) == []


@pytest.mark.parametrize("name", NAMES)
def test_it_fits_a_phone(page: Page, session: Session, flag: Flag, name: str) -> None:
    Session.objects.update(task="x" * 500, user_id="y" * 200)
    session.turns.filter(number=1).update(content="z" * 700, speaker="s" * 200)
    session.turns.filter(tool="shell").update(tool="t" * 200)
    page.set_viewport_size({"width": 380, "height": 800})
    sign_in(page)
    open_page(page, name, session, flag)
    assert page.evaluate("document.documentElement.scrollWidth") <= 380


def test_it_leads_from_what_was_dropped_to_the_folded_call(page: Page, session: Session) -> None:
    sign_in(page)
    page.goto(f"/sessions/{session.pk}/")
    page.get_by_role("heading", name="dropped").click()
    page.locator("#candidate-4").get_by_role("link", name="turn 3").click()
    expect(page.locator("#turn-3")).to_be_visible()
    expect(page.locator("#turn-3")).to_contain_text("FAILED tests/test_tabs.py")


def test_it_tries_other_numbers_at_once(page: Page, session: Session) -> None:
    sign_in(page)
    page.goto(f"/sessions/{session.pk}/")
    page.get_by_text("With other numbers").click()
    page.get_by_label("Least worth").fill("0.3")
    expect(page.locator("#differences")).to_contain_text("1 more would be kept.")
    page.get_by_label("Least worth").fill("0.95")
    expect(page.locator("#differences")).to_contain_text("3 would be dropped.")
    page.wait_for_url(f"**/sessions/{session.pk}/")


def test_it_filters_without_a_new_page(page: Page, session: Session) -> None:
    sign_in(page)
    page.goto("/sessions/")
    page.get_by_label("Outcome").select_option("success")
    expect(page.get_by_role("heading", name="No session under this filter")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("link", name="Fix the build")).to_be_visible()


def test_it_is_read_with_the_keyboard(page: Page, session: Session) -> None:
    sign_in(page)
    page.goto("/sessions/")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/sessions/{session.pk}/")
    page.locator("#turn-2 summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#turn-3")).to_be_visible()
    page.keyboard.press("b")
    page.wait_for_url("**/sessions/")


def test_it_works_without_javascript(
    chromium: Browser, live_server: LiveServer, actor: Actor, session: Session
) -> None:
    recorded(actor, key="open", task="Still going on", ended=False)
    context = chromium.new_context(base_url=live_server.url, locale="en", java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    page.get_by_role("link", name="Sessions").click()
    page.get_by_label("Outcome").select_option("failure")
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("link", name="Fix the build").click()
    page.get_by_text("With other numbers").click()
    page.get_by_label("Least worth").fill("0.3")
    page.get_by_role("button", name="Try").click()
    expect(page.locator("#differences")).to_contain_text("1 more would be kept.")
    page.goto("/sessions/?state=open")
    page.get_by_role("link", name="Still going on").click()
    page.get_by_role("button", name="End and look back").click()
    expect(page.get_by_role("status")).to_contain_text("Ended.")
    context.close()
