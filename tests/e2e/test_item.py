"""One review item in a real browser: keys, swaps, and what others do meanwhile (G2, G3)."""

import pytest
from playwright.sync_api import Page, expect

from memories.identity import actor_for_user
from memories.lifecycle import update_memory
from memories.models import Flag, Memory, Space
from memories.permissions import Actor
from review.claims import claim
from review.decisions import decide
from review.models import Claim, Decision
from tests.e2e.conftest import sign_in
from tests.people import conflict, member

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("reviewer", "embedder"),
]


def opened(page: Page, flag: Flag) -> None:
    sign_in(page)
    page.goto(f"/review/{flag.pk}/")


def test_the_next_item_comes_by_itself_and_is_announced(page: Page, actor: Actor) -> None:
    conflict(actor, "Backups run at 02:00.", "Backups run at 04:30.")
    flag = conflict(actor)
    opened(page, flag)
    page.evaluate("window.kept = true")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("04:30")
    expect(heading).to_be_focused()
    expect(page.locator("#announce")).to_contain_text("Decided: the new one is kept.")
    assert page.evaluate("window.kept")  # swapped, not loaded anew
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Decided: the old one is kept.").first).to_be_visible()
    assert Decision.objects.count() == 2


def test_u_undoes_the_last_decision(page: Page, actor: Actor) -> None:
    flag = conflict(actor)
    opened(page, flag)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Undo").first).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_text("Undone:")).to_be_visible()
    flag.refresh_from_db()
    assert (flag.status, flag.memory.status) == ("open", "pending")


def test_digits_are_reasons_while_it_is_rejected(page: Page, actor: Actor) -> None:
    flag = conflict(actor)
    opened(page, flag)
    page.keyboard.press("r")
    page.keyboard.press("2")
    expect(page.get_by_role("radio", name="Reject the new one")).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Decided: rejected.").first).to_be_visible()
    assert Decision.objects.get().reason == "outdated"


def test_keys_do_nothing_while_typing(page: Page, actor: Actor) -> None:
    flag = conflict(actor)
    opened(page, flag)
    page.keyboard.press("c")
    box = page.get_by_label("Comment")
    expect(box).to_be_focused()
    page.keyboard.type("jars? a/b")
    expect(box).to_have_value("jars? a/b")
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".comments")).to_contain_text("jars? a/b")


def test_a_comment_leaves_what_is_typed_elsewhere(page: Page, actor: Actor) -> None:
    opened(page, conflict(actor))
    page.keyboard.press("m")
    page.get_by_label("Merged text").fill("My own merge")
    page.get_by_label("Comment").fill("Which cluster?")
    page.get_by_role("button", name="Say it").click()
    expect(page.locator(".comments")).to_contain_text("Which cluster?")
    expect(page.get_by_label("Merged text")).to_have_value("My own merge")


def test_s_puts_it_off(page: Page, actor: Actor) -> None:
    flag = conflict(actor)
    opened(page, flag)
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="Tomorrow")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Put off until").first).to_be_visible()
    flag.refresh_from_db()
    assert flag.snoozed_until is not None


def test_a_stale_decision_shows_the_new_difference_and_keeps_what_was_typed(
    page: Page, actor: Actor, person: Actor
) -> None:
    flag = conflict(actor)
    opened(page, flag)
    page.keyboard.press("m")
    page.get_by_label("Merged text").fill("My own merge")
    update_memory(
        actor=person,
        memory_id=flag.memory_id,
        expected_version=1,
        content="The billing service uses MySQL 9.",
    )
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("region", name="What changed")).to_contain_text("MySQL 9")
    expect(page.get_by_label("Merged text")).to_have_value("My own merge")
    assert not Decision.objects.exists()
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_text("Decided: merged into one.").first).to_be_visible()
    assert Memory.objects.get(pk=flag.memory_id).content == "My own merge"


def test_it_tells_who_took_over_without_touching_what_is_typed(
    page: Page, actor: Actor, space: Space
) -> None:
    flag = conflict(actor)
    opened(page, flag)
    page.get_by_label("Note").fill("half a sen")
    ada = actor_for_user(member(space, "ada"))
    assert ada is not None
    claim(actor=ada, flag=flag, take_over=True)
    asks(page)
    expect(page.get_by_text("ada took this over")).to_be_visible()
    expect(page.get_by_label("Note")).to_have_value("half a sen")
    expect(page.get_by_label("Note")).to_be_focused()
    page.get_by_role("button", name="Take over").click()
    expect(page.get_by_text("ada took this over")).to_have_count(0)
    assert Claim.objects.get().user.get_username() == "rui"


def test_it_tells_what_somebody_else_decided(page: Page, actor: Actor, space: Space) -> None:
    flag = conflict(actor)
    opened(page, flag)
    ada = actor_for_user(member(space, "ada"))
    assert ada is not None
    decide(actor=ada, flag_id=flag.pk, choice="keep_old", expected_versions=(1, 1))
    asks(page)
    expect(page.get_by_text("ada decided this meanwhile: the old one is kept.")).to_be_visible()


def asks(page: Page) -> None:
    """Come back to the page: it asks at once what it else asks every 45 seconds."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def test_x_selects_rows_of_the_list(page: Page, actor: Actor) -> None:
    conflict(actor, "Backups run at 02:00.", "Backups run at 04:30.")
    conflict(actor)
    sign_in(page)
    page.goto("/review/?kind=conflict")
    boxes = page.locator("[data-select]")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(boxes.nth(0)).to_be_checked()
    expect(boxes.nth(1)).not_to_be_checked()
    page.keyboard.press("Shift+X")
    expect(boxes.nth(1)).to_be_checked()
    page.keyboard.press("Shift+X")
    expect(page.locator("[data-select]:checked")).to_have_count(0)
