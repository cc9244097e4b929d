"""Two people, or two workers, at once: every item is decided once, and nobody fails (I5, G3)."""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from threading import Barrier, Thread
from uuid import UUID

import pytest
from django.db import connection

from hindsight_site.accounts.models import User
from memories.errors import Stale
from memories.identity import actor_for_user
from memories.models import Flag, Memory, Space
from memories.models.memory import KEPT_FIELDS, STATED_FIELDS, Status
from memories.permissions import Actor
from review import bulk
from review.bulk import starting
from review.decisions import decide
from review.models import BatchItem, Decision
from tests.people import member, signed_in
from tests.review.flags import versions_of
from tests.review.many import against, complaints, remembered

pytestmark = pytest.mark.django_db(transaction=True)
ITEMS = 200


@pytest.fixture
def ada(space: Space) -> User:
    return member(space, "ada")


def at_once(*works: Callable[[], None]) -> None:
    """Run pieces of work in a thread each, beginning together; raise what one of them raised."""
    barrier, failed = Barrier(len(works)), []

    def run(work: Callable[[], None]) -> None:
        barrier.wait()
        try:
            work()
        except BaseException as error:
            failed.append(error)
        finally:
            connection.close()

    threads = [Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    if failed:
        raise failed[0]


def assert_history_is_whole() -> None:
    """Every memory has each of its versions once, and is what its last one says."""
    for memory in Memory.objects.prefetch_related("versions"):
        versions = sorted(memory.versions.all(), key=lambda version: version.number)
        assert [version.number for version in versions] == list(range(1, memory.version + 1))
        for name in (*STATED_FIELDS, *KEPT_FIELDS):
            assert getattr(versions[-1], name) == getattr(memory, name)


def test_two_people_decide_the_same_200_items_once_each(
    person: Actor, ada: User, actor: Actor
) -> None:
    flags = complaints(actor, ITEMS)
    other = actor_for_user(ada)
    assert other is not None
    answers: Counter[str] = Counter()

    def deciding(who: Actor, choice: str, reason: str = "") -> Callable[[], None]:
        def decide_all() -> None:
            for flag in flags:
                try:
                    decide(
                        actor=who,
                        flag_id=flag.pk,
                        choice=choice,
                        expected_versions=(1,),
                        reason=reason,
                    )
                    answers["decided"] += 1
                except Stale:
                    answers["stale"] += 1

        return decide_all

    at_once(deciding(person, "keep"), deciding(other, "reject", "wrong"))
    assert answers == {"decided": ITEMS, "stale": ITEMS}
    assert_decided_once(flags)


def test_two_browsers_decide_the_same_items_once_each(
    reviewer: User, ada: User, actor: Actor
) -> None:
    flags = complaints(actor, 20)
    answers: Counter[int] = Counter()

    def browser(user: User, form: dict[str, str]) -> Callable[[], None]:
        client = signed_in(user)
        client.raise_request_exception = False

        def decide_all() -> None:
            for flag in flags:
                answer = client.post(f"/review/{flag.pk}/decide/", {"versions": "1"} | form)
                answers[answer.status_code] += 1

        return decide_all

    at_once(
        browser(reviewer, {"choice": "keep"}),
        browser(ada, {"choice": "reject", "reason": "wrong"}),
    )
    assert answers == {302: len(flags), 409: len(flags)}
    assert_decided_once(flags)


def assert_decided_once(flags: list[Flag]) -> None:
    assert Counter(Decision.objects.values_list("flag", flat=True)) == {f.pk: 1 for f in flags}
    assert_history_is_whole()


def knot(actor: Actor, name: int, ends: int) -> list[UUID]:
    """Return flags of `ends` memories, each against each of the others."""
    texts = (f"Hall {name}.{end} is big." for end in range(ends))
    memories = [remembered(actor, text, status=Status.PENDING) for text in texts]
    flags = [
        Flag(
            kind="conflict",
            space_id=actor.space_id,
            memory=new,
            counterpart=old,
            memory_version=1,
            counterpart_version=1,
            reason="number",
        )
        for number, new in enumerate(memories)
        for old in memories[:number]
    ]
    return [flag.pk for flag in Flag.objects.bulk_create(flags)]


def test_decisions_about_one_anothers_memories_do_not_lock_each_other_out(
    person: Actor, ada: User, actor: Actor
) -> None:
    other = actor_for_user(ada)
    assert other is not None
    flags = [key for name in range(6) for key in knot(actor, name, 6)]

    def deciding(who: Actor, seed: int, keys: Iterable[UUID]) -> Callable[[], None]:
        chance, mine = random.Random(seed), list(keys)
        chance.shuffle(mine)

        def decide_all() -> None:
            for key in mine:
                flag = Flag.objects.get(pk=key)
                choice = chance.choice(["keep_new", "keep_old", "reject"])
                try:
                    decide(
                        actor=who,
                        flag_id=key,
                        choice=choice,
                        expected_versions=versions_of(flag),
                        reason="wrong" if choice == "reject" else "",
                    )
                except Stale:
                    continue

        return decide_all

    at_once(deciding(person, 1, flags), deciding(other, 2, flags))
    assert not Flag.objects.open().exists()
    assert_history_is_whole()


def test_two_workers_on_one_batch_do_each_item_once(
    person: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "AT_ONCE", 0)
    old = remembered(actor, "The hall seats 40 people.")
    crossed = [against(actor, old, f"The hall seats {n} people.") for n in range(41, 47)]
    keys = [flag.pk for flag in [*complaints(actor, 12), *crossed]]
    batch = bulk.preview(actor=person, choice="reject", reason="wrong", flag_ids=keys)
    bulk.start(actor=person, batch_id=batch.pk)

    def work() -> None:
        bulk.carry_on(batch.pk)

    at_once(work, work)
    batch.refresh_from_db()
    assert batch.state == "done"
    assert set(BatchItem.objects.values_list("state", flat=True)) == {"decided"}
    assert Decision.objects.count() == len(keys)
    bulk.undo_batch(actor=person, batch_id=batch.pk)
    at_once(work, work)
    batch.refresh_from_db()
    assert batch.state == "undone"
    assert set(BatchItem.objects.values_list("state", flat=True)) == {"undone"}
    assert Flag.objects.open().count() == len(keys)
    assert_history_is_whole()
