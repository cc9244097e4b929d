"""Erasing a user in a real browser: preview, the name once more, progress, receipt (E6)."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from memories import jobs
from memories.models import JobRun, Memory
from memories.permissions import Actor
from memories.sessions import record_turns
from tests.e2e.conftest import sign_in
from tests.e2e.test_pages import violations
from tests.memories.recall.helpers import jot

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("reviewer"),
]
X = "ann@example.org"


@pytest.fixture
def boss(page: Page, admin: Actor, actor: Actor) -> Page:
    jot(actor, "likes tea", user_id=X)
    jot(actor, f"{X} asked about tea")
    record_turns(actor=actor, session="s", turns=[{"content": "hello"}], user_id=X)
    sign_in(page, "ada")
    page.goto("/memories/erase/")
    return page


def preview(page: Page) -> None:
    page.get_by_label("User", exact=True).fill(X)
    page.get_by_role("button", name="Show what would go").click()
    expect(page.get_by_role("heading", name=f"What goes about “{X}”")).to_be_visible()


def test_it_goes_all_the_way(boss: Page) -> None:
    preview(boss)
    expect(boss.get_by_text("1 text about others contains this name.")).to_be_visible()
    boss.get_by_label("Type the name once more").fill("ann")
    boss.get_by_role("button", name="Erase everything").click()
    expect(boss.get_by_role("alert")).to_contain_text("exactly")
    boss.get_by_label("Type the name once more").fill(X)
    boss.get_by_role("button", name="Erase everything").click()
    expect(boss.get_by_text("It begins in a moment.")).to_be_visible()
    assert X not in boss.url
    jobs.carry_on(JobRun.objects.get().pk)
    expect(boss.locator(".message")).to_have_text("Nothing about this user is left.")
    expect(boss.locator(".counts")).to_contain_text("turns")
    assert X not in boss.content()
    assert not Memory.objects.filter(user_id=X).exists()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_it_is_accessible_and_fits_a_phone(boss: Page, admin: Actor, colours: Any) -> None:
    boss.emulate_media(color_scheme=colours, reduced_motion="reduce")
    boss.set_viewport_size({"width": 380, "height": 800})
    run = JobRun.objects.create(space_id=admin.space_id, job="erase_user", total=9, done=3)
    for step in ("name", "preview", "open", "stopped"):
        if step == "preview":
            preview(boss)
        elif step != "name":
            JobRun.objects.filter(pk=run.pk).update(state="running" if step == "open" else step)
            boss.goto(f"/memories/erase/{run.pk}/")
        assert violations(boss) == [], step
        assert boss.evaluate("document.documentElement.scrollWidth") <= 380, step
