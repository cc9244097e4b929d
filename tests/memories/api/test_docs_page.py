"""/api/docs/ in a real browser, under the product's own Content-Security-Policy."""

import shutil

import pytest
from playwright.sync_api import sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.memories.api.test_contract import OPERATIONS


@pytest.mark.browser
def test_it_shows_every_endpoint_without_breaking_the_policy(live_server: LiveServer) -> None:
    complaints: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        answer = page.goto(f"{live_server.url}/api/docs/")
        page.wait_for_selector(".opblock")
        shown = page.locator(".opblock").count()
        browser.close()
    assert answer is not None
    assert "style-src 'self'" in answer.headers["content-security-policy"].split("; ")
    assert (shown, complaints) == (len(OPERATIONS), [])
