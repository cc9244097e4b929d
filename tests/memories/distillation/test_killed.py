"""A worker that is killed in the middle of storing leaves nothing half done (I5)."""

import os
import signal
import subprocess
import sys
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from memories.distillation import distil
from memories.models import Agent, Candidate, DistillationRun, Memory, Session
from tests.memories.distillation.conftest import session_of
from tests.services import PROJECT

DYING = """
import os, signal, sys
from uuid import UUID
import django
django.setup()
from memories.distillation import distil
from memories.distillation.storing import Storing
settle = Storing.settle
def dying(self, position, weighed):
    candidate = settle(self, position, weighed)
    if position == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return candidate
Storing.settle = dying
distil(UUID(sys.argv[1]))
"""


def die_distilling(session: Session) -> int:
    server = os.environ["DATABASE_URL"].rpartition("/")[0]
    database = {"DATABASE_URL": f"{server}/{connection.settings_dict['NAME']}"}
    settings = {"DJANGO_SETTINGS_MODULE": "hindsight_site.settings"}
    done = subprocess.run(
        [sys.executable, "-c", DYING, str(session.pk)],
        cwd=PROJECT,
        env=os.environ | database | settings,
        check=False,
        capture_output=True,
        timeout=120,
    )
    return done.returncode


@pytest.mark.django_db(transaction=True)
def test_it_stores_nothing_twice_after_a_kill(agent: Agent, embedder: str) -> None:
    said = ["I am allergic to peanuts.", "Noted.", "Remember that our tests run on pytest."]
    session = session_of(agent, said)
    assert die_distilling(session) == -signal.SIGKILL
    assert not Memory.objects.exists()
    assert not Candidate.objects.exists()
    assert DistillationRun.objects.get().state == "running"
    long_ago = timezone.now() - timedelta(hours=1)
    DistillationRun.objects.update(claimed_until=long_ago)
    assert distil(session.pk) is None  # found dead
    DistillationRun.objects.filter(state="failed").update(finished_at=long_ago)
    assert distil(session.pk) is not None
    assert Memory.objects.count() == 2
    assert distil(session.pk) is None
