"""A worker that is killed in the middle of a batch leaves nothing half done (I5)."""

import os
import signal
import subprocess
import sys

import pytest
from django.db import connection

from memories.models import Flag, Memory
from memories.permissions import Actor
from review import bulk
from review.bulk import starting
from review.models import Batch, BatchItem, Decision
from tests.review.many import complaints
from tests.services import PROJECT

# Dies after the decision on the third item, before it is committed.
DYING = """
import os, signal, sys
from uuid import UUID
import django
django.setup()
from review import bulk
from review.bulk import work
mark, marked = work._mark, []
def dying(item, state, why):
    mark(item, state, why)
    marked.append(item)
    if len(marked) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
work._mark = dying
bulk.carry_on(UUID(sys.argv[1]))
"""


def die_at_work(batch: Batch) -> int:
    server = os.environ["DATABASE_URL"].rpartition("/")[0]
    database = {"DATABASE_URL": f"{server}/{connection.settings_dict['NAME']}"}
    settings = {"DJANGO_SETTINGS_MODULE": "hindsight_site.settings"}
    done = subprocess.run(
        [sys.executable, "-c", DYING, str(batch.pk)],
        cwd=PROJECT,
        env=os.environ | database | settings,
        check=False,
        capture_output=True,
        timeout=120,
    )
    return done.returncode


def states() -> list[str]:
    return sorted(BatchItem.objects.values_list("state", flat=True))


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("embedder")
def test_the_next_worker_does_the_rest_and_nothing_twice(
    person: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "AT_ONCE", 0)
    keys = [flag.pk for flag in complaints(actor, 5)]
    batch = bulk.preview(actor=person, choice="archive", flag_ids=keys)
    bulk.start(actor=person, batch_id=batch.pk)
    assert die_at_work(batch) == -signal.SIGKILL
    assert states() == ["decided"] * 2 + ["waiting"] * 3
    assert Decision.objects.count() == 2
    assert bulk.waiting_batches() == [batch.pk]
    bulk.carry_on(batch.pk)
    assert states() == ["decided"] * 5
    assert sorted(Decision.objects.values_list("flag", flat=True)) == sorted(keys)
    assert set(Memory.objects.values_list("version", flat=True)) == {2}

    bulk.undo_batch(actor=person, batch_id=batch.pk)
    assert die_at_work(batch) == -signal.SIGKILL
    assert states() == ["decided"] * 3 + ["undone"] * 2
    bulk.carry_on(batch.pk)
    assert states() == ["undone"] * 5
    assert set(Memory.objects.values_list("version", flat=True)) == {3}
    assert Flag.objects.open().count() == 5
    assert Batch.objects.get().state == "undone"
