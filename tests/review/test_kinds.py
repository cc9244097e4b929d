"""Every kind of review item: what is said of it, and what each decision does (G1, G3)."""

from typing import Any

import pytest
from django.template.loader import get_template

from memories.errors import Invalid
from memories.models import Agent, Flag, Memory
from memories.permissions import Actor
from review.decisions import decide, effects_of
from review.kinds import KINDS, kind_of, reason_sentence, short_reason
from review.models import Decision
from tests.review.flags import FRAGMENTS, MERGED, OPEN, merge_proposal, versions_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
EVERY = [(code, offer.choice) for code, kind in KINDS.items() for offer in kind.offers]


def said(flag: Flag, choice: str) -> dict[str, Any]:
    """Return what a decision needs beside its name."""
    offer = kind_of(flag).offer(choice)
    assert offer is not None
    return {
        "content": "A text that nobody else wrote." if offer.takes_text else "",
        "reason": "wrong" if offer.takes_reason else "",
        "note": "on weekdays and at weekends" if offer.asks_note else "",
    }


def settled(person: Actor, flag: Flag, choice: str, **more: str) -> list[Memory]:
    decide(
        actor=person,
        flag_id=flag.pk,
        choice=choice,
        expected_versions=versions_of(flag),
        **said(flag, choice) | more,
    )
    keys = [flag.memory_id, *flag.sources.values_list("memory_id", flat=True)]
    if flag.counterpart_id:
        keys.insert(1, flag.counterpart_id)
    found = Memory.objects.in_bulk(keys)
    return [found[key] for key in keys]


def test_it_knows_the_seven_kinds_of_the_mission() -> None:  # G1
    assert set(KINDS) == set(OPEN) == set(Flag.Kind.values)


@pytest.mark.parametrize("code", KINDS)
def test_a_kind_has_a_template_and_a_key_for_each_decision(code: str) -> None:
    kind = KINDS[code]
    get_template(kind.template)
    keys = " ".join(offer.key for offer in kind.offers).split()
    assert len(keys) == len(set(keys))
    assert not {"j", "k", "s", "c", "x", "u", "/", "?"} & set(keys)


@pytest.mark.parametrize("code", KINDS)
def test_it_says_why_it_was_flagged(actor: Actor, code: str) -> None:
    flag = OPEN[code](actor)
    assert reason_sentence(flag)
    assert "%(" not in reason_sentence(flag)
    flag.reason = "something_new"
    assert "something new" in reason_sentence(flag) or flag.evidence
    assert short_reason(flag) == "something new"


@pytest.mark.parametrize(("code", "choice"), EVERY)
def test_it_does_what_it_said_it_would(
    person: Actor, actor: Actor, code: str, choice: str
) -> None:  # G2
    flag = OPEN[code](actor)
    offer = kind_of(flag).offer(choice)
    assert offer is not None
    foretold = {
        change.memory.pk: (change.status, round(change.confidence, 4))
        for change in effects_of(actor=person, flag=flag, offer=offer)
        if not (offer.takes_reason or offer.takes_text)
    }
    memories = {memory.pk: memory for memory in settled(person, flag, choice)}
    became = {key: (memories[key].status, round(memories[key].confidence, 4)) for key in foretold}
    assert became == foretold
    assert Flag.objects.get(pk=flag.pk).resolution == choice
    assert Decision.objects.get().choice == choice


@pytest.mark.parametrize("code", KINDS)
def test_rejecting_keeps_the_reason(person: Actor, actor: Actor, code: str) -> None:
    memory = settled(person, OPEN[code](actor), "reject", reason="injection")[0]
    assert memory.status == ("deleted" if code == "merge" else "overturned")
    assert memory.versions.get(number=2).reason == "injection"


def test_a_merge_stands_for_its_sources_and_is_believed_no_more(
    person: Actor, actor: Actor
) -> None:  # E8
    merged, *sources = settled(person, merge_proposal(actor), "approve")
    assert (merged.content, merged.status, merged.withheld) == (MERGED, "active", False)
    assert merged.confidence == max(memory.confidence for memory in sources) == 0.8
    assert {memory.status for memory in sources} == {"superseded"}
    assert {memory.replaced_by_id for memory in sources} == {merged.pk}
    assert {memory.content for memory in sources} == set(FRAGMENTS)


def test_an_edited_merge_has_the_persons_text(person: Actor, actor: Actor) -> None:
    flag = merge_proposal(actor)
    merged, *sources = settled(person, flag, "edit_approve", content="Trains leave on Tuesday.")
    assert (merged.content, merged.confidence) == ("Trains leave on Tuesday.", 0.8)
    assert merged.versions.get(number=1).content == MERGED
    assert {memory.status for memory in sources} == {"superseded"}


def test_a_merge_wants_the_versions_of_all(person: Actor, actor: Actor) -> None:
    flag = merge_proposal(actor)
    with pytest.raises(Invalid, match="versions of all"):
        decide(actor=person, flag_id=flag.pk, choice="approve", expected_versions=(1, 1))


def test_declining_a_merge_leaves_the_sources(person: Actor, actor: Actor) -> None:
    proposal, *sources = settled(person, merge_proposal(actor), "reject", reason="trivial")
    assert proposal.status == "deleted"
    assert {(memory.status, memory.version) for memory in sources} == {("active", 1)}


def test_two_duplicates_become_the_better_one(person: Actor, actor: Actor) -> None:  # B7
    new, old = settled(person, OPEN["near_duplicate"](actor), "keep_old")
    assert (new.status, new.replaced_by_id, old.status) == ("superseded", old.pk, "active")


def test_what_only_looks_alike_stays(person: Actor, actor: Actor) -> None:
    new, old = settled(person, OPEN["near_duplicate"](actor), "different")
    assert (new.status, old.status, new.version, old.version) == ("active", "active", 1, 1)


def test_what_was_released_from_quarantine_is_recalled(person: Actor, actor: Actor) -> None:  # F2
    flag = OPEN["quarantine"](actor)
    assert not Memory.objects.visible_to(actor).exists()
    (memory,) = settled(person, flag, "approve")
    assert (memory.status, memory.withheld) == ("active", False)
    assert Memory.objects.visible_to(actor).get() == memory


@pytest.mark.parametrize(
    ("code", "choice", "more", "counts"),
    [
        ("pending", "approve", {}, (1, 0)),
        ("pending", "reject", {"reason": "wrong"}, (0, 1)),
        ("pending", "reject", {"reason": "injection"}, (0, 1)),
        ("pending", "reject", {"reason": "trivial"}, (0, 0)),
        ("pending", "reject", {"reason": "outdated"}, (0, 0)),
        ("conflict", "keep_new", {}, (1, 0)),
        ("conflict", "keep_old", {}, (1, 1)),
        ("feedback", "keep", {}, (1, 0)),
        ("clean_up", "archive", {}, (0, 0)),
    ],
)
def test_it_learns_who_is_right(
    person: Actor, actor: Actor, code: str, choice: str, more: dict[str, str], counts: object
) -> None:  # F4
    settled(person, OPEN[code](actor), choice, **more)
    agent = Agent.objects.get(name=actor.name)
    assert (agent.upheld, agent.refuted) == counts
