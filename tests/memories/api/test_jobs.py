"""Jobs over REST: people start, watch, stop and undo runs; agents have none of it (I5, D1)."""

from typing import Any
from uuid import uuid4

import pytest
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from hindsight_site.accounts.models import User
from memories.models import JobRun, Memory, Space
from memories.permissions import Actor
from tests.memories.api.client import Caller, refusal
from tests.memories.jobs.archiving import carried, install, ran
from tests.memories.recall.helpers import jot
from tests.people import member

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


@pytest.fixture
def boss(admin: Actor) -> Caller:
    """The admin's own script, with a token."""
    return caller(User.objects.get(username=admin.name))


def caller(user: User) -> Caller:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {Token.objects.create(user=user).key}")
    return Caller(client=client)


def the_run(answer: Any, status: int) -> JobRun:
    assert answer.status_code == status, answer.content
    return JobRun.objects.get(pk=answer.json()["id"])


def test_it_lists_every_job_with_its_newest_run(boss: Caller, admin: Actor, actor: Actor) -> None:
    jot(actor, "A note.")
    run = ran(admin)
    found = {job["code"]: job for job in boss.get("/jobs").json()["items"]}
    toy = found["toy"]
    assert toy["last"]["id"] == str(run.pk)
    assert toy["last"]["counts"] == {"archived": 1}
    assert (toy["outcomes"]["archived"], toy["next"], toy["interval_days"]) == ("put away", None, 0)
    assert found["undo_run"]["by_hand"] is False


def test_it_starts_a_run_and_tells_how_far_it_is(boss: Caller, actor: Actor) -> None:
    memory = jot(actor, "A note.")
    run = the_run(boss.post("/jobs/toy/runs", {}), 202)
    told = boss.get(f"/runs/{run.pk}").json()
    assert (told["state"], told["waits_for"], told["started_by"]) == ("waiting", "soon", "ada")
    carried(run)
    told = boss.get(f"/runs/{run.pk}").json()
    assert (told["state"], told["done"], told["counts"]) == ("done", 1, {"archived": 1})
    assert Memory.objects.get(pk=memory.pk).status == "archived"


def test_it_tries_without_changing_anything(boss: Caller, actor: Actor) -> None:
    memory = jot(actor, "A note.")
    run = carried(the_run(boss.post("/jobs/toy/runs", {"trial": True}), 202))
    assert (run.trial, run.counts) == (True, {"archived": 1})
    assert Memory.objects.get(pk=memory.pk).status == "active"


def test_it_stops_goes_on_and_undoes(boss: Caller, actor: Actor) -> None:
    memory = jot(actor, "A note.")
    run = the_run(boss.post("/jobs/toy/runs", {}), 202)
    assert boss.post(f"/runs/{run.pk}/stop", {}).json()["state"] == "stopped"
    assert boss.post(f"/runs/{run.pk}/retry", {}).json()["state"] == "waiting"
    carried(run)
    tried = carried(the_run(boss.post(f"/runs/{run.pk}/undo", {"trial": True}), 202))
    assert tried.counts == {"undone": 1}
    undoing = carried(the_run(boss.post(f"/runs/{run.pk}/undo", {}), 202))
    assert undoing.arguments == {"run": str(run.pk)}
    assert Memory.objects.get(pk=memory.pk).status == "active"


def test_it_lists_runs_newest_first_a_page_at_a_time(boss: Caller, admin: Actor) -> None:
    runs = [ran(admin) for _ in range(3)]
    page = boss.get("/runs", limit=2).json()
    assert [run["id"] for run in page["items"]] == [str(runs[2].pk), str(runs[1].pk)]
    rest = boss.get("/runs", limit=2, cursor=page["next"]).json()
    assert ([run["id"] for run in rest["items"]], rest["next"]) == ([str(runs[0].pk)], None)


@pytest.mark.parametrize(
    ("query", "count"),
    [({"job": "toy"}, 1), ({"job": "fade"}, 0), ({"state": "done"}, 1), ({"state": "failed"}, 0)],
)
def test_it_filters_runs(boss: Caller, admin: Actor, query: dict[str, str], count: int) -> None:
    ran(admin)
    assert len(boss.get("/runs", **query).json()["items"]) == count


def test_it_says_what_cannot_be(boss: Caller, admin: Actor) -> None:
    run = ran(admin, trial=True)
    assert "There is no job" in refusal(boss.post("/jobs/none/runs", {}), 400, "invalid")["message"]
    needs_more = refusal(boss.post("/jobs/undo_run/runs", {}), 400, "invalid")
    assert "needs to know more" in needs_more["message"]
    ended = refusal(boss.post(f"/runs/{run.pk}/stop", {}), 400, "invalid")
    assert "ended already" in ended["message"]
    refusal(boss.post(f"/runs/{run.pk}/undo", {}), 400, "invalid")
    refusal(boss.get("/runs", state="nonsense"), 400, "invalid")


PATHS = ["/jobs/toy/runs", "/runs/{run}/stop", "/runs/{run}/retry", "/runs/{run}/undo"]


def test_agents_are_refused_whatever_they_ask(record: Caller, admin: Actor) -> None:
    for path in ("/jobs", "/runs", f"/runs/{ran(admin).pk}", f"/runs/{uuid4()}"):
        assert "for people" in refusal(record.get(path), 403, "not_allowed")["message"]
    for path in PATHS:
        answer = record.post(path.format(run=uuid4()), {})
        assert "for people" in refusal(answer, 403, "not_allowed")["message"]


def test_a_reviewer_watches_and_a_viewer_does_not(
    curator: Caller, admin: Actor, space: Space
) -> None:
    run = ran(admin)
    assert curator.get("/jobs").status_code == curator.get(f"/runs/{run.pk}").status_code == 200
    for path in PATHS:
        refusal(curator.post(path.format(run=run.pk), {}), 403, "not_allowed")
    viewer = caller(member(space, "vera", "viewer"))
    for path in ("/jobs", "/runs", f"/runs/{run.pk}"):
        refusal(viewer.get(path), 403, "not_allowed")


def test_a_run_of_another_space_is_as_one_that_does_not_exist(boss: Caller) -> None:  # D1
    away = Space.objects.create(slug="away", name="Away")
    run = JobRun.objects.create(space=away, job="toy", state="waiting")
    missing = refusal(boss.get(f"/runs/{uuid4()}"), 404, "not_found")
    assert refusal(boss.get(f"/runs/{run.pk}"), 404, "not_found") == missing
    for what in ("stop", "retry", "undo"):
        assert refusal(boss.post(f"/runs/{run.pk}/{what}", {}), 404, "not_found") == missing
    assert boss.get("/runs").json()["items"] == []
    assert (
        next(job for job in boss.get("/jobs").json()["items"] if job["code"] == "toy")["last"]
        is None
    )
