"""Jobs in a real browser: start, watch without reloading, stop, undo; for everyone (H4, I5)."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories import jobs
from memories.models import JobRun, Memory, Space
from memories.permissions import Actor
from tests.e2e.conftest import sign_in
from tests.e2e.test_pages import violations
from tests.memories.jobs.archiving import carried, install, ran
from tests.memories.recall.helpers import jot
from tests.people import member

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("reviewer"),
]
NAMES = ["list", "runs", "none", "run", "open", "trial", "failed", "undoing"]
LONG = "x" * 300


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


@pytest.fixture
def notes(actor: Actor) -> list[Memory]:
    return [jot(actor, f"Note number {n}.") for n in range(3)]


@pytest.fixture
def places(admin: Actor, notes: list[Memory]) -> dict[str, str]:
    """A run of every sort, by the name of its page."""
    found = {"trial": ran(admin, trial=True), "run": ran(admin)}
    found["undoing"] = carried(jobs.undo_run(actor=admin, run_id=found["run"].pk))
    now = timezone.now()
    made = {"space_id": admin.space_id, "started_at": now}
    errors = [{"row": str(notes[0].pk), "error": LONG}, {"row": LONG, "error": "ValueError"}]
    found["failed"] = JobRun.objects.create(
        job="toy", state="failed", note=LONG, errors=errors, failed=2, finished_at=now, **made
    )
    held = now + timedelta(minutes=9)
    found["open"] = JobRun.objects.create(
        job="fade", state="running", done=3, total=9, claimed_until=held, **made
    )
    lost = JobRun.objects.create(job="expire", **made)
    JobRun.objects.filter(pk=lost.pk).update(created_at=now - timedelta(hours=1))
    return {"list": "/jobs/", "runs": "/jobs/runs/", "none": "/jobs/runs/?state=stopped"} | {
        name: f"/jobs/runs/{run.pk}/" for name, run in found.items()
    }


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_it_is_accessible(page: Page, places: dict[str, str], colours: Any) -> None:
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    for who in ("ada", "rui"):
        page.context.clear_cookies()
        sign_in(page, who)
        for name in NAMES:
            page.goto(places[name])
            assert violations(page) == [], name


def test_it_fits_a_phone(page: Page, places: dict[str, str]) -> None:
    page.set_viewport_size({"width": 380, "height": 800})
    sign_in(page, "ada")
    for name in NAMES:
        page.goto(places[name])
        assert page.evaluate("document.documentElement.scrollWidth") <= 380, name


@pytest.mark.parametrize("width", [380, 706, 768, 1030])
def test_its_place_in_the_navigation_fits(
    page: Page, space: Space, admin: Actor, width: int
) -> None:
    """Also while very much waits: every room is in sight, in one line."""
    Space.objects.filter(pk=space.pk).update(name="A space with quite a long name")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, "ada")
    page.evaluate(
        "document.querySelector('.rooms a').insertAdjacentHTML('beforeend',"
        " '<span class=\"count\">99+</span>')"
    )
    rooms = page.locator(".rooms")
    assert rooms.evaluate("one => one.scrollWidth - one.clientWidth") <= 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_watches_a_run_without_a_new_page(page: Page, notes: list[Memory], admin: Actor) -> None:
    sign_in(page, "ada")
    page.get_by_role("link", name="Jobs", exact=True).click()
    page.locator("#run-toy").click()
    page.wait_for_url("**/jobs/runs/*/")
    expect(page.get_by_text("Its turn comes in a moment.")).to_be_visible()
    page.evaluate("window.here = true")
    page.locator("#stop").focus()
    run = JobRun.objects.get()
    JobRun.objects.filter(pk=run.pk).update(state="running", done=1, total=3)
    expect(page.get_by_text("1 of about 3 rows")).to_be_visible()
    assert page.evaluate("document.activeElement.id") == "stop"
    carried(run)
    expect(page.locator(".message")).to_have_text("done: 3 put away")
    expect(page.get_by_role("heading", name="What it changed")).to_be_visible()
    expect(page.locator("#announce")).to_have_text("done: 3 put away")
    assert page.evaluate("window.here")


def test_the_list_follows_a_run_as_well(page: Page, notes: list[Memory], admin: Actor) -> None:
    run = jobs.start(actor=admin, job="toy")
    sign_in(page)
    page.goto("/jobs/")
    expect(page.get_by_text("nothing yet")).to_be_visible()
    carried(run)
    expect(page.get_by_text("3 put away")).to_be_visible()
    expect(page.get_by_text("nothing yet")).to_have_count(0)


def test_it_tries_does_and_undoes(page: Page, notes: list[Memory], admin: Actor) -> None:
    sign_in(page, "ada")
    page.goto("/jobs/")
    page.locator("#trial-toy").click()
    page.wait_for_url("**/jobs/runs/*/")
    carried(JobRun.objects.get())
    page.get_by_role("button", name="Do it for real").click()
    run = JobRun.objects.get(trial=False)
    page.wait_for_url(f"**/jobs/runs/{run.pk}/")
    carried(run)
    page.get_by_role("button", name="Undo this run").click()
    undoing = JobRun.objects.get(job="undo_run")
    page.wait_for_url(f"**/jobs/runs/{undoing.pk}/")
    carried(undoing)
    expect(page.locator(".message")).to_have_text("done: 3 brought back")
    page.get_by_role("link", name="The run that this one undoes").click()
    expect(page.get_by_role("link", name="This run was undone")).to_be_visible()


def test_it_is_read_with_the_keyboard(page: Page, places: dict[str, str]) -> None:
    sign_in(page)
    page.goto("/jobs/runs/?job=toy&state=done")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{places['run']}")
    page.keyboard.press("b")
    page.wait_for_url("**/jobs/")


def test_it_works_without_javascript(
    chromium: Browser, live_server: LiveServer, notes: list[Memory], admin: Actor
) -> None:
    context = chromium.new_context(base_url=live_server.url, locale="en", java_script_enabled=False)
    page = context.new_page()
    sign_in(page, "ada")
    page.get_by_role("link", name="Jobs", exact=True).click()
    page.locator("#run-toy").click()
    expect(page.get_by_role("link", name="Refresh")).to_be_visible()
    carried(JobRun.objects.get())
    page.get_by_role("link", name="Refresh").click()
    expect(page.locator(".message")).to_have_text("done: 3 put away")
    page.get_by_role("link", name="All runs of this job").click()
    page.get_by_label("State").select_option("failed")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("heading", name="No run under this filter")).to_be_visible()
    context.close()


def test_a_viewer_is_told_why_there_is_nothing(page: Page, space: Space) -> None:
    member(space, "vera", "viewer")
    sign_in(page, "vera")
    expect(page.get_by_role("link", name="Jobs", exact=True)).to_have_count(0)
