"""One run in the browser: what it did and changed; stopped, undone, done for real (H4, I5)."""

from uuid import uuid4

import pytest
from django.test import Client

from memories import jobs
from memories.lifecycle import propose_clean_up
from memories.models import JobRun, Memory, Space
from memories.pages.jobs import CHANGED
from memories.permissions import Actor
from tests.memories.jobs.archiving import carried, install, ran
from tests.memories.pages.runs import RUNS, URL, at, made, text
from tests.memories.recall.helpers import jot
from tests.people import member, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def test_it_shows_what_a_run_changed_a_page_at_a_time(
    boss: Client, admin: Actor, actor: Actor
) -> None:
    notes = [jot(actor, f"Note number {n}.") for n in range(CHANGED + 1)]
    run = ran(admin)
    first = boss.get(at(run)).context["page"]
    assert [version.memory_id for version in first.rows] == [m.pk for m in reversed(notes[1:])]
    rest = boss.get(f"{at(run)}?{first.older}").context["page"]
    assert [version.memory_id for version in rest.rows] == [notes[0].pk]
    assert f'href="/memories/{notes[5].pk}/"' in text(boss, at(run))


def test_a_dry_run_says_that_nothing_was_changed(boss: Client, admin: Actor, actor: Actor) -> None:
    jot(actor, "A note.")
    page = text(boss, at(ran(admin, trial=True)))
    assert "nothing was changed" in page
    assert 'id="carry-out"' in page
    assert 'id="undo"' not in page


def test_it_shows_what_failed_with_the_memory_that_it_is(
    boss: Client, admin: Actor, actor: Actor, stranger: Actor
) -> None:
    note, foreign = jot(actor, "It sticks here."), jot(stranger, "Of somebody else.")
    errors = [
        {"row": str(note.pk), "error": "It sticks."},
        {"row": str(foreign.pk), "error": "It is foreign."},
        {"row": "1:a", "error": "ValueError"},
    ]
    page = text(boss, at(made(admin, state="done", failed=60, errors=errors)))
    assert f'<a href="/memories/{note.pk}/">It sticks here.</a>: It sticks.' in page
    assert "Of somebody else." not in page
    assert "<code>1:a</code>: ValueError" in page
    assert "The first 3 are shown." in page


def test_it_shows_what_a_run_put_to_people(
    boss: Client, admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = jot(actor, "Is this still so?")
    run = made(admin, state="done")
    flag = propose_clean_up(actor=actor, memory_id=note.pk, reason="unused", scores={})
    type(flag).objects.filter(pk=flag.pk).update(opened_in=run.pk)
    page = text(boss, at(run))
    assert f'<a href="/review/{flag.pk}/">Is this still so?</a>' in page
    assert 'id="undo"' in page


def test_it_looks_again_while_a_run_is_open_and_no_longer(boss: Client, admin: Actor) -> None:
    run = jobs.start(actor=admin, job="toy")
    fragment = text(boss, at(run), **{"HX-Request": "true"})
    assert f'hx-get="{at(run)}"' in fragment
    assert 'id="refresh"' in fragment
    assert "<html" not in fragment
    carried(run)
    assert "every 2s" not in text(boss, at(run), **{"HX-Request": "true"})


def test_an_admin_starts_watches_stops_and_lets_go_on(boss: Client, actor: Actor) -> None:
    note = jot(actor, "A note.")
    answer = boss.post(f"{URL}start/", {"job": "toy", "do": "run"})
    run = JobRun.objects.get()
    assert answer.headers["Location"] == at(run)
    assert boss.post(f"{at(run)}stop/").headers["Location"] == at(run)
    run.refresh_from_db()
    assert (run.state, run.note) == ("stopped", "Stopped by ada.")
    assert "Stopped by ada." in text(boss, at(run))
    boss.post(f"{at(run)}retry/")
    assert carried(run).state == "done"
    assert Memory.objects.get(pk=note.pk).status == "archived"


def test_an_admin_tries_and_then_does_it_for_real(boss: Client, actor: Actor) -> None:
    jot(actor, "A note.")
    boss.post(f"{URL}start/", {"job": "toy", "do": "trial"})
    trial = carried(JobRun.objects.get())
    assert trial.trial
    boss.post(f"{at(trial)}carry-out/")
    real = carried(JobRun.objects.exclude(pk=trial.pk).get())
    assert (real.trial, real.counts) == (False, {"archived": 1})


def test_an_admin_undoes_a_run(boss: Client, admin: Actor, actor: Actor) -> None:
    note = jot(actor, "A note.")
    run = ran(admin)
    boss.post(f"{at(run)}undo/", {"do": "trial"})
    assert carried(JobRun.objects.get(job="undo_run")).counts == {"undone": 1}
    assert "This run was undone" not in text(boss, at(run))
    boss.post(f"{at(run)}undo/", {"do": "undo"})
    undoing = carried(JobRun.objects.get(job="undo_run", trial=False))
    assert Memory.objects.get(pk=note.pk).status == "active"
    assert f'href="{at(undoing)}">This run was undone' in text(boss, at(run))
    assert f'href="{at(run)}">The run that this one undoes' in text(boss, at(undoing))


def test_it_says_what_cannot_be_undone(
    boss: Client, admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, undoable=False)
    jot(actor, "A note.")
    run = ran(admin)
    assert "What this job does cannot be undone." in text(boss, at(run))
    answer = boss.post(f"{at(run)}undo/", follow=True)
    assert "cannot be undone" in answer.content.decode()


def test_it_tells_what_cannot_be_started(boss: Client) -> None:
    for job, words in (("none", "There is no job"), ("undo_run", "needs to know more")):
        answer = boss.post(f"{URL}start/", {"job": job}, follow=True)
        assert words in answer.content.decode()
    assert not JobRun.objects.exists()


def test_a_link_to_a_form_leads_to_its_page(boss: Client, admin: Actor) -> None:
    run = made(admin, state="done")
    assert boss.get(f"{URL}start/").headers["Location"] == URL
    assert boss.get(f"{at(run)}stop/").headers["Location"] == at(run)


# --- who may ------------------------------------------------------------------------------------


def test_a_viewer_has_no_jobs_and_no_way_to_them(space: Space, admin: Actor) -> None:
    viewer = signed_in(member(space, "vera", "viewer"))
    assert f'href="{URL}"' not in text(viewer, "/memories/")
    for url in (URL, RUNS, at(made(admin, state="done"))):
        answer = viewer.get(url)
        assert answer.status_code == 403
        assert "does not allow this" in answer.content.decode()


def test_a_reviewer_watches_and_starts_nothing(watcher: Client, admin: Actor, actor: Actor) -> None:
    jot(actor, "A note.")
    run = ran(admin)
    assert f'href="{URL}"' in text(watcher, "/memories/")
    page = text(watcher, at(run))
    assert "Only admins start, stop and undo runs." in page
    assert "<button" not in page.partition('<div class="record"')[2].partition("<dialog")[0]
    for what in ("stop", "retry", "undo", "carry-out"):
        assert watcher.post(f"{at(run)}{what}/").status_code == 403
    assert watcher.post(f"{URL}start/", {"job": "toy"}).status_code == 403


def test_a_run_of_another_space_is_as_one_that_does_not_exist(boss: Client) -> None:  # D1
    away = Space.objects.create(slug="away", name="Away")
    foreign = JobRun.objects.create(space=away, job="toy", state="waiting")
    for url in (at(foreign), f"{RUNS}{uuid4()}/"):
        assert boss.get(url).status_code == 404
    for what in ("stop", "retry", "undo", "carry-out"):
        assert boss.post(f"{at(foreign)}{what}/").status_code == 404
    assert boss.get(RUNS).context["rows"] == []
    assert all(row.last is None for row in boss.get(URL).context["rows"])
