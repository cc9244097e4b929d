"""Working through many items, and together, in a real browser (G3)."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Flag, Space
from memories.permissions import Actor
from review.models import Decision
from tests.doubts import doubt
from tests.e2e.conftest import sign_in
from tests.e2e.test_pages import violations
from tests.people import member

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("reviewer", "embedder"),
]
SAID = (
    "The canteen seems to close at two.",
    "Parcels may be kept at the gate.",
    "Badges probably expire in June.",
)


@pytest.fixture
def flags(actor: Actor) -> list[Flag]:
    return [doubt(actor, text) for text in SAID]


@pytest.fixture
def adas(chromium: Browser, live_server: LiveServer, space: Space) -> Iterator[Page]:
    """A second person's browser."""
    member(space, "ada")
    context = chromium.new_context(base_url=live_server.url, locale="en")
    page = context.new_page()
    sign_in(page, "ada")
    yield page
    context.close()


def test_it_goes_through_the_queue_by_itself(page: Page, flags: list[Flag]) -> None:
    sign_in(page)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    for left in (3, 2, 1):
        expect(page.locator(".rooms .count")).to_contain_text(f"{left} waiting")
        expect(page.get_by_role("radio", name="Approve", exact=True)).to_be_visible()
        page.wait_for_load_state()  # from then on the page listens to keys
        page.keyboard.press("a")
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Nothing to decide")).to_be_visible()
    assert not Flag.objects.open().exists()


def test_it_snoozes_comments_and_goes_back_by_keyboard(page: Page, flags: list[Flag]) -> None:
    sign_in(page)
    page.goto(f"/review/{flags[0].pk}/")
    page.keyboard.press("c")
    page.keyboard.type("Does anybody know?")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Does anybody know?")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.keyboard.press("s")
    page.keyboard.press("Enter")
    expect(page.locator(".messages")).to_contain_text("Put off")
    flags[0].refresh_from_db()
    assert flags[0].snoozed_until is not None
    assert flags[0].comments.count() == 1
    page.keyboard.press("b")
    page.wait_for_url("**/review/**")
    expect(page.locator("a[data-row]")).to_have_count(2)


def test_two_people_see_one_another_and_can_take_over(
    page: Page, adas: Page, flags: list[Flag]
) -> None:
    sign_in(page)
    page.goto(f"/review/{flags[0].pk}/")
    adas.goto(f"/review/{flags[0].pk}/")
    expect(adas.get_by_text("rui is looking at this")).to_be_visible()
    expect(adas.get_by_role("radio", name="Approve", exact=True)).to_be_disabled()
    adas.get_by_role("button", name="Take over").click()
    expect(adas.get_by_role("radio", name="Approve", exact=True)).to_be_enabled()
    page.get_by_role("radio", name="Approve", exact=True).check()
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_text("ada is looking at this").first).to_be_visible()
    assert not Decision.objects.exists()


def test_many_are_rejected_at_once_and_come_back(page: Page, flags: list[Flag]) -> None:
    sign_in(page)
    page.goto("/review/?kind=pending")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator("[data-select]:checked")).to_have_count(1)
    page.keyboard.press("Shift+X")
    expect(page.locator("[data-select]:checked")).to_have_count(3)
    page.locator(".bulk-bar select[name=choice]").select_option("reject")
    page.locator(".bulk-bar select[name=reason]").select_option("trivial")
    page.get_by_role("button", name="Preview").click()
    page.wait_for_url("**/review/batches/**")
    assert violations(page) == []
    page.get_by_role("button", name="Decide 3 items").click()
    expect(page.get_by_role("button", name="Undo all")).to_be_visible()
    assert Flag.objects.open().count() == 0
    assert violations(page) == []
    page.get_by_role("button", name="Undo all").click()
    expect(page.get_by_text("Undone").first).to_be_visible()
    assert Flag.objects.open().count() == 3


@pytest.mark.parametrize(
    "path",
    [
        "/review/?kind=pending",
        "/review/?state=decided",
        "/review/?text=nothing+at+all",
        "/review/numbers/",
        "/review/batches/",
        "/policies/",
        "/policies/rules/",
        "/policies/rules/new/?kind=conflict",
        "/agents/",
    ],
)
@pytest.mark.parametrize("width", [380, 1440])
def test_every_page_is_accessible_and_fits(
    page: Page, space: Space, flags: list[Flag], path: str, width: int
) -> None:
    member(space, "olga", "admin")
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if width == 380 else "light", reduced_motion="reduce")
    sign_in(page, "olga")
    answer = page.goto(path)
    assert answer is not None
    assert answer.status == 200
    page.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
