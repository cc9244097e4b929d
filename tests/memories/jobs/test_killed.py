"""A worker killed in the middle of any job leaves nothing half done; the next goes on (I5)."""

import pytest
from django.conf import settings

from memories import jobs
from memories.evaluation.filling import fill
from memories.evaluation.scenes import SCENES, started
from memories.evaluation.standin import standing_in
from memories.jobs import JOBS
from memories.models import Space
from tests.memories.jobs.killed import counted, die_in, kept, lapse

MEMORIES, OWNERS = 240, 2

# It makes indexes, outside of transactions: a kill leaves no row but an index that is not whole, or
# a server process that goes on with it: tests/memories/recall/test_large_killed.py has both.
ELSEWHERE = {"index_large"}


def _used(slug: str) -> Space:
    """Return a space that was used for two years; each has the same memories."""
    space = Space.objects.create(slug=slug, name=slug)
    fill(space, MEMORIES, OWNERS, settings.EMBEDDING_MODEL, lambda _line: None)
    return space


@pytest.mark.parametrize("code", JOBS)
def test_it_has_a_scene(code: str) -> None:
    assert code in SCENES, (
        f"The job “{code}” is killed by no test: give it a line in SCENES of evaluation/scenes.py."
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("code", sorted(SCENES.keys() & JOBS.keys() - ELSEWHERE))
def test_it_goes_on_after_a_kill_as_if_nothing_had_been(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed, space = _used("undisturbed"), _used("killed")
    with standing_in() as url:
        monkeypatch.setenv("EMBEDDER_URL", url)
        monkeypatch.setattr(settings, "EMBEDDER_URL", url)
        whole = started(undisturbed, code)
        jobs.carry_on(whole.pk)
        whole.refresh_from_db()
        assert (whole.state, whole.errors) == ("done", [])
        assert sum(whole.counts.values()) >= 2, "the scene gives the job nothing to do"

        run = started(space, code)
        before = kept(space)
        die_in(run, after=2)
        assert kept(space) == before
        run.refresh_from_db()
        assert (run.state, run.done) == ("running", 0)

        lapse(run)
        assert jobs.waiting() == [run.pk]
        jobs.carry_on(run.pk)
        run.refresh_from_db()
        assert (run.state, run.done, run.counts) == ("done", whole.done, whole.counts)
        assert counted(space) == counted(undisturbed)

        after = kept(space)
        jobs.carry_on(started(space, code).pk)
        assert kept(space) == after
