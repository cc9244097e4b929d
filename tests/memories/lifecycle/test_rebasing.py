"""A memory with an open flag gets another text: the flag moves along or closes by itself (G3)."""

import pytest

from memories.lifecycle import update_memory
from memories.models import Event, Flag, Memory
from memories.permissions import Actor
from memories.writing import write_memory
from review.decisions import decide
from tests.doubts import doubt
from tests.people import OLD, conflict
from tests.review.flags import OPEN, merge_proposal, versions_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


def rewrite(person: Actor, memory: Memory, content: str) -> Memory:
    return update_memory(
        actor=person, memory_id=memory.pk, expected_version=memory.version, content=content
    )


def test_what_still_contradicts_stays_open_about_the_new_text(person: Actor, actor: Actor) -> None:
    flag = conflict(actor)
    rewrite(person, flag.memory, "The billing service uses Oracle.")
    flag = Flag.objects.get()
    assert (flag.status, flag.memory_version, flag.counterpart_version) == ("open", 2, 1)
    assert "Oracle" in flag.evidence["detail"]
    assert (flag.evidence["rebased"]["from"], flag.evidence["rebased"]["to"]) == (1, 2)
    assert Event.objects.filter(verb="flag_rebased").count() == 1


def test_what_agrees_by_now_closes_by_itself(person: Actor, actor: Actor) -> None:
    flag = conflict(actor)
    rewrite(person, flag.memory, "Invoices are printed on Fridays.")
    flag = Flag.objects.get()
    assert (flag.status, flag.resolution) == ("resolved", "settled_itself")
    assert Memory.objects.get(pk=flag.memory_id).status == "active"


def test_the_other_side_may_change_too(person: Actor, actor: Actor) -> None:
    flag = conflict(actor)
    assert flag.counterpart is not None
    rewrite(person, flag.counterpart, "Invoices are printed on Fridays.")
    assert Flag.objects.get().resolution == "settled_itself"


@pytest.mark.parametrize("code", ["pending", "clean_up", "quarantine", "feedback"])
def test_a_flag_about_one_memory_goes_along(person: Actor, actor: Actor, code: str) -> None:
    flag = OPEN[code](actor)
    rewrite(person, flag.memory, "It was rewritten by hand.")
    flag = Flag.objects.get(pk=flag.pk)
    assert (flag.status, flag.memory_version) == ("open", 2)


def test_a_change_of_anything_else_moves_the_flag_silently(person: Actor, actor: Actor) -> None:
    flag = conflict(actor)
    update_memory(actor=person, memory_id=flag.memory_id, expected_version=1, tags=["billing"])
    flag = Flag.objects.get()
    assert (flag.memory_version, "rebased" in flag.evidence) == (2, False)


def test_a_merge_proposal_goes_when_a_source_says_something_else(
    person: Actor, actor: Actor
) -> None:  # E8
    flag = merge_proposal(actor)
    source = Memory.objects.get(pk=flag.sources.values_list("memory_id", flat=True)[0])
    rewrite(person, source, "The release train leaves on Thursday at noon.")
    assert Flag.objects.get(pk=flag.pk).resolution == "settled_itself"
    assert Memory.objects.get(pk=flag.memory_id).status == "deleted"


def test_a_decision_elsewhere_brings_the_others_up_to_date(person: Actor, actor: Actor) -> None:
    """So that “approve all” never meets a stale one."""
    write_memory(actor=actor, content="Backups run at 02:00.")
    waiting = doubt(actor, "Backups run at 04:30.")
    decide(
        actor=person,
        flag_id=waiting.pk,
        choice="edit_approve",
        expected_versions=(1,),
        content="Backups run at 05:15.",
    )
    other = Flag.objects.open().get()
    assert other.memory_version == 2
    decide(actor=person, flag_id=other.pk, choice="keep_new", expected_versions=versions_of(other))
    assert not Flag.objects.open().exists()


def test_it_compares_by_words_while_the_embedder_is_away(
    person: Actor, actor: Actor, settings: object
) -> None:
    flag = conflict(actor)
    settings.EMBEDDER_URL = "http://127.0.0.1:9/v1"  # type: ignore[attr-defined]
    rewrite(person, flag.memory, OLD.replace("PostgreSQL", "Oracle"))
    assert Flag.objects.get(pk=flag.pk).status == "open"
