"""Versions, the forgetting curve, archive and trash in a real browser (E1, E5, E6, J2)."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.lifecycle import delete_memory, update_memory
from memories.lifecycle.shelving import archive_memory
from memories.models import Memory
from memories.permissions import Actor
from memories.writing import write_memory
from tests.e2e.conftest import sign_in
from tests.e2e.test_pages import violations

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("reviewer", "embedder"),
]
FIRST = "The build cache is Redis. It listens on 6379. 缓存满了就清空。"
SECOND = "The build cache is Valkey. It listens on 6379. 缓存满了就清空。"
ARCHIVED = ["The canteen closes at two.", "Parcels are kept at the gate."]
DELETED = ["Badges expire in June.", "The lift is out of order."]
PAGES = ["detail", "compare", "blame", "archive", "trash", "expiring", "nothing"]


@pytest.fixture
def memory(actor: Actor, person: Actor) -> Memory:
    """A memory that says something else by now, is still warm, and has a date of expiry."""
    made = write_memory(actor=actor, content=FIRST, reflection="Seen in the compose file.").memory
    update_memory(
        actor=person,
        memory_id=made.pk,
        expected_version=1,
        content=SECOND,
        tags=["infra"],
        reason="the team moved",
    )
    now = timezone.now()
    aged: dict[str, Any] = {"heat": 4.0, "last_recalled_at": now - timedelta(days=20)}
    Memory.objects.filter(pk=made.pk).update(expires_at=now + timedelta(days=5), **aged)
    return Memory.objects.get(pk=made.pk)


@pytest.fixture
def shelves(actor: Actor, person: Actor) -> None:
    """Two memories in the archive and two in the trash."""
    for text in ARCHIVED:
        kept = write_memory(actor=actor, content=text).memory
        archive_memory(actor=person, memory_id=kept.pk, reason="over")
    for text in DELETED:
        gone = write_memory(actor=actor, content=text).memory
        delete_memory(actor=person, memory_id=gone.pk)


@pytest.fixture
def plain(chromium: Browser, live_server: LiveServer) -> Iterator[Page]:
    """A browser in which no script runs."""
    context = chromium.new_context(base_url=live_server.url, locale="en", java_script_enabled=False)
    yield context.new_page()
    context.close()


def open_page(page: Page, name: str, memory: Memory) -> None:
    """Go to one of PAGES, and open all that can be opened on it."""
    one = f"/memories/{memory.pk}/"
    addresses = {
        "detail": one,
        "compare": f"{one}compare/?from=1&to=2",
        "blame": f"{one}blame/",
        "expiring": "/memories/?expiring=soon",
        "nothing": "/memories/archive/?q=nobody",
    }
    page.goto(addresses.get(name, f"/memories/{name}/"))
    page.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)")


@pytest.mark.usefixtures("shelves")
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_it_is_accessible(page: Page, memory: Memory, colours: Any) -> None:
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    sign_in(page)
    for name in PAGES:
        open_page(page, name, memory)
        for box in page.locator("[data-select]").all():
            box.check()
        assert violations(page) == [], name


@pytest.mark.usefixtures("shelves")
@pytest.mark.parametrize("width", [380, 1440])
def test_it_fits(page: Page, memory: Memory, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page)
    for name in PAGES:
        open_page(page, name, memory)
        for box in page.locator("[data-select]").all():
            box.check()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name


def test_it_restores_a_version_and_takes_it_back(page: Page, memory: Memory) -> None:  # E1
    sign_in(page)
    page.goto(f"/memories/{memory.pk}/")
    page.get_by_text("Restore version 1").click()
    page.locator("#history").get_by_role("button", name="Restore").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(FIRST)
    expect(page.get_by_text("Version 1 is version 3 now.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(SECOND)


def test_it_compares_versions_without_a_script(plain: Page, memory: Memory) -> None:  # E1
    sign_in(plain)
    plain.goto(f"/memories/{memory.pk}/")
    plain.get_by_role("link", name="Compare versions").click()
    plain.get_by_label("with version").fill("1")
    plain.get_by_label("Compare version").fill("2")
    plain.get_by_role("button", name="Compare").click()
    expect(plain.get_by_role("heading", level=1)).to_have_text("Version 2 → version 1")
    expect(plain.locator("ins", has_text="Redis")).to_be_visible()


def test_it_archives_and_takes_it_back(page: Page, memory: Memory) -> None:  # E5
    sign_in(page)
    page.goto(f"/memories/{memory.pk}/")
    expect(page.get_by_role("img", name="archived on")).to_be_visible()
    page.get_by_role("button", name="Archive", exact=True).click()
    expect(page.get_by_text("This memory is in the archive")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("It is back.")).to_be_visible()
    assert Memory.objects.get(pk=memory.pk).status == "active"


def test_it_pins(page: Page, memory: Memory) -> None:
    sign_in(page)
    page.goto(f"/memories/{memory.pk}/")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.get_by_role("img", name="it is pinned and stays")).to_be_visible()
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()


@pytest.mark.usefixtures("shelves")
def test_it_restores_what_was_selected_without_a_script(plain: Page) -> None:  # E6
    sign_in(plain)
    plain.goto("/memories/trash/")
    every = plain.get_by_role("button", name="Restore the selected ones")
    expect(every).to_be_hidden()
    for text in DELETED:
        plain.get_by_label(f"Select: {text}").check()
    every.click()
    expect(plain.get_by_text("2 memories are back.")).to_be_visible()
    expect(plain.get_by_role("heading", name="The trash is empty")).to_be_visible()


@pytest.mark.usefixtures("shelves")
def test_it_searches_the_archive_while_typing(page: Page) -> None:  # E5
    sign_in(page)
    page.goto("/memories/")
    page.get_by_role("link", name="Archive").click()
    page.get_by_role("searchbox").press_sequentially("canteen")
    expect(page.get_by_role("link", name=ARCHIVED[1])).to_be_hidden()
    expect(page.get_by_role("link", name=ARCHIVED[0])).to_be_visible()
    page.get_by_role("button", name=f"Restore: {ARCHIVED[0]}").click()
    expect(page.get_by_text("1 memory is back.")).to_be_visible()
