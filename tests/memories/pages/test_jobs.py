"""Jobs in the browser: what there is, what ran, what runs; start, stop, undo (H4, I5)."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memories.jobs import JOBS, sweeps
from memories.lifecycle import propose_clean_up
from memories.models import Session
from memories.pages.jobs import PAGE
from memories.permissions import Actor
from memories.policy_changes import change_policy
from tests.memories.jobs.archiving import install, ran
from tests.memories.pages.runs import RUNS, URL, at, made, text
from tests.memories.recall.helpers import jot

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def row_of(client: Client, code: str = "toy") -> Any:
    rows = client.get(URL).context["rows"]
    return next(row for row in rows if row.job.code == code)


# --- the list of jobs ---------------------------------------------------------------------------


def test_it_says_what_each_job_is_for_and_that_it_never_ran(boss: Client) -> None:
    page = text(boss)
    assert "It puts everything away." in page
    assert "Never ran" in page
    assert all(str(job.label) in page.replace("&#x27;", "'") for job in JOBS.values())


def test_it_says_what_the_last_run_did(boss: Client, admin: Actor, actor: Actor) -> None:
    jot(actor, "A note.")
    ran(admin)
    last = row_of(boss).last
    assert (last.did, last.by, last.open) == ("1 put away", "by ada", False)
    assert "1 put away" in text(boss)


@pytest.mark.parametrize(
    ("days", "ago", "every", "when"),
    [
        (0, None, "only when started", ""),
        (1, None, "every day", "due now"),
        (1, 2, "every day", "next in 22 hours"),
        (7, 48, "every 7 days", "next in 5 days"),
        (0.25, 1, "every 6 hours", "next in 5 hours"),
        (1, 26, "every day", "was due 2 hours ago: is the schedule running?"),
    ],
)
def test_it_says_when_a_job_runs_next(
    boss: Client,
    admin: Actor,
    monkeypatch: pytest.MonkeyPatch,
    days: float,
    ago: float | None,
    every: str,
    when: str,
) -> None:
    install(monkeypatch, interval=lambda _policy: days)
    if ago is not None:
        then = timezone.now() - timedelta(hours=ago, seconds=-30)
        made(admin, state="done", created_at=then - timedelta(seconds=40))
    row = row_of(boss)
    assert (row.every, row.next) == (every, when)


def test_it_takes_the_interval_from_the_policy(boss: Client, admin: Actor) -> None:
    change_policy(actor=admin, numbers={"jobs.fade_days": 3.0}, note="", expected_version=0)
    assert row_of(boss, "fade").every == "every 3 days"
    assert 'href="/policies/#jobs"' in text(boss)


def test_it_shows_how_far_a_run_is_and_looks_again(boss: Client, admin: Actor) -> None:
    until = timezone.now() + timedelta(minutes=1)
    made(admin, state="running", done=30, total=120, claimed_until=until)
    page = text(boss)
    assert "30 of about 120 rows" in page
    assert '<progress value="30" max="120"' in page
    assert 'hx-trigger="every 2s"' in page
    assert "<html" not in text(boss, **{"HX-Request": "true"})


def test_it_does_not_look_again_while_nothing_runs(boss: Client) -> None:
    assert "every 2s" not in text(boss)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"state": "waiting"}, "Its turn comes in a moment."),
        ({"state": "waiting", "minutes": 2}, "It waits for a worker"),
        ({"state": "running", "claimed": -1, "minutes": 9}, "It waits for a worker"),
        ({"state": "running", "claimed": 1, "minutes": 9}, ""),
        ({"state": "waiting", "later": 1, "minutes": 9}, "What it needs is away"),
        ({"state": "running", "later": -0.5, "minutes": 9}, "Its turn comes in a moment."),
        ({"state": "running", "later": -2, "minutes": 9}, "It waits for a worker"),
        ({"state": "done", "minutes": 9}, ""),
    ],
)
def test_it_says_what_a_run_waits_for(
    boss: Client, admin: Actor, fields: dict[str, Any], sentence: str
) -> None:
    now = timezone.now()
    claimed, later = fields.get("claimed"), fields.get("later")
    run = made(
        admin,
        state=fields["state"],
        claimed_until=now + timedelta(minutes=claimed) if claimed else None,
        not_before=now + timedelta(minutes=later) if later else None,
        created_at=now - timedelta(minutes=fields.get("minutes", 0)),
    )
    said = row_of(boss).last.waits
    assert said.startswith(sentence) if sentence else said == ""
    assert ("no worker has taken it up" in text(boss)) == (sentence == "It waits for a worker")
    assert sentence in text(boss, at(run))


def test_it_offers_an_admin_to_start_and_tells_a_reviewer_why_not(
    boss: Client, watcher: Client
) -> None:
    assert 'id="trial-toy"' in text(boss)
    assert 'id="run-undo_run"' not in text(boss)
    page = text(watcher)
    assert 'id="run-toy"' not in page
    assert "Only admins start jobs. Your role in this space does not allow this." in page


def test_it_offers_no_dry_run_where_there_is_none(
    boss: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, trial=False)
    page = text(boss)
    assert ('id="run-toy"' in page, 'id="trial-toy"' in page) == (True, False)


def test_it_leads_to_where_a_job_is_started_that_needs_more(boss: Client) -> None:
    assert row_of(boss, "undo_run").page == "jobs:runs"


def test_it_asks_the_database_as_often_for_many_runs(
    boss: Client, admin: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    made(admin, state="done")
    with django_assert_num_queries(17):
        boss.get(URL)
    for _n in range(5):
        made(admin, state="done")
    made(admin, job="fade", state="running")
    with django_assert_num_queries(17):
        boss.get(URL)


# --- what is always on --------------------------------------------------------------------------


def swept(client: Client) -> dict[str, tuple[str, str]]:
    rows = client.get(URL).context["sweeps"]
    return {one.sweep.task: (one.waiting, every) for one, every in rows}


def test_it_counts_what_waits_for_the_sweeps(boss: Client, actor: Actor) -> None:
    now, long_ago = timezone.now(), timezone.now() - timedelta(days=90)
    jot(actor, "A note without its embedding.")
    said = {"space_id": actor.space_id, "agent_id": actor.id, "started_at": now}
    said |= {"last_turn_at": now}
    Session.objects.create(key="open", touched_at=long_ago, **said)
    Session.objects.create(key="now", touched_at=now, **said)
    Session.objects.create(
        key="over", touched_at=now, ended_at=now, ended_by="host", turn_count=3, **said
    )
    Session.objects.create(
        key="old",
        touched_at=long_ago,
        ended_at=now,
        ended_by="host",
        turn_count=3,
        distilled_through=3,
        **said,
    )
    propose_clean_up(actor=actor, memory_id=jot(actor, "Another.").pk, reason="unused", scores={})
    assert swept(boss) == {
        "memories.embed_waiting": ("2", "every 30 seconds"),
        "memories.distil_waiting": ("1", "every 30 seconds"),
        "memories.end_idle_sessions": ("1", "every minute"),
        "memories.purge_old_turns": ("1", "every hour"),
        "review.consider_waiting": ("1", "every 30 seconds"),
        "review.carry_on_waiting": ("0", "every 30 seconds"),
    }


def test_it_counts_no_further_than_helps(
    boss: Client, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "MOST", 2)
    for n in range(4):
        jot(actor, f"Note {n}.")
    assert swept(boss)["memories.embed_waiting"][0] == "2+"


def test_it_counts_nothing_of_another_space(boss: Client, stranger: Actor) -> None:  # D1
    jot(stranger, "Elsewhere.")
    assert {waiting for waiting, _every in swept(boss).values()} == {"0"}


# --- the list of runs ---------------------------------------------------------------------------


def test_it_lists_runs_newest_first_and_goes_on(boss: Client, admin: Actor) -> None:
    runs = [made(admin, state="done") for _n in range(PAGE + 1)]
    newest = boss.get(RUNS).context
    assert [row.run.pk for row in newest["rows"]] == [run.pk for run in reversed(runs[1:])]
    older = boss.get(f"{RUNS}?{newest['page'].older}").context
    assert [row.run.pk for row in older["rows"]] == [runs[0].pk]


@pytest.mark.parametrize(
    ("query", "count"),
    [("", 3), ("job=toy", 2), ("job=fade", 1), ("state=failed", 1), ("job=fade&state=failed", 0)],
)
def test_it_filters_runs(boss: Client, admin: Actor, query: str, count: int) -> None:
    for job, state in (("toy", "done"), ("toy", "failed"), ("fade", "done")):
        made(admin, job=job, state=state)
    assert len(boss.get(f"{RUNS}?{query}").context["rows"]) == count


def test_it_says_what_is_wrong_with_a_filter(boss: Client) -> None:
    assert "Select a valid choice" in text(boss, f"{RUNS}?state=nonsense")


def test_it_says_who_started_what(boss: Client, admin: Actor) -> None:
    made(admin, state="failed", note="It broke off.", trigger="command", failed=2)
    made(admin, state="done", trial=True, trigger="person", started_by_name="ada")
    page = text(boss, RUNS)
    for words in ("by a command", "by ada", "dry run", "2 failed", "It broke off."):
        assert words in page


def test_it_keeps_runs_of_a_job_that_is_no_more(boss: Client, admin: Actor) -> None:
    run = made(admin, job="gone", state="done", counts={"some_thing": 2})
    assert "2 some thing" in text(boss, RUNS)
    assert "gone" in text(boss, at(run))
