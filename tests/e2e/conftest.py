"""A real browser on a running server. What its console complains about fails the test."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from memories.models import Flag
from memories.permissions import Actor
from tests.people import PASSWORD, conflict


@pytest.fixture(scope="module", autouse=True)
def _orm_beside_the_browser() -> Iterator[None]:
    """Playwright's loop runs in the test's thread; the ORM there is used by the test alone."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    yield
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="module")
def chromium(_orm_beside_the_browser: None) -> Iterator[Browser]:
    """A browser a file: while one runs, no other test could use an event loop in this process."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )
        yield browser
        browser.close()


@pytest.fixture
def context(chromium: Browser, live_server: LiveServer) -> Iterator[BrowserContext]:
    made = chromium.new_context(base_url=live_server.url, locale="en")
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A tab; a violated policy, a script's error or a missing file fails the test at its end."""
    complaints: list[str] = []
    tab = context.new_page()
    tab.set_default_timeout(20_000)
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("console", lambda said: complaints.append(said.text) if _is_bad(said) else None)
    yield tab
    assert complaints == []


def _is_bad(said: ConsoleMessage) -> bool:
    """An honest refusal is no mistake, though the browser logs every such answer."""
    refused = "status of 400" in said.text or "status of 409" in said.text
    return said.type in {"error", "warning"} and not refused


@pytest.fixture
def flag(embedder: str, actor: Actor) -> Flag:
    return conflict(actor)


def sign_in(page: Page, name: str = "rui") -> None:
    """Sign in as a person would."""
    page.goto("/login/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/review/")
