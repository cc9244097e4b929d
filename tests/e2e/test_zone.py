"""The browser says once in which time zone it is; what a person chooses then stays."""

import pytest
from playwright.sync_api import BrowserContext, Page

from hindsight_site.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def abroad(page: Page, context: BrowserContext, reviewer: User) -> Page:
    """A tab of a browser in Caracas, which is not among the usual zones."""
    session = context.new_cdp_session(page)
    session.send("Emulation.setTimezoneOverride", {"timezoneId": "America/Caracas"})
    page.goto("/login/")
    return page


def chosen(page: Page) -> str:
    page.goto("/login/")
    return page.locator("select[name=timezone]").input_value()


def test_it_takes_the_browsers_zone(abroad: Page) -> None:
    assert chosen(abroad) == "America/Caracas"
    first = abroad.locator("option[data-here]")
    assert first.text_content() == "The browser’s zone (America/Caracas)"
    assert first.get_attribute("value") == "America/Caracas"


def test_it_keeps_what_a_person_chose(abroad: Page) -> None:
    abroad.locator(".menu summary").click()
    abroad.locator("select[name=timezone]").select_option("Asia/Tokyo")
    abroad.get_by_role("button", name="Set", exact=True).click()
    abroad.wait_for_load_state()
    assert chosen(abroad) == "Asia/Tokyo"
