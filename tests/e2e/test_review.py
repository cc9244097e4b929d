"""From signing in to what agents recall, in a real browser (G3, I1)."""

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Flag
from memories.permissions import Actor
from memories.recall import recall
from tests.doubts import DOUBTED, SURE, doubt
from tests.e2e.conftest import sign_in
from tests.e2e.test_pages import violations
from tests.people import NEW, OLD, conflict

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("reviewer", "embedder"),
]
QUESTION = "Which database does the billing service use?"


def recalled(actor: Actor) -> list[str]:
    return [hit.memory.content for hit in recall(actor=actor, query=QUESTION).hits]


def test_it_decides_with_the_mouse(page: Page, flag: Flag, actor: Actor) -> None:
    assert set(recalled(actor)) == {OLD, NEW}
    sign_in(page)
    page.get_by_role("link", name="The new one says").click()
    page.get_by_role("radio", name="Keep new").check()
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("status").first).to_contain_text("Decided: the new one is kept.")
    assert recalled(actor) == [NEW]


def test_it_decides_with_the_keyboard(page: Page, flag: Flag, actor: Actor) -> None:
    sign_in(page)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/review/{flag.pk}/")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Decided: the new one is kept.")
    assert recalled(actor) == [NEW]


def test_it_merges_with_the_keyboard(page: Page, flag: Flag, actor: Actor) -> None:
    sign_in(page)
    page.goto(f"/review/{flag.pk}/")
    page.keyboard.press("m")
    editor = page.get_by_label("Merged text")
    expect(editor).to_be_focused()
    expect(editor).to_have_value(f"{NEW}\n{OLD}")
    editor.fill("Billing moved from PostgreSQL to MySQL in May.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status").first).to_contain_text("Decided: merged into one.")
    assert recalled(actor) == ["Billing moved from PostgreSQL to MySQL in May."]


def test_it_approves_with_the_keyboard(page: Page, actor: Actor) -> None:
    flag = doubt(actor)
    sign_in(page)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/review/{flag.pk}/")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Decided: approved.")
    flag.refresh_from_db()
    assert (flag.memory.status, flag.memory.content) == ("active", DOUBTED)


def test_it_edits_and_approves_with_the_keyboard(page: Page, actor: Actor) -> None:
    flag = doubt(actor)
    sign_in(page)
    page.goto(f"/review/{flag.pk}/")
    page.keyboard.press("e")
    editor = page.get_by_role("textbox", name="Your text")
    expect(editor).to_be_focused()
    expect(editor).to_have_value(DOUBTED)
    editor.fill(SURE)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status").first).to_contain_text("Decided: edited and approved.")
    flag.refresh_from_db()
    assert (flag.memory.status, flag.memory.content) == ("active", SURE)


def test_it_rejects_with_a_reason_by_keyboard(page: Page, actor: Actor) -> None:
    flag = doubt(actor)
    sign_in(page)
    page.goto(f"/review/{flag.pk}/")
    reasons = page.get_by_role("group", name="Why?")
    expect(reasons).to_be_hidden()
    page.keyboard.press("1")  # a reason's key, but nothing is rejected yet
    page.keyboard.press("r")
    expect(reasons).to_be_visible()
    expect(reasons.get_by_role("radio", checked=True)).to_have_count(0)
    page.keyboard.press("6")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Decided: rejected.")
    flag.refresh_from_db()
    assert (flag.memory.status, flag.decisions.get().reason) == ("overturned", "trivial")


@pytest.mark.parametrize("key", ["a", "e", "r"])
def test_a_doubt_is_accessible_and_fits_a_phone(page: Page, actor: Actor, key: str) -> None:
    flag = doubt(actor)
    page.set_viewport_size({"width": 380, "height": 800})
    page.emulate_media(reduced_motion="reduce")
    sign_in(page)
    page.goto(f"/review/{flag.pk}/")
    page.keyboard.press(key)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 380


def test_it_walks_through_the_queue_with_the_keyboard(page: Page, flag: Flag, actor: Actor) -> None:
    newer = conflict(actor, "Backups run at 02:00.", "Backups run at 04:30.")
    sign_in(page)
    page.goto(f"/review/{flag.pk}/")
    page.keyboard.press("j")
    page.wait_for_url(f"**/review/{newer.pk}/")
    page.keyboard.press("k")
    page.wait_for_url(f"**/review/{flag.pk}/")
    page.keyboard.press("b")
    page.wait_for_url("**/review/")


def test_it_does_not_take_letters_from_a_text(page: Page, flag: Flag) -> None:
    sign_in(page)
    page.goto(f"/review/{flag.pk}/")
    note = page.get_by_role("textbox", name="Note")
    note.press_sequentially("jk 1?u")
    expect(note).to_have_value("jk 1?u")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_it_shows_its_keys(page: Page, flag: Flag) -> None:
    sign_in(page)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_it_keeps_what_was_typed_when_a_note_is_missing(page: Page, flag: Flag) -> None:
    sign_in(page)
    page.goto(f"/review/{flag.pk}/")
    page.get_by_role("radio", name="Both are true").check()
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("alert")).to_contain_text("Say when or where")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("radio", name="Both are true")).to_be_checked()


def test_it_works_without_javascript(
    chromium: Browser, live_server: LiveServer, flag: Flag, actor: Actor
) -> None:
    context = chromium.new_context(base_url=live_server.url, locale="en", java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    page.locator("summary").filter(has_text="Filter").click()
    page.get_by_label("Reason").select_option("value_replaced")
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("link", name="The new one says").click()
    page.get_by_role("radio", name="Keep old").check()
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("status").first).to_contain_text("Decided: the old one is kept.")
    page.goto("/memories/")
    page.get_by_role("searchbox").fill("billing")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("link", name=OLD)).to_be_visible()
    assert recalled(actor) == [OLD]
    context.close()


def test_it_rejects_a_doubt_without_javascript(
    chromium: Browser, live_server: LiveServer, actor: Actor
) -> None:
    flag = doubt(actor)
    context = chromium.new_context(base_url=live_server.url, locale="en", java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    page.get_by_role("link", name="The look back at a session").click()
    page.get_by_role("radio", name="Reject").check()
    page.get_by_role("radio", name="outdated").check()
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("status").first).to_contain_text("Decided: rejected.")
    flag.refresh_from_db()
    assert (flag.memory.status, flag.decisions.get().reason) == ("overturned", "outdated")
    context.close()
