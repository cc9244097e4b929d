"""Each kind of review item in a real browser: by keyboard, by mouse, without scripts (G1, G3)."""

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Flag, Memory
from memories.permissions import Actor
from review.kinds import KINDS, Kind, Offer
from tests.e2e.conftest import sign_in
from tests.e2e.test_pages import violations
from tests.review.flags import OPEN

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("reviewer", "embedder"),
]
TEXT = "A text that nobody else wrote."


def state(flag: Flag) -> list[tuple[str, str]]:
    """Return what agents would make of the flag's memories."""
    rows = Memory.objects.filter(space_id=flag.space_id).order_by("pk")
    return list(rows.values_list("status", "content"))


def decide_by_key(page: Page, offer: Offer) -> None:
    page.keyboard.press(offer.key.split()[0])
    if offer.takes_reason:
        page.keyboard.press("1")
    if offer.takes_text:
        page.locator("#id_content").fill(TEXT)
    if offer.asks_note:
        page.locator("#id_note").fill("weekdays; weekends")
    page.keyboard.press("Control+Enter" if offer.takes_text or offer.asks_note else "Enter")


@pytest.mark.parametrize("code", KINDS)
def test_it_decides_and_undoes_everything_by_keyboard(page: Page, actor: Actor, code: str) -> None:
    flag = OPEN[code](actor)
    before = state(flag)
    sign_in(page)
    for offer in KINDS[code].offers:
        page.goto(f"/review/{flag.pk}/")
        decide_by_key(page, offer)
        expect(page.locator(".messages")).to_contain_text(f"Decided: {offer.done}")
        flag.refresh_from_db()
        assert (flag.status, flag.resolution) == ("resolved", offer.choice)
        page.keyboard.press("u")
        expect(page.locator(".messages")).to_contain_text("Undone")
        flag.refresh_from_db()
        assert (flag.status, state(flag)) == ("open", before)


def by_mouse(page: Page, kind: Kind) -> Offer:
    """Take the first decision that needs nothing else, as a person with a mouse does."""
    offer = next(one for one in kind.offers if one.bulk and not one.takes_reason)
    page.locator("a[data-row]").first.click()
    page.get_by_role("radio", name=str(offer.label), exact=True).check()
    page.get_by_role("button", name="Decide").click()
    expect(page.locator(".messages")).to_contain_text(f"Decided: {offer.done}")
    return offer


@pytest.mark.parametrize("code", KINDS)
def test_it_decides_by_mouse_from_the_list(page: Page, actor: Actor, code: str) -> None:
    flag = OPEN[code](actor)
    sign_in(page)
    page.goto(f"/review/?kind={code}")
    offer = by_mouse(page, KINDS[code])
    flag.refresh_from_db()
    assert flag.resolution == offer.choice


@pytest.mark.parametrize("code", KINDS)
def test_it_works_without_javascript(
    chromium: Browser, live_server: LiveServer, actor: Actor, code: str
) -> None:
    flag = OPEN[code](actor)
    context = chromium.new_context(base_url=live_server.url, locale="en", java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    offer = by_mouse(page, KINDS[code])
    flag.refresh_from_db()
    assert flag.resolution == offer.choice
    page.get_by_role("button", name="Undo").first.click()
    flag.refresh_from_db()
    assert flag.status == "open"
    context.close()


@pytest.mark.parametrize("width", [380, 1440])
@pytest.mark.parametrize("code", KINDS)
def test_it_is_accessible_in_any_width(page: Page, actor: Actor, code: str, width: int) -> None:
    flag = OPEN[code](actor)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if width == 380 else "light", reduced_motion="reduce")
    sign_in(page)
    page.goto(f"/review/{flag.pk}/")
    page.keyboard.press("r")
    page.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
