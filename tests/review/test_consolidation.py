"""A merge that the job proposed: it waits, or a rule accepts it, and undo brings it back (E8)."""

import pytest

from memories import jobs
from memories.models import Flag, Memory
from memories.permissions import Actor
from review.models import Decision
from review.rules import consider
from review.undo import undo_decision
from tests.memories.consolidation.samples import RELEASE, remembered
from tests.review.test_undo import everything
from tests.rules import ruled

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


def proposed(admin: Actor, actor: Actor) -> Flag:
    remembered(actor, RELEASE[:2], source="tool_result", tags=["orion"])
    remembered(actor, RELEASE[2:], source="llm_reasoning", subject="orion/build")
    jobs.carry_on(jobs.start(actor=admin, job="consolidate").pk)
    flag: Flag = Flag.objects.get()
    return flag


def accepted(admin: Actor, flag: Flag) -> Decision:
    ruled(admin, name="merges are fine", kind="merge", choice="approve", reasons=["fragments"])
    made = consider(flag.pk)
    assert made is not None
    return made


def test_it_waits_without_a_rule(admin: Actor, actor: Actor) -> None:
    flag = proposed(admin, actor)
    before = everything()
    assert consider(flag.pk) is None
    flag.refresh_from_db()
    assert (flag.status, everything()) == ("open", before)


def test_a_rule_that_a_person_wrote_accepts_it(admin: Actor, actor: Actor) -> None:
    flag = proposed(admin, actor)
    made = accepted(admin, flag)
    assert (made.automatic, made.user_name) == (True, "merges are fine")
    sources = Memory.objects.filter(pk__in=flag.sources.values("memory"))
    assert set(sources.values_list("status", "replaced_by")) == {("superseded", flag.memory_id)}
    merged = Memory.objects.get(pk=flag.memory_id)
    assert (merged.status, merged.withheld, merged.confidence) == ("active", False, 0.8)  # E8
    assert all(text in merged.content for text in RELEASE)


def test_undoing_it_restores_the_sources_exactly(admin: Actor, actor: Actor, person: Actor) -> None:
    flag = proposed(admin, actor)
    before = everything()
    made = accepted(admin, flag)
    assert everything() != before
    undo_decision(actor=person, decision_id=made.pk)
    assert everything() == before
    flag.refresh_from_db()
    assert flag.status == "open"
