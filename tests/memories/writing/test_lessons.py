"""What people rejected is held when it is said again (B9, F4)."""

import pytest
from django.conf import settings as django_settings
from pytest_django import Settings

from memories.lifecycle import delete_memory, update_memory
from memories.models import Flag, Memory
from memories.permissions import Actor
from memories.writing import Outcome, WriteResult, write_memory
from review.decisions import decide
from tests.doubts import doubt
from tests.services import free_port

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]

WRONG = "The user is allergic to peanuts."
AGAIN = "The user has a peanut allergy."


def write(actor: Actor, content: str = AGAIN, **said: str) -> WriteResult:
    return write_memory(actor=actor, content=content, source="user_input", **said)


def rejected(actor: Actor, person: Actor, reason: str = "wrong", **said: str) -> Memory:
    flag = doubt(actor, WRONG, **said)
    decide(actor=person, flag_id=flag.pk, choice="reject", reason=reason, expected_versions=(1,))
    return flag.memory


@pytest.mark.parametrize("text", [WRONG, AGAIN])
@pytest.mark.parametrize("reason", ["wrong", "injection"])
def test_it_holds_what_people_rejected(
    actor: Actor, teammate: Actor, person: Actor, text: str, reason: str
) -> None:
    known = rejected(actor, person, reason)
    result = write(teammate, text)
    assert result.outcome is Outcome.FLAGGED
    assert "People rejected this before" in result.reason
    (flag,) = result.flags
    assert (flag.kind, flag.reason, flag.counterpart_id) == ("quarantine", "like_rejected", None)
    assert flag.evidence == {"found": WRONG, "memory": str(known.pk)}
    assert Memory.objects.get(pk=result.memory.pk).withheld


@pytest.mark.parametrize("reason", ["outdated", "duplicate", "trivial"])
def test_it_lets_pass_what_was_not_found_false(actor: Actor, person: Actor, reason: str) -> None:
    rejected(actor, person, reason)
    assert write(actor).outcome is Outcome.CREATED


def test_it_holds_what_lost_a_conflict(actor: Actor, person: Actor) -> None:  # E2
    write(actor, "Backups run at 02:00.")
    (flag,) = write(actor, "Backups run at 04:30.").flags
    decide(actor=person, flag_id=flag.pk, choice="keep_old", expected_versions=(1, 1))
    assert write(actor, "Backups run at 04:30.").flags[0].reason == "like_rejected"


def test_what_was_superseded_may_be_true_again(actor: Actor, person: Actor) -> None:  # E3
    write(actor, "Backups run at 02:00.")
    (flag,) = write(actor, "Backups run at 04:30.").flags
    decide(actor=person, flag_id=flag.pk, choice="keep_new", expected_versions=(1, 1))
    assert [flag.kind for flag in write(actor, "Backups run at 02:00.").flags] == ["conflict"]


def test_what_was_deleted_may_be_written_again(actor: Actor) -> None:
    known = write(actor, WRONG).memory
    delete_memory(actor=actor, memory_id=known.pk)
    assert write(actor).outcome is Outcome.CREATED


def test_a_person_may_know_better(actor: Actor, person: Actor) -> None:
    rejected(actor, person)
    assert write(person).outcome is Outcome.CREATED
    assert write(actor, AGAIN).outcome is Outcome.DUPLICATE


def test_another_users_rejections_teach_nothing(actor: Actor, person: Actor) -> None:  # D1
    rejected(actor.acting_for("alice"), person)
    assert write(actor, user_id="bob").outcome is Outcome.CREATED


def test_it_holds_a_change_that_says_it_again(actor: Actor, person: Actor) -> None:
    rejected(actor, person)
    memory = write(actor, "The user likes tea.").memory
    changed = update_memory(actor=actor, memory_id=memory.pk, expected_version=1, content=AGAIN)
    assert changed.withheld
    assert Flag.objects.open().get().reason == "like_rejected"


def test_it_knows_the_same_words_without_the_embedder(
    actor: Actor, person: Actor, settings: Settings
) -> None:
    rejected(actor, person)
    settings.EMBEDDER_URL = f"http://127.0.0.1:{free_port()}/v1"
    assert write(actor, WRONG).flags[0].reason == "like_rejected"


def test_it_knows_the_same_words_of_another_model(actor: Actor, person: Actor) -> None:  # E9
    known = rejected(actor, person)
    Memory.objects.filter(pk=known.pk).update(
        embedding=[1.0, 0.0], embedding_model=f"not {django_settings.EMBEDDING_MODEL}"
    )
    assert write(actor, WRONG).flags[0].reason == "like_rejected"
    assert write(actor, AGAIN).outcome is Outcome.CREATED
