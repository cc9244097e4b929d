"""What a person's word does to a doubtful memory (B5, G3), and that only people have one (F5)."""

from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError

from memories.embedding import client
from memories.errors import Invalid, NotAllowed, NotFound, Stale
from memories.identity import actor_for_user
from memories.lifecycle import delete_memory, update_memory
from memories.models import Event, Flag, Membership, Memory
from memories.permissions import Actor
from memories.writing import write_memory
from review.decisions import decide
from review.models import Decision
from tests.doubts import DOUBTED, SURE, doubt

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def flag(actor: Actor) -> Flag:
    return doubt(actor)


def settle(person: Actor, flag: Flag, choice: str, version: int = 1, **said: Any) -> Memory:
    settled = decide(
        actor=person,
        flag_id=flag.pk,
        choice=choice,
        expected_versions=(version,),
        **said,
    )
    (memory,) = settled.memories
    return memory


def test_it_waits_as_pending(flag: Flag) -> None:  # B5
    assert (flag.kind, flag.status, flag.counterpart_id) == ("pending", "open", None)
    assert flag.memory.status == "pending"
    assert Event.objects.get(verb="doubted").memory_id == flag.memory_id


def test_approving_makes_it_active_and_believed_like_a_person(
    person: Actor, flag: Flag
) -> None:  # B4
    memory = settle(person, flag, "approve", note="asked the team")
    assert (memory.status, memory.confidence, memory.version) == ("active", 0.95, 2)
    assert memory.confirmed_at is not None
    assert memory.versions.get(number=2).reason == "asked the team"
    assert Flag.objects.get().resolution == "approve"


def test_editing_makes_its_next_version_with_its_own_embedding(
    person: Actor, flag: Flag
) -> None:  # E1
    before = Memory.objects.get(pk=flag.memory_id).embedding
    memory = settle(person, flag, "edit_approve", content=f"  {SURE}")
    assert (memory.content, memory.status, memory.version) == (SURE, "active", 2)
    assert Memory.objects.get(pk=memory.pk).embedding != before
    assert memory.versions.get(number=1).content == DOUBTED
    assert Decision.objects.get().content == SURE


def test_it_embeds_before_anything_is_locked(
    person: Actor, flag: Flag, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(_space_id: UUID, _texts: list[str]) -> None:
        waiting = Flag.objects.open().select_for_update(nowait=True)
        seen.append(waiting.get().pk)
        raise client.EmbedderDown("away")

    seen: list[object] = []
    monkeypatch.setattr("memories.writing.write.embed_for", ask)
    memory = settle(person, flag, "edit_approve", content=SURE)
    assert seen == [flag.pk]
    assert Memory.objects.get(pk=memory.pk).embedding is None  # compared and embedded later


def test_an_edited_text_is_compared_with_the_others(
    person: Actor, actor: Actor, flag: Flag
) -> None:  # E3
    known = write_memory(actor=actor, content="The billing service uses PostgreSQL.").memory
    settle(person, flag, "edit_approve", content="The billing service uses MySQL.")
    assert Flag.objects.open().get().counterpart_id == known.pk


@pytest.mark.parametrize(
    ("choice", "said", "field"),
    [
        ("edit_approve", {}, "content"),
        ("edit_approve", {"content": "\u200b"}, "content"),
        ("approve", {"content": SURE}, "content"),
        ("approve", {"reason": "wrong"}, "reason"),
        ("reject", {}, "reason"),
        ("reject", {"reason": "because"}, "reason"),
        ("keep_new", {}, "choice"),
    ],
)
def test_it_says_what_a_decision_needs(
    person: Actor, flag: Flag, choice: str, said: dict[str, Any], field: str
) -> None:
    with pytest.raises(Invalid) as refusal:
        settle(person, flag, choice, **said)
    assert refusal.value.field == field
    assert Flag.objects.get().status == "open"


def test_nobody_approves_what_hides_in_their_own_text(person: Actor, flag: Flag) -> None:  # F2
    with pytest.raises(Invalid, match=r"cannot be seen \(U\+200B ×2\)") as refusal:
        settle(person, flag, "edit_approve", content="Stand-ups are \u200b\u200bshort.")
    assert refusal.value.field == "content"
    assert Memory.objects.get(pk=flag.memory_id).version == 1


def test_it_names_the_decisions_that_fit(person: Actor, flag: Flag) -> None:
    with pytest.raises(Invalid, match="one of: approve, edit_approve, reject"):
        settle(person, flag, "merge", content=SURE)


def test_it_refuses_a_text_that_another_memory_has(person: Actor, actor: Actor, flag: Flag) -> None:
    write_memory(actor=actor, content="Invoices are sent by post.")
    with pytest.raises(Invalid, match="already says exactly"):
        settle(person, flag, "edit_approve", content="Invoices are sent by post.")
    assert Memory.objects.get(pk=flag.memory_id).version == 1


@pytest.mark.parametrize("reason", ["wrong", "outdated", "duplicate", "injection", "trivial"])
def test_rejecting_overturns_it_for_a_reason(person: Actor, flag: Flag, reason: str) -> None:  # B9
    memory = settle(person, flag, "reject", reason=reason)
    assert (memory.status, memory.confirmed_at, memory.replaced_by_id) == ("overturned", None, None)
    assert memory.versions.get(number=2).reason == reason
    decision = Decision.objects.get()
    assert (decision.choice, decision.reason, decision.note) == ("reject", reason, "")
    resolved = Event.objects.get(verb="flag_resolved")
    assert (resolved.data["resolution"], resolved.data["reason"]) == ("reject", reason)  # G4


def test_what_is_too_private_is_deleted(person: Actor, flag: Flag) -> None:  # E6: purged later
    assert settle(person, flag, "reject", reason="private").status == "deleted"


@pytest.mark.parametrize(("choice", "reason"), [("reject", ""), ("approve", "wrong")])
def test_the_database_keeps_a_reason_with_every_rejection_and_with_nothing_else(
    person: Actor, flag: Flag, choice: str, reason: str
) -> None:
    with pytest.raises(IntegrityError, match="rejection_has_reason"):
        Decision.objects.create(flag=flag, user_name="rui", choice=choice, reason=reason)


def test_an_agent_cannot_decide(actor: Actor, flag: Flag) -> None:  # F5
    with pytest.raises(NotAllowed, match="for people"):
        settle(actor, flag, "approve")
    with pytest.raises(NotAllowed, match="for people"):
        settle(actor, flag, "reject", reason="wrong")
    assert Flag.objects.get().status == "open"


def test_a_viewer_cannot_decide(person: Actor, flag: Flag, reviewer: object) -> None:  # G4
    Membership.objects.update(role="viewer")
    viewer = actor_for_user(reviewer)
    assert viewer is not None
    with pytest.raises(NotAllowed, match="role"):
        settle(viewer, flag, "approve")


def test_another_spaces_flag_does_not_exist(person: Actor, stranger: Actor) -> None:  # D1
    foreign = doubt(stranger)
    with pytest.raises(NotFound):
        settle(person, foreign, "approve")
    with pytest.raises(NotFound):  # nor does its kind show
        settle(person, foreign, "keep_new")


def test_it_refuses_to_decide_on_another_text_than_was_seen(
    person: Actor, flag: Flag
) -> None:  # G3
    update_memory(actor=person, memory_id=flag.memory_id, expected_version=1, content=SURE)
    with pytest.raises(Stale, match="Read it again") as refusal:
        settle(person, flag, "approve")
    assert refusal.value.details == {"new_version": 2}
    assert settle(person, flag, "approve", version=2).content == SURE


def test_it_refuses_to_decide_twice(person: Actor, flag: Flag) -> None:
    settle(person, flag, "approve")
    with pytest.raises(Stale, match="rui decided this meanwhile"):
        settle(person, flag, "reject", version=2, reason="wrong")
    assert Memory.objects.get().status == "active"


def test_it_wants_the_versions_of_its_memory_alone(person: Actor, flag: Flag) -> None:
    with pytest.raises(Invalid, match="about one memory"):
        decide(actor=person, flag_id=flag.pk, choice="approve", expected_versions=(1, 1))


def test_deleting_it_withdraws_the_flag(person: Actor, flag: Flag) -> None:
    delete_memory(actor=person, memory_id=flag.memory_id)
    assert Flag.objects.get().resolution == "withdrawn"
    with pytest.raises(Stale, match="closed by itself"):
        settle(person, flag, "approve")


class Both:
    """A doubtful memory that contradicts a known one besides."""

    def __init__(self, actor: Actor) -> None:
        self.known = write_memory(actor=actor, content="Backups run at 02:00.").memory
        self.doubt = doubt(actor, "Backups run at 04:30.")
        self.conflict = Flag.objects.get(kind="conflict")

    def state(self) -> tuple[str, str]:
        known = Memory.objects.get(pk=self.known.pk)
        return Memory.objects.get(pk=self.doubt.memory_id).status, known.status

    def keep(self, person: Actor, choice: str, versions: tuple[int, int]) -> None:
        decide(
            actor=person,
            flag_id=self.conflict.pk,
            choice=choice,
            expected_versions=versions,
        )


@pytest.fixture
def both(actor: Actor) -> Both:
    return Both(actor)


def test_an_approved_one_stays_pending_until_its_conflict_is_decided(
    person: Actor, both: Both
) -> None:
    assert settle(person, both.doubt, "approve").status == "pending"
    both.keep(person, "keep_new", (2, 1))
    assert both.state() == ("active", "superseded")


def test_one_kept_in_a_conflict_stays_pending_until_its_doubt_is_decided(
    person: Actor, both: Both
) -> None:
    both.keep(person, "keep_new", (1, 1))
    assert both.state() == ("pending", "superseded")
    assert settle(person, both.doubt, "approve", version=2).status == "active"


def test_rejecting_it_ends_its_conflict(person: Actor, both: Both) -> None:
    settle(person, both.doubt, "reject", reason="wrong")
    both.conflict.refresh_from_db()
    assert (both.conflict.resolution, both.state()) == ("withdrawn", ("overturned", "active"))


def test_overturning_it_in_a_conflict_ends_the_doubt(person: Actor, both: Both) -> None:
    both.keep(person, "keep_old", (1, 1))
    both.doubt.refresh_from_db()
    assert (both.doubt.resolution, both.state()) == ("withdrawn", ("overturned", "active"))


def test_deleting_what_it_contradicts_does_not_settle_the_doubt(person: Actor, both: Both) -> None:
    delete_memory(actor=person, memory_id=both.known.pk)
    both.doubt.refresh_from_db()
    assert (both.doubt.status, both.state()) == ("open", ("pending", "deleted"))


def test_rejecting_it_releases_a_later_one_that_contradicts_it(person: Actor, actor: Actor) -> None:
    flag = doubt(actor, "Backups run at 02:00.")
    later = write_memory(actor=actor, content="Backups run at 04:30.").memory
    assert later.status == "pending"
    settle(person, flag, "reject", reason="outdated")
    assert Memory.objects.get(pk=later.pk).status == "active"
